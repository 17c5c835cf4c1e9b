"""How query ids reach the parts of a model and its scorers: by scikit-learn's metadata routing, for one call.

`prepare_call` in `call` uses these files in this order:

- `model_checks`: models that would fail in every fold are refused.
- `scoring`: `scoring` is read, and its scorers request the ids.
- `columns`: labels to score by are read by their names; a warning if a model trains on the ids.
- `ids_in_parts`: which parts of a model request ids, and which split their training rows again.
- `requested_params`: other parameters of `fit` are requested where scikit-learn would have passed them.
- `fold_checks`: the folds, and warnings about them and about those of searches inside the model.

scikit-learn then works with objects that stand in the place of the user's. They do one thing more, and hand
on all else:

- `grouped_model`: a model each of whose parts gets ids in `fit` if it takes them.
- `wrapped_scorers`: scorers that see the user's model, and ask it with ids.
"""
