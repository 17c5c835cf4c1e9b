"""Conversion of flat rows with query ids to dense blocks of ranked queries, independent of metrics."""
