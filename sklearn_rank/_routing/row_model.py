"""Models of row numbers, for `cross_val_predict` of models that take ids where they predict.

scikit-learn calls `predict` with features alone. With the numbers of the rows in the place of the features,
the ids of the rows are found by these.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from .._checks.containers import count_rows, take
from .._models.answers import answer
from .._models.requested import Ids, list_routed
from .call import Call
from .ids_in_parts import list_aliases
from .wrapped_model import WrappedModel, unwrap_model


class RowModel(WrappedModel):
    """A model of row numbers: it fits a model to the rows of `X` with these numbers, and passes it their ids.

    `ids` contains the ids of all rows by the name under which the model requests them.
    """

    def __init__(self, estimator: Any, X: Any, ids: Ids):
        self.estimator = estimator
        self.X = X
        self.ids = ids

    def __sklearn_clone__(self) -> "RowModel":
        return RowModel(clone(self.estimator), self.X, self.ids)

    def fit(self, rows: Any, y: Any = None, **params: Any) -> "RowModel":
        """Fit the model to the rows of these numbers."""
        self.estimator.fit(take(self.X, np.ravel(rows)), y, **params)
        return self

    def _ask(self, method: str, X: Any, params: dict[str, Any]) -> Any:
        rows = np.ravel(X)
        ids = {name: take(values, rows) for name, values in self.ids.items()}
        users = getattr(self.estimator, "routing", None)
        return answer(
            unwrap_model(self.estimator), method, take(self.X, rows), ids, routing=users, check=False
        )


def call_on_row_numbers(call: Call, X: Any, y: Any) -> tuple[Call, np.ndarray]:
    """Return a call with a `RowModel`, and the numbers of the rows that it takes in the place of X."""
    router = MetadataRouter(owner="cross_val_predict")
    router.add(splitter=call.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
    router.add(estimator=call.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
    asked = process_routing(router, "fit", **call.params).splitter.split
    folds = list(call.cv.split(X, y, **asked))
    aliases = list_aliases(call.estimator)
    model = RowModel(call.estimator, X, {name: call.params[name] for name in ("groups", *aliases)})
    params = {name: call.params[name] for name in list_routed(model, "fit", call.params)}
    numbers = np.arange(count_rows(X, "cross_val_predict"))[:, None]
    return call._replace(estimator=model, cv=folds, params=params), numbers
