"""Functions of click logs: random arguments, and checks of the results."""

import numpy as np

from sklearn_rank.clicks import (
    debias_clicks,
    estimate_propensities,
    simulate_clicks,
    snips_score,
)
from sklearn_rank.clicks._read import PropensityCurve

from .target import Target

KNOWN = [1.0, 0.6, 0.4, 0.3, 0.25]


def _draw_places(random, lengths=(1, 2, 3, 4, 5)):
    """Draw clicks, positions and queries of some lists."""
    lists = random.choices(lengths, k=random.randint(2, 8))
    positions = [place for length in lists for place in range(1, length + 1)]
    groups = [number % 3 for number, length in enumerate(lists) for _ in range(length)]
    clicks = [random.choice([0, 0, 1]) for _ in positions]
    return {"clicks": clicks, "positions": positions}, groups


def draw_debiased(random):
    given, _ = _draw_places(random)
    given["propensities"] = list(KNOWN)
    if random.random() < 0.3:
        given["trust"] = ([0.8, 0.5, 0.3, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1, 0.05])
        given["propensities"] = None
    if random.random() < 0.2:
        given["clip"] = random.choice([0.01, 0.2, 1])
    return given


def draw_log(random):
    is_harvest = random.random() < 0.5
    given, groups = _draw_places(random) if is_harvest else _draw_places(random, [random.randint(2, 5)])
    given["groups"] = groups
    given["n_resamples"] = random.choice([0, 0, 100])
    if is_harvest:
        return given | {"method": "harvest", "documents": [random.randint(0, 3) for _ in groups]}
    marks = [random.random() < 0.9 for _ in groups]  # a ranking is shuffled as a whole
    starts = np.cumsum(np.equal(given["positions"], 1)) - 1
    return given | {"arm": [marks[start] for start in starts]}


def draw_estimated(random):
    given, groups = _draw_places(random)
    rows = {"y_true": [click * random.choice([1.0, 2.5]) for click in given["clicks"]]}
    rows |= {"y_score": [random.choice([0.1, 0.5, random.random()]) for _ in groups], "groups": groups}
    if random.random() < 0.5:
        rows["cluster"] = [group > 0 for group in groups]
    if random.random() < 0.5:
        rows["k"] = random.choice([1, 2, None])
    return rows


def draw_simulated(random):
    given, groups = _draw_places(random)
    rows = {"y_true": [float(click) for click in given["clicks"]], "groups": groups}
    rows |= {"y_score": [random.random() for _ in groups], "propensities": [0.5] * 60}
    return rows | {"noise": random.choice([0, 0.1]), "k": random.choice([None, 2]), "random_state": 0}


def check_labels(result, given):
    return None if result.dtype == float and np.isfinite(result).all() else f"labels {result!r}"


def check_estimate(result, given):
    value, error = result
    return None if np.isnan(error) or error >= 0 else f"{value!r} with the error {error!r}"


def check_curve(result, given):
    known = result.propensities[~np.isnan(result.propensities)]
    fine = type(result) is PropensityCurve and len(known) > 1 and (known > 0).all()
    return None if fine and 1 in known else f"propensities {result.propensities!r}"


def check_simulated(result, given):
    clicks, positions = result
    return None if (clicks <= (positions > 0)).all() else "clicks on documents that were not displayed"


CLICKS = [
    Target(debias_clicks, draw_debiased, check_labels, (debias_clicks,)),
    Target(estimate_propensities, draw_log, check_curve, (estimate_propensities,)),
    Target(
        snips_score,
        draw_estimated,
        check_estimate,
        (snips_score,),
        ("y_true", "y_score", "groups", "cluster"),
    ),
    Target(simulate_clicks, draw_simulated, check_simulated, (simulate_clicks,)),
]
