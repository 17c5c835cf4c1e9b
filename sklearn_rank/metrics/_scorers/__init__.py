"""The class of scorers, and scorers by name. Factories are made beside the functions of the metrics."""
