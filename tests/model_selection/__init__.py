"""Cross-validation, searches and curves."""
