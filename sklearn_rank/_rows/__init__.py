"""Query ids travel with row numbers: a `Bound` model puts the rows back.

A model with a part that takes ids is fitted inside a `Bound`, which has the ids of the rows of each call. How
it finds them depends on what the owner, the model around it, does with rows:

- "order": the owner passes all rows in their order (pipelines, RFE, ...). Ids are found by position.
- "rows": the owner selects rows and does not read columns (searches, stacks, bagging, ...). Row numbers take
  the place of X, and the `Bound` replaces them by the rows.
- "y": the owner selects rows and columns, and passes y on unchanged (RFECV, SequentialFeatureSelector). Row
  numbers take the place of y.

Read the files in this order: `inner_models` lists the models inside a model, `scorer_columns` the columns of
scorers, `needs` finds models that take ids, `owners` is the table of owners, and `bound` has the rows of a
call, and fitted models that predict with ids. `model_selection` binds parts of a model while it is fitted.
"""
