"""The class of scorers, and scorers by name. Factories are created next to the metric functions."""
