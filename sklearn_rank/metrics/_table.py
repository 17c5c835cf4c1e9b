"""The table of metrics, with one row per metric, and requests of metrics with checked options."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np

from .._checks import Default
from .._checks.errors import fail, name_call
from .._checks.options import check_choice, check_options, remember
from .._checks.rows import ANY_SIGN, NOT_NEGATIVE, LabelRules
from .._checks.types import Arguments, Features, Function, Ids, Labels, Options, Scores, Table, Weights


class Ratio(NamedTuple):
    """The values of a formula for each query of a block: a ratio, and whether it is defined."""

    numerators: np.ndarray
    denominators: np.ndarray | int = 1
    defined: np.ndarray | np.bool_ | bool = True


Formula = Callable[..., Ratio]  # takes a block and the metric's own parameters

# Options of the whole computation, and their defaults.
DEFAULTS = {"ties": "average", "unjudged": "raise", "average": "macro"}


class Tables(NamedTuple):
    """Inputs in addition to labels and scores, as the caller gave them."""

    items: Ids = None  # the id of the item in each row
    features: Features = None  # of the item in each row
    popularity: Table = None  # by item
    history: Table = None  # features of past rows of queries, or users
    intents: Labels = None  # a label of each row for each intent
    labels: Labels = None  # of each row
    intent_weight: Weights = None  # of each intent
    strata: Ids = None  # of each row, from which judged documents were drawn

    def given(self) -> Options:
        """Return the inputs that were given, by name."""
        return {name: each for name, each in self._asdict().items() if each is not None}

    @property
    def has_features_by_item(self) -> bool:
        """Return whether features are a mapping by item id, or a pair of a matrix and item ids."""
        given: Any = self.features
        is_pair = isinstance(given, tuple) and len(given) == 2
        return isinstance(given, Mapping) or (is_pair and np.ndim(given[0]) == 2)


# The argument of a metric function that contains each input.
ARGUMENTS = {name: name for name in Tables._fields}
ARGUMENTS |= {"features": "X", "intents": "y_true", "labels": "y_true"}
# The argument of a call by names, which has no weights of intents.
NAMED = {name: name for name in Tables._fields if name != "intent_weight"} | {"labels": "y_true"}
DATA = {*ARGUMENTS.values(), "y_score", "groups", "sample_weight"}
# Parameters of functions that are not those of formulas.
NOT_PARAMS = ("y_true", "y_score", "groups", "strata", *DEFAULTS, "zero_division", "sample_weight", "missed")

Reader = Callable[[str, Any, Tables, Mapping[str, str]], Any]  # rows with `queries` and their `weights`


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table."""

    stem: str  # its name, without a cutoff
    formula: Formula
    function: Function
    factory: Function  # creates its scorers
    lower: float = 0.0  # its values are in [lower, upper]
    upper: float = 1.0
    greater_is_better: bool = True
    micro: bool = False  # can be averaged as a ratio of sums over queries
    uses_scores: bool = False  # depends on the values of the scores, not only on their order
    nan_rule: str = ""  # treatment of NaN regardless of `unjudged`: 0 in "judgments", or not "sampled"
    of_judged: bool = False  # ignores unjudged documents under each rule `unjudged` except "raise"
    any_label: bool = False  # labels of any sign: their order counts, or their differences
    denominators: tuple[str, ...] = ("achievable", "relevant", "hits")  # allowed values of that option
    has_curve: bool = False  # has a curve over its cutoffs: the formula takes a column of them
    ties: str = "order"  # default for a metric that only other libraries name
    # Metrics with other inputs have a formula of opened rows, which returns ratios or counts.
    needs: tuple[str, ...] = ()  # inputs in addition to labels and scores
    reader: Any = None  # a `Reader` of its rows; metrics with the same reader share them
    check: Any = None  # checks all options of the function, before the data is read
    conclude: Callable[..., float] | None = None  # computes one value of all queries together from counts
    leave_out: Callable[..., np.ndarray] | None = None  # computes that value without each query or cluster
    named: bool = True  # can be requested by name; otherwise only its function computes it
    unbounded_with: tuple[str | None, ...] = ()  # values of `normalize` that allow values above `upper`

    @property
    def only_in_other_libraries(self) -> bool:
        """Return whether the metric exists in other libraries only, without a function here."""
        return self.function is self.formula

    @property
    def per_query(self) -> bool:
        """Return whether each query has a value; otherwise the value is of all queries together."""
        return self.conclude is None

    @cached_property
    def name(self) -> str:
        return self.stem if self.only_in_other_libraries else self.function.__name__

    @cached_property
    def defaults(self) -> Options:
        """Return the parameters of the function with their defaults."""
        parameters = signature(self.function).parameters.values()
        if not self.only_in_other_libraries:
            return {each.name: each.default for each in parameters}
        own = {each.name: each.default for each in parameters if each.kind is Parameter.KEYWORD_ONLY}
        return {**own, "ties": self.ties, "unjudged": "raise", "zero_division": 0.0}

    @cached_property
    def params(self) -> tuple[str, ...]:
        """Return the parameters of the formula, by their names in calls."""
        others = {*DATA, "average", "zero_division"} if self.needs else NOT_PARAMS
        return tuple(name for name in self.defaults if name not in others)

    def treat_unjudged(self, rule: str) -> str:
        """Return the rule `unjudged` that applies to this metric."""
        return "drop" if self.of_judged and rule != "raise" else rule

    def checked(self, options: Options) -> Options:
        """Check all options, and their combination, of a metric with other inputs than labels and scores."""
        checked: Options = self.check(options)
        if checked.get("average") == "geometric":
            self.check_geometric()
        return checked

    def check_geometric(self) -> None:
        """Check that the metric has a geometric mean."""
        if self.why_no_geometric:
            of = name_in_rule(self.name)
            fail("average", f"be {self.list_averages(self.micro)}{of}", "'geometric'", self.why_no_geometric)

    @cached_property
    def cutoff(self) -> str:
        """Return whether a cutoff in the name is "optional", "required" or not allowed ("none")."""
        if "k" not in self.defaults:
            return "none"
        return "required" if self.defaults["k"] is Parameter.empty else "optional"

    @property
    def why_no_geometric(self) -> str:
        """Return why its values have no geometric mean over queries; empty if they have one."""
        if not self.greater_is_better:
            return "The geometric mean of a loss would depend mostly on its best values, those near 0."
        return "" if self.lower >= 0 else NEGATIVE

    def list_averages(self, micro: bool = False) -> str:
        """Return the allowed values of `average` as text."""
        others = ", 'micro'" * micro + ", 'geometric'" * (not self.why_no_geometric)
        return f"'macro', 'weighted'{others} or None"

    @property
    def prefix(self) -> str:
        """Return the prefix of the name of a scorer."""
        return "" if self.greater_is_better else "neg_"


