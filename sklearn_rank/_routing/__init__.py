"""How query ids reach splitter, model and scorer: scikit-learn's metadata routing, opened for one call."""
