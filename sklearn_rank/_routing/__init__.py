"""What a model is made of, and calling a fitted one with query ids."""
