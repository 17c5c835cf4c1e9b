"""Parts and requests of models, and calls of fitted models with query ids."""
