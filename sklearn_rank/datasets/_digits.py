"""A retrieval task made of scikit-learn's handwritten digits."""

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.utils import Bunch

N_QUERIES, N_DOCUMENTS = 240, 40
PIXEL_FEATURES = "euclidean manhattan chebyshev correlation overlap ink_difference"
PART_FEATURES = "row_profile column_profile center_vertical center_horizontal top_half left_half"
FEATURE_NAMES = [*PIXEL_FEATURES.split(), *PART_FEATURES.split()]
DESCR = """Digits as a retrieval task
--------------------------
A query is an image of a handwritten digit; its documents are 40 other images. The label is 2 if both
images show the same digit, 1 if the document shows the digit whose mean image is nearest to the mean image
of the query's digit, and 0 otherwise. The features compare the two images: distances between their pixels,
their correlation and overlap, and differences in ink, profiles, centers and halves. There are 240 queries
and 9,600 rows, always the same: a fixed seed draws the images from `sklearn.datasets.load_digits`.
"""


def load_digits_ranking(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load handwritten digits as a small retrieval task with real data; no download is needed.

    A query is an image; its documents are 40 other images. The label is 2 for the same digit, 1 for the digit
    that is most similar to it, and 0 otherwise. The features compare the two images.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return ``(X, y, groups)`` instead of a Bunch.
    as_frame : bool, default=False
        Whether to return the features as a pandas DataFrame, and labels and query ids as Series.

    Returns
    -------
    Bunch or (X, y, groups)
        `data` of shape (9600, 12), `target` (grades 0 to 2) and `groups` (query ids) of shape (9600,),
        `feature_names` and `DESCR`.

    Examples
    --------
    >>> from sklearn_rank.datasets import load_digits_ranking
    >>> X, y, groups = load_digits_ranking(return_X_y=True)
    >>> X.shape, len(set(groups))
    ((9600, 12), 240)
    """
    digits = load_digits()
    rng = np.random.RandomState(0)  # numpy guarantees that its stream never changes
    queries = rng.permutation(len(digits.target))[:N_QUERIES]
    drawn = ((query, rng.permutation(len(digits.target))[: N_DOCUMENTS + 1]) for query in queries)
    documents = np.array([others[others != query][:N_DOCUMENTS] for query, others in drawn])
    groups = np.repeat(np.arange(N_QUERIES), N_DOCUMENTS)
    query_rows, document_rows = np.repeat(queries, N_DOCUMENTS), documents.ravel()
    X = _compare(digits.images[query_rows], digits.images[document_rows])
    means = np.array([digits.data[digits.target == digit].mean(axis=0) for digit in range(10)])
    distances = ((means[:, None] - means) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    similar_digits = distances.argmin(axis=1)  # the digit with the nearest mean image
    query_digits, document_digits = digits.target[query_rows], digits.target[document_rows]
    y = 2 * (query_digits == document_digits) + (similar_digits[query_digits] == document_digits)
    if as_frame:
        try:
            import pandas
        except ImportError as error:
            raise ImportError("as_frame=True requires pandas. Install it: pip install pandas") from error
        X = pandas.DataFrame(X, columns=FEATURE_NAMES)
        y, groups = pandas.Series(y, name="grade"), pandas.Series(groups, name="qid")
    if return_X_y:
        return X, y, groups
    return Bunch(data=X, target=y, groups=groups, feature_names=list(FEATURE_NAMES), DESCR=DESCR)


def _compare(queries: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Return features of pairs of 8 x 8 images, with the columns of FEATURE_NAMES."""
    difference = queries - documents
    pixels = difference.reshape(len(difference), -1)
    a, b = (images.reshape(len(images), -1) for images in (queries, documents))
    a_centered, b_centered = (x - x.mean(axis=1, keepdims=True) for x in (a, b))
    norms = np.linalg.norm(a_centered, axis=1) * np.linalg.norm(b_centered, axis=1)
    rows_a, rows_b = _centers(queries), _centers(documents)
    columns = [
        np.linalg.norm(pixels, axis=1),
        np.abs(pixels).sum(axis=1),
        np.abs(pixels).max(axis=1),
        (a_centered * b_centered).sum(axis=1) / norms,
        np.minimum(a, b).sum(axis=1) / np.maximum(a, b).sum(axis=1),
        np.abs(pixels.sum(axis=1)),
        np.abs(difference.sum(axis=2)).sum(axis=1),
        np.abs(difference.sum(axis=1)).sum(axis=1),
        *np.abs(rows_a - rows_b).T,
        np.abs(difference[:, :4].sum(axis=(1, 2))),
        np.abs(difference[:, :, :4].sum(axis=(1, 2))),
    ]
    return np.column_stack(columns)


def _centers(images: np.ndarray) -> np.ndarray:
    """Return the vertical and the horizontal center of the ink."""
    ink, places = images.sum(axis=(1, 2)), np.arange(8)
    return np.column_stack((images.sum(axis=2) @ places, images.sum(axis=1) @ places)) / ink[:, None]