METRICS: dict[str, Metric] = {}
NEGATIVE = "Values can be negative, so they have no geometric mean."


def name_in_rule(name: str) -> str:
    """Return the end of a rule for `average`: the function that has it, if the user called another one."""
    return "" if name_call("average") == name else f" for {name}"


def find_row(stem: str) -> Metric | None:
    """Find a metric of labels and scores only."""
    metric = METRICS.get(stem)
    return None if metric is None or metric.needs else metric


# Allowed values of options with signed=True, the rule and the reason.
OF_SIGNED = {
    "gain": ("linear", "be 'linear'", "Only sums of debiased clicks are unbiased."),
    "min_relevance": (1, "be left out", "Signed labels are added up without a threshold."),
    "max_grade": (None, "be left out", "Signed labels are added up as they are."),
    "zero_division": (0, "be 0.0", "Queries without a click must count as 0 to keep the mean unbiased."),
}

# Metrics that compare all pairs of documents, for which the score -inf is an ordinary lowest score.
OF_PAIRS = (
    *("group_auc", "pairwise_accuracy", "kendall_tau", "kendall_tau_ap", "spearman"),
    *("average_rank_loss", "rank_sum_loss"),
)
NEED_ALL = (*OF_PAIRS, "fallout_loss", "rbp_residual_loss")  # or count documents that are not relevant
# Metrics that count documents above the cutoff; if no ranking is longer, they count all of them.
COUNT_RETRIEVED = ("recall", "hit_rate", "fallout_loss")

MOST_RANKS = 10**6  # in the ideal ranking of ideal="full"
BY_CUTOFF = ("precision", "f1")  # metrics whose values are divided by the cutoff

