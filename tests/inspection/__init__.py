"""Tests of evaluation, displays and permutation importance."""
