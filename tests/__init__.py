"""The tests of sklearn_rank: folders that mirror its rooms, and commands beside them."""
