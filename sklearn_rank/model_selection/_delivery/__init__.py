"""Calls of scikit-learn's functions with query ids. Row numbers take the place of X; see `_rows`.

`prepare_call` in `call` uses these files in this order:

- `check_models` rejects models and scorers that would fail in every fold, checks that ids reach all parts of
  the model that take them, and selects the parameters of `fit`.
- `read_columns` reads `scoring`, query ids and labels by name, and warns if a model trains on them.
- `check_folds` checks the folds, including those of searches inside the model.

Then scikit-learn is called with row numbers, with the model of `fitting`, which puts the rows back, and with
the scorers of `bound_parts`, which also contains the splitters for folds inside the model. `with_groups`
contains the methods of fitted models that take `groups`.
"""
