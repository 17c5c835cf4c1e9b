"""Parts of models, and fitted models that predict with ids."""
