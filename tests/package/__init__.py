"""Tests of the package as a whole: architecture, documents, types and warnings."""
