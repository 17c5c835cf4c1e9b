"""Splitters of whole queries, within groups and over time; what `cv` may be, and checks of folds."""
