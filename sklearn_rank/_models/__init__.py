"""What models are made of, which ids they request, and fitted models asked with ids; knows no metric."""
