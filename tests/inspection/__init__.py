"""Importances of features."""
