"""Tests of reports over queries and of comparisons."""