Key = tuple[str, float | None]


class Given(NamedTuple):
    """Rows as the caller gave them."""

    y_true: Labels
    y_score: Scores
    groups: Ids = None
    sample_weight: Weights = None
    missed: Any = None  # labels of documents that are not rows
    labels: Mapping[str, Labels] = {}  # by name, for metrics of other labels than `y_true`

    def of_rows(self) -> Options:
        """Return the arguments with an entry per row, by name, without other labels."""
        return {name: getattr(self, name) for name in self._fields[:4]}

    def columns(self) -> Options:
        """Return the arguments with an entry per row, and other labels."""
        return {**self.of_rows(), **{f"labels[{name!r}]": each for name, each in self.labels.items()}}

    def map(self, read: Callable[[Any], Any]) -> "Given":
        """Return the columns that these names, or columns, are read as."""
        found = {name: None if each is None else read(each) for name, each in self.of_rows().items()}
        return self._replace(**found, labels={name: read(each) for name, each in self.labels.items()})


class Rules(NamedTuple):
    """Rules of ranking and averaging, for any metric."""

    ties: str = "average"
    unjudged: str = "raise"
    average: str | None = "macro"
    zero_division: float = 0.0


class Subject(NamedTuple):
    """A metric, and the options that its value depends on."""

    name: str
    labels: str  # the rule `unjudged` of its labels
    min_relevance: float | None = None  # the lowest relevant label; None if labels are gains
    k: int | None = None  # the cutoff of metrics in COUNT_RETRIEVED
    stem: str = ""
    cutoff: int | None = None  # of any metric
    any_label: bool = False  # labels are usually real numbers, such as returns
    by_default: bool = False  # whether `min_relevance` was left out

    @property
    def key(self) -> Key:
        """Return the options for labels that its value depends on."""
        return self.labels, self.min_relevance


class RequestFields(NamedTuple):
    """The fields of a request."""

    name: str  # key of its value in results
    metric: Metric
    params: Arguments
    rules: Rules
    sign: float = 1.0  # -1 for a loss that is used as a score
    scores: str = "given"  # how scores are used: as "given", in "float32", or with later rows first if tied
    highest: float | None = None  # grade in all folds of a call
    column: str | None = None  # name of the labels, if not `y_true`
    own_name: str = ""  # of the metric, if the key is another name


