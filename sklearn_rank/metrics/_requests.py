"""What is asked for: rows as they were given, metrics with their options, and whether these go together."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from .._checks.errors import fail
from .._checks.options import check_choice, check_needed_k, check_options, remember
from .._checks.rows import ANY_SIGN, NOT_NEGATIVE, LabelRules
from .._checks.types import Arguments, Ids, Labels, Options, Scores, Weights
from ._table import Metric

# What options are where labels may have any sign: of debiased clicks nothing but sums is unbiased.
OF_SIGNED = {
    "gain": (
        "linear",
        "be 'linear' with signed=True: sums of labels stay unbiased, and no other gain of them",
    ),
    "min_relevance": (
        1,
        "be left out with signed=True: labels count as they stand, none from a threshold on",
    ),
    "max_grade": (None, "be left out with signed=True: labels count as they stand"),
    "zero_division": (0, "be 0.0 with signed=True: a query without a click counts 0, or the mean is biased"),
}

# Metrics that count documents above the cutoff; if no ranking is longer, they count all of them.
COUNT_RETRIEVED = ("recall", "hit_rate", "fallout")

Key = tuple[str, float | None]


class Given(NamedTuple):
    """Rows as the caller gave them."""

    y_true: Labels
    y_score: Scores
    groups: Ids = None
    sample_weight: Weights = None


class Rules(NamedTuple):
    """How queries are ranked and averaged, whatever the metric."""

    ties: str = "average"
    unjudged: str = "raise"
    average: str | None = "macro"
    zero_division: float = 0.0


class Subject(NamedTuple):
    """A metric, with what its value depends on."""

    name: str
    labels: str  # the rule `unjudged` of its labels
    min_relevance: float | None = None  # the lowest relevant label; None if labels are gains
    k: int | None = None  # the cutoff of metrics in COUNT_RETRIEVED
    any_label: bool = False  # labels are usually real numbers, such as returns

    @property
    def key(self) -> Key:
        """Return the options for labels that its value depends on."""
        return self.labels, self.min_relevance


class RequestFields(NamedTuple):
    """The fields of a request."""

    name: str  # by which its value is returned
    metric: Metric
    params: Arguments
    rules: Rules
    sign: float = 1.0  # -1 for a loss as a score
    held: str = "given"  # how scores are read: as given, in "float32", or with equal ones "later_first"


class Request(RequestFields):
    """One metric that is requested; its properties are kept, as scorers use a request in each call."""

    @cached_property
    def labels(self) -> str:
        """Return which labels it is computed of: those that the rule `unjudged` leaves, or its own."""
        return self.metric.nan_rule or self.rules.unjudged

    @cached_property
    def any_label(self) -> bool:
        """Tell whether it takes labels of any sign."""
        return self.metric.any_label or bool(self.params.get("signed"))

    @cached_property
    def subject(self) -> Subject:
        """Return what its value depends on."""
        of_gains = self.any_label or self.params.get("max_grade") is not None
        threshold = None if of_gains else self.params.get("min_relevance")
        k = self.params["k"] if self.metric.stem in COUNT_RETRIEVED else None
        return Subject(self.name, self.labels, threshold, k, self.any_label)

    def checked(self) -> "Request":
        """Check all options, and that they go together, before any data is looked at."""
        if self.metric.cutoff == "required":
            check_needed_k(self.params["k"])
        self._check_denominator()  # first, as not all words for it are for all metrics
        ties, unjudged, average, zero_division = self.rules
        of_all = {"ties": ties, "average": average, "unjudged": unjudged}
        options = check_options(**of_all, **self.params, zero_division=zero_division)
        rules = Rules(*map(options.pop, Rules._fields))
        request = self._replace(params=options, rules=rules)
        request.check_together()
        return request

    def checked_by_row(self) -> "Request":
        """Check all options of a metric that needs more than labels and scores."""
        rules: Options = {}
        if self.metric.per_query:
            self._check_micro()
            rules = {"average": self.rules.average, "zero_division": self.rules.zero_division}
        checked = self.metric.checked({**self.params, **rules})
        params, rules = ({name: checked[name] for name in each} for each in (self.params, rules))
        return self._replace(params=params, rules=Rules(**rules))

    def _check_micro(self) -> None:
        metric = self.metric
        if self.rules.average == "micro" and (metric.needs or not metric.micro):
            of = f"with {self.name!r}" if metric.needs else f"for {metric.name}"
            rule = f"be {metric.list_averages()} {of}, whose value is not a ratio of counts"
            if metric.micro:
                rule += f"; {metric.name}(..., average='micro') is of all queries together"
            fail("average", rule, "'micro'")

    def _check_denominator(self) -> None:
        if "denominator" in self.params:
            check_choice("denominator", self.params["denominator"], self.metric.denominators)

    def check_together(self) -> None:
        """Check that options that are fine by themselves go together, and with the metric."""
        self._check_denominator()
        self._check_micro()
        if self.rules.average == "geometric":
            self.metric.check_geometric()
            if self.params.get("signed"):
                rule = "be 'macro', 'weighted' or None with signed=True: values may be negative"
                fail("average", rule, "'geometric'")
        if self.params.get("denominator") == "hits" and self.rules.ties in ("best", "worst"):
            rule = "be 'average' or 'order' with denominator='hits': more hits may lower that value"
            fail("ties", rule, repr(self.rules.ties))
        if self.params.get("weighted_by") == "relevant" and self.rules.average != "weighted":
            rule = "be 'rows' unless average='weighted': it says by what that weights"
            fail("weighted_by", rule, "'relevant'")
        asked = {**self.params, "zero_division": self.rules.zero_division}
        for name, (only, rule) in OF_SIGNED.items() if self.params.get("signed") else ():  # nothing but sums
            value = asked.get(name, only)
            if not (value is only or (isinstance(value, str | float | int) and value == only)):
                fail(name, rule, repr(value))
        graded = "gain" not in self.params and self.params.get("max_grade")
        if graded and self.params.get("min_relevance", 1) != 1:
            rule = "be left out with max_grade=: grades count then, none from a threshold on"
            fail("min_relevance", rule, repr(self.params["min_relevance"]))


@remember
def request_metric(metric: Metric, *rules: Any, **params: Any) -> Request:
    """Request one metric by its function, with all options checked."""
    return Request("", metric, params, Rules(*rules)).checked()


def check_kept(averages: Iterable[str | None]) -> None:
    """Check how values of queries that are kept are averaged: intervals and comparisons are of means."""
    if "geometric" in averages:
        rule = (
            "be 'macro', 'weighted' or 'micro' where the values of queries are kept, as intervals and "
            "comparisons are of means; ranking_scores(..., average='geometric') is the geometric mean"
        )
        fail("average", rule, "'geometric'")


def keep_plain(requests: Iterable[Request]) -> list[Request]:
    """Return the requests of metrics of labels and scores alone."""
    return [request for request in requests if not request.metric.needs]


def find_label_rules(requests: Sequence[Request]) -> LabelRules:
    """Return the rules by which labels are read for all of some metrics."""
    unjudged = [request.labels for request in requests if not request.metric.nan_rule]
    strictest = "raise" if "raise" in unjudged else (*unjudged, "nonrelevant")[0]
    of_gains_or_classes = [request for request in requests if not request.any_label]
    if not of_gains_or_classes or len(of_gains_or_classes) == len(requests):
        return LabelRules(strictest, NOT_NEGATIVE if of_gains_or_classes else ANY_SIGN)
    first = of_gains_or_classes[0]
    of_gains = ", which takes labels for gains"
    of_classes = ", to which documents are relevant from a label above 0 on"
    why = of_gains if "gain" in first.params else of_classes if "min_relevance" in first.params else ""
    return LabelRules(strictest, f"{NOT_NEGATIVE} for {first.name!r}{why}")
