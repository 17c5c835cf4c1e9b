"""What models are made of, and fitted models that are asked with ids."""
