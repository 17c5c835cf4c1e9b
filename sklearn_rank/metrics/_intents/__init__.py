"""Metrics of queries with several intents, which can discount intents that were served before."""
