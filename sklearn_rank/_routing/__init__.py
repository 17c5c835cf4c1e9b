"""How query ids reach splitter, model and scorer: by scikit-learn's metadata routing, enabled for one call.

A call of a function or a search of `model_selection` passes through these files, in this order:

- `call`: `prepare_call` checks what the caller gave, finds the ids, and makes a call of scikit-learn's.
- `model_checks`: models that would fail in every fold are refused.
- `scoring`: `scoring` is read, and its scorers request the ids.
- `columns_as_features`: a warning where a model trains on the ids, as they are a column of X.
- `models_that_split`: models with folds of their own, and a warning where no ids reach these.
- `ids_in_parts`: which parts of a model request ids.
- `requests`: other parameters of `fit` are requested where scikit-learn would have passed them.
- `query_model`, `row_model`: where needed, a call on rows becomes one on whole queries or on row numbers.

scikit-learn then works with objects that stand in the place of the user's. They do one thing more, and hand
on all else:

- `grouped_model`: a model each of whose parts gets ids in `fit` if it takes them; `wrapped_parts` wraps and
  unwraps these parts.
- `query_model`, `row_model`: models that take numbers of queries, or of rows, in the place of features.
- `wrapped_model`: what these three share.
- `watching_splitter`: warns of folds that cut queries or test nothing; `refused_labels` looks at the labels.
- `inner_searches`: the folds of searches inside a model, which the call watches.
- `inner_splitter`: keeps queries whole inside a model that splits again.
- `default_scorer`: the model's own `score`, for ``scoring=None``.
- `function_scorer`: a function of the user's that requests ids.
- `unwrapping_scorer`: a scorer that sees the user's model, and asks it with ids.
"""
