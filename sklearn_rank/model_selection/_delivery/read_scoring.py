"""Reading, checks and wrapping of `scoring`, so that its scorers get the ids of the rows."""

from collections.abc import Mapping
from functools import partial
from types import FunctionType

from ... import metrics
from ..._checks.errors import fail
from ..._checks.types import AnyScorer, Estimator, Ids, Scoring
from ..._rows.bound import unwrap
from ..._rows.inner_models import SEARCH, is_of_scikit_learn
from ..._rows.scorer_columns import list_scorers
from ...metrics import RankingScorer, is_ranking, name_entries, read_scorer, unique_groups


def resolve_scoring(scoring: Scoring) -> AnyScorer:
    """Replace names by scorers; return None and callables unchanged."""
    if isinstance(scoring, str):
        return read_scorer(scoring)
    if isinstance(scoring, list | tuple | set):
        if not all(isinstance(each, str) or callable(each) for each in scoring):
            fail(
                "scoring", "be a list of names and scorers", repr(scoring), "Pass scoring=['ndcg@10', 'map']."
            )
        return dict(zip(name_entries(list(scoring), "scoring"), map(resolve_scoring, scoring)))
    if isinstance(scoring, Mapping):
        if not list(scoring) or not all(isinstance(name, str) for name in scoring):
            fail("scoring", "be a dict of scorers by name, with at least one scorer", repr(scoring))
        resolved = {name: resolve_scoring(scorer) for name, scorer in scoring.items()}
        for name, scorer in resolved.items():
            if is_ranking(scorer) and not isinstance(scorer.metrics, str):
                fix = f"Pass one scorer per name, or scoring={scorer.describe()} alone."
                fail("scoring", "contain scorers of one metric if it is a dict", f"several for {name!r}", fix)
        return resolved
    if isinstance(scoring, FunctionType | partial | type):  # perhaps a metric
        from ..._hints.scorers import suggest_scorer

        if (suggested := suggest_scorer(scoring, vars(metrics))) is not None:
            kind = "class" if isinstance(scoring, type) else "function"
            got = f"the {kind} {getattr(scoring, '__name__', repr(scoring))}"
            fail("scoring", "be a scorer", got, f"Pass scoring={suggested}.")
    if scoring is not None and not callable(scoring):
        fail("scoring", "be a scorer, a name, a list or dict of them, or None", repr(scoring))
    return scoring


def list_score_names(scoring: Scoring) -> list[str]:
    """List the names of several scores; return an empty list for one score."""
    if is_ranking(scoring) and not isinstance(scoring.metrics, str):
        return list(scoring.metrics)
    if isinstance(scoring, list | tuple | set):
        return name_entries(list(scoring), "scoring")
    return list(scoring) if isinstance(scoring, Mapping) else []


def check_missed(scorer: RankingScorer, ids: Ids) -> None:
    """Check that labels of documents that are not rows belong to queries of the data."""
    if scorer.missed is not None and scorer.groups is None:
        scorer.missed.find(unique_groups(ids))


def list_own_rankings(*models: object) -> list[RankingScorer]:
    """List the ranking scorer of the first model whose own `score` is one."""
    return [scorer for scorer in map(find_own_scorer, models) if scorer is not None][:1]


def list_rankings(search: Estimator) -> list[RankingScorer]:
    """List the ranking scorers of a search."""
    scoring = read_scoring(search)
    if scoring is None:
        return list_own_rankings(search.estimator)
    return [*filter(is_ranking, list_scorers(scoring))]


def find_own_scorer(model: Estimator) -> RankingScorer | None:
    """Return the ranking scorer that computes a model's own `score`; None if it is not known to be one."""
    model = unwrap(model)
    if isinstance(getattr(model, "own_metric", None), str):  # a ranker of this package
        return RankingScorer(model.own_metric)
    if is_of_scikit_learn(model) and hasattr(model, "steps"):
        return find_own_scorer(model.steps[-1][1])
    if not isinstance(model, SEARCH):
        return None
    scoring = read_scoring(model)
    if scoring is None:
        return find_own_scorer(getattr(model, "estimator", None))
    if isinstance(scoring, Mapping):
        name = getattr(model, "refit", None)
        scoring = scoring.get(getattr(name, "metric", name))
    return scoring if is_ranking(scoring) else None


def read_scoring(search: Estimator) -> AnyScorer:
    """Return the scorers of a search; in scikit-learn's own searches, names mean its own metrics."""
    scoring = getattr(search, "scoring", None)
    return resolve_scoring(scoring) if hasattr(search, "passes_ids_itself") else scoring
