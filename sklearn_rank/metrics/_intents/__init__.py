"""Metrics of queries that have several intents: what was shown for one is worth less when shown again."""
