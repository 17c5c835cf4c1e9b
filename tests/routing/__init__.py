"""How ids reach splitters, models and scorers."""
