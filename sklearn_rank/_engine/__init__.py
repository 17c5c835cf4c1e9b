"""Flat rows with query ids become dense blocks of ranked queries; knows no metric."""
