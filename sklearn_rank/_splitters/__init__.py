"""From ids, times and labels to folds."""
