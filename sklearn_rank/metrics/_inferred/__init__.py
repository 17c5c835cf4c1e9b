"""Average precision inferred from a sample of judgments."""
