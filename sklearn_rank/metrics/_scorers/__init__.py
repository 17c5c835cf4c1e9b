"""Classes of scorers, and scorers by name; the factories stand beside the functions of the metrics."""
