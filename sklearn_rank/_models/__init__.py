"""What models are made of, and fitted models asked with the ids of the rows; knows no metric."""
