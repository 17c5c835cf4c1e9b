"""Passing of query ids to the parts of a model and to scorers, by scikit-learn's metadata routing.

`prepare_call` in `call` uses these files in this order:

- `model_checks` rejects models that would fail in every fold.
- `scoring` reads `scoring` and makes its scorers request the ids.
- `columns` reads labels for scoring by their names, and warns if a model trains on the ids.
- `part_requests` lists the parts of a model that request ids or split their training rows again, and requests
  other parameters of `fit` where scikit-learn would pass them without routing.
- `fold_checks` checks the folds, including those of searches inside the model.

Then scikit-learn is called with these scorers and with a model of `grouped_model`, which passes the ids in
`fit` to each of its parts that takes them.
"""