class Request(RequestFields):
    """One requested metric; its properties are cached, because scorers use a request in each call."""

    @cached_property
    def labels(self) -> str:
        """Return the rule for its labels: `unjudged`, or the metric's own."""
        return self.metric.nan_rule or self.rules.unjudged

    @cached_property
    def any_label(self) -> bool:
        """Return whether the metric accepts labels of any sign."""
        return self.metric.any_label or bool(self.params.get("signed"))

    @cached_property
    def label_rules(self) -> LabelRules:
        """Return the rules for reading the labels of this metric."""
        return _join_label_rules([self])

    @cached_property
    def subject(self) -> Subject:
        """Return the options that the value of the metric depends on."""
        of_gains = self.any_label or self.params.get("max_grade") is not None
        threshold = None if of_gains else self.params.get("min_relevance")
        k = self.params["k"] if self.metric.stem in COUNT_RETRIEVED else None
        own = self.metric.stem, self.params.get("k"), self.any_label, isinstance(threshold, Default)
        return Subject(self.name, self.labels, threshold, k, *own)

    def checked(self) -> "Request":
        """Check all options, and their combination, before the data is read."""
        self._check_denominator()  # first, because allowed values differ between metrics
        ties, unjudged, average, zero_division = self.rules
        of_all = {"ties": ties, "average": average, "unjudged": unjudged}
        options = check_options(**of_all, **self.params, zero_division=zero_division)
        rules = Rules(*map(options.pop, Rules._fields))
        rules = rules._replace(unjudged=self.metric.treat_unjudged(rules.unjudged))
        request = self._replace(params=options, rules=rules)
        request.check_together()
        return request

    def checked_by_row(self) -> "Request":
        """Check all options of a metric with other inputs than labels and scores."""
        rules: Options = {}
        if self.metric.per_query:
            self._check_micro()
            rules = {"average": self.rules.average, "zero_division": self.rules.zero_division}
        checked = self.metric.checked({**self.params, **rules})
        params, rules = ({name: checked[name] for name in each} for each in (self.params, rules))
        return self._replace(params=params, rules=Rules(**rules))

    def _check_micro(self) -> None:
        metric = self.metric
        if self.rules.average == "micro" and not metric.micro:
            of = f" with {self.name!r}" if metric.needs else name_in_rule(metric.name)
            fix = "'micro' is available for metrics that are ratios of counts, such as precision and recall."
            fail("average", f"be {metric.list_averages()}{of}", "'micro'", fix)

    def _check_denominator(self) -> None:
        if "denominator" in self.params:
            check_choice("denominator", self.params["denominator"], self.metric.denominators)

    def check_together(self) -> None:
        """Check the combination of options, and that it suits the metric."""
        self._check_denominator()
        self._check_micro()
        if self.rules.average == "geometric":
            self.metric.check_geometric()
            if self.params.get("signed"):
                rule = "be 'macro', 'weighted' or None with signed=True"
                fail("average", rule, "'geometric'", NEGATIVE)
        if self.params.get("denominator") == "hits" and self.rules.ties in ("best", "worst"):
            rule, fix = "be 'average' or 'order' with denominator='hits'", "More hits can lower that value."
            fail("ties", rule, repr(self.rules.ties), fix)
        k = self.params.get("k")
        if self.metric.stem in BY_CUTOFF and (k or 0) >= 10**6 and not self.params.get("adaptive_k"):
            rule, fix = "be below 10**6, because values are divided by it, or None", "Pass k=None"
            fail("k", rule, k, f"{fix} or {'set_' + self.metric.stem!r} for all retrieved documents.")
        if self.params.get("ideal") == "full" and (k is None or k > MOST_RANKS):
            fail("k", f"be an int from 1 to {MOST_RANKS} with ideal='full'", k)
        if self.params.get("weighted_by") == "relevant" and self.rules.average != "weighted":
            rule = "be 'rows' unless average='weighted'"
            fail("weighted_by", rule, "'relevant'", "Pass average='weighted' too.")
        options = {**self.params, "zero_division": self.rules.zero_division}
        for name, (only, rule, why) in OF_SIGNED.items() if self.params.get("signed") else ():
            value = options.get(name, only)
            if not (value is only or (isinstance(value, str | float | int) and value == only)):
                fail(name, f"{rule} with signed=True", repr(value), why)
        graded = "gain" not in self.params and self.params.get("max_grade")
        if graded and self.params.get("min_relevance", 1) != 1:
            fix = "With max_grade, every label above 0 is relevant."
            fail("min_relevance", "be left out with max_grade", repr(self.params["min_relevance"]), fix)


@remember
def request_metric(metric: Metric, *rules: Any, **params: Any) -> Request:
    """Request one metric by its function, with all options checked."""
    return Request("", metric, params, Rules(*rules)).checked()


def keep_label_metrics(requests: Iterable[Request]) -> list[Request]:
    """Return the requests of metrics of labels and scores only."""
    return [request for request in requests if not request.metric.needs]


def find_label_rules(requests: Sequence[Request]) -> LabelRules:
    """Return the rules for reading the labels of all requested metrics."""
    return requests[0].label_rules if len(requests) == 1 else _join_label_rules(requests)


def _join_label_rules(requests: Sequence[Request]) -> LabelRules:
    """Find the rules of several metrics, the strictest of each kind."""
    unjudged = [request.labels for request in requests if not request.metric.nan_rule]
    strictest = "raise" if "raise" in unjudged else (*unjudged, "nonrelevant")[0]
    of_gains_or_classes = [request for request in requests if not request.any_label]
    sign = NOT_NEGATIVE if of_gains_or_classes else ANY_SIGN
    if 0 < len(of_gains_or_classes) < len(requests):
        sign = f"{NOT_NEGATIVE} for {of_gains_or_classes[0].name!r}"
    are_dropped = all(request.labels == "drop" for request in requests)
    ranks_all = any(each.metric.uses_scores or each.metric.stem in OF_PAIRS for each in requests)
    return LabelRules(strictest, sign, are_dropped=are_dropped, ranks_all=ranks_all)
