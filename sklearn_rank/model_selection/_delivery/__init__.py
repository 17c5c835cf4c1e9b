"""Calls of scikit-learn's functions with query ids. Row numbers take the place of X; see `_rows`.

`prepare_call` in `call` uses these files in this order:

- `check_models` rejects models that would fail in every fold.
- `read_scoring` reads `scoring`, and `read_ids` the query ids.
- `check_parts` checks that ids reach all parts of the model that take them.
- `read_columns` reads labels for scoring by their names, and warns if a model trains on the ids.
- `check_params` selects the parameters of `fit`.
- `check_folds` checks the folds, including those of searches inside the model.

Then scikit-learn is called with row numbers, with the model of `outermost`, which puts the rows back and fits
the model (`fitting`), and with the scorers of `bound_parts`. Folds inside the model are those of
`bound_parts`. `predicting` and `with_groups` contain the methods of fitted models that take `groups`.
"""
