"""Passing of query ids to a model's parts and scorers, by scikit-learn's metadata routing, for one call.

`prepare_call` in `call` uses these files in this order:

- `model_checks`: models that would fail in every fold raise an error.
- `scoring`: `scoring` is read; its scorers request the ids, get the user's model, and call it with ids.
- `columns`: labels to score by are read by their names; a warning if a model trains on the ids.
- `part_requests`: which parts of a model request ids, and which split their training rows again; other
  parameters of `fit` are requested where scikit-learn would have passed them.
- `fold_checks`: the folds, and warnings about them and about those of searches inside the model.

scikit-learn then works with the scorers of `scoring` and a model of `grouped_model`, each of whose parts gets
ids in `fit` if it takes them.
"""
