"""Average precision inferred from judgements of a sample."""
