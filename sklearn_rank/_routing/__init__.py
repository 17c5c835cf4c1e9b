"""How query ids reach splitter, model and scorer: by scikit-learn's metadata routing, opened for one call.

Users need not enable routing. Each function and search of `model_selection` makes its call here, in this order:

1. `call`: `prepare_call` checks what the caller gave, finds the ids, and makes a call of scikit-learn's.
2. `model_checks`: models that would fail in every fold are refused.
3. `scoring`: `scoring` is read, and its scorers are made to request the ids.
4. `requests`: other parameters of `fit` are requested where scikit-learn would have passed them.
5. `query_model`, `row_model`: where it has to be, the call is made one on whole queries, or on row numbers.

Then scikit-learn works with objects that stand in the place of those of the user and hand on what they do not
do themselves. Their files end in what they are.

======================= ======================================= ==============================================
file                    stands in the place of                  why
======================= ======================================= ==============================================
`watching_splitter`     any splitter                            warns of folds that cut queries, or test nothing
`repeating_splitter`    any splitter                            has the same folds each time
`inner_splitter`        an int as `cv` inside a model           keeps queries whole there, too
`wrapped_model`         a model                                 what the three below share
`grouped_model`         a model                                 each part that takes ids gets them in `fit`
`query_model`           a model, by numbers of queries          samples are whole queries
`row_model`             a model, by numbers of rows             `cross_val_predict` finds the ids
`default_scorer`        ``scoring=None``                        the model's `score` gets its ids
`function_scorer`       a function of the user's                it requests ids
`unwrapping_scorer`     a scorer                                it sees the user's model, asked with ids
======================= ======================================= ==============================================

`grouped_model` asks `ids_in_parts` which parts of a model request ids, and has `wrapped_parts` wrap and unwrap
them. `models_that_split` knows models with folds of their own, and `refused_labels` labels that no scorer takes.
"""
