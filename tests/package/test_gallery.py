"""Each example of the gallery runs without warnings, and its results support its text."""

import re
import runpy
import sys
import warnings

import pytest

from tests.helpers.pages import ROOT

GALLERY = ROOT / "examples" / "gallery"
NEEDS = {
    "plot_early_stopping": ["lightgbm"],
    "plot_choose_k": [],
    "plot_clicks": [],
    "plot_compare_rankers": [],
    "plot_leak": [],
    "plot_optuna": ["lightgbm"],
    "plot_pairwise": ["lightgbm"],
    "plot_parquet_report": ["pyarrow.parquet"],
    "plot_recommender_auc": [],
    "plot_ties": [],
    "plot_time_split": [],
}
EXAMPLES = sorted(path.stem for path in GALLERY.glob("plot_*.py"))


@pytest.fixture
def run(monkeypatch):
    """Run an example without a screen, and return its variables and its figures."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.close("all")  # figures that pages of the docs leave open

    def run_one(name):
        for library in NEEDS[name]:
            pytest.importorskip(library, reason=f"{name} uses {library}")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = runpy.run_path(str(GALLERY / f"{name}.py"), run_name="__main__")
        return found, [plt.figure(number) for number in plt.get_fignums()]

    yield run_one
    plt.close("all")


def check_figures(figures):
    assert len(figures) == 1
    for axes in figures[0].axes:
        assert axes.get_xlabel()
        assert axes.get_ylabel()


def test_gallery_examples_are_all_tested():
    assert sorted(NEEDS) == EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_gallery_examples_begin_with_title_and_summary(name):
    text = (GALLERY / f"{name}.py").read_text()
    title, line, body = re.match(r'"""\n(.+)\n(=+)\n\n(.+?)\n"""\n\n# %%\n# ', text, re.DOTALL).groups()
    assert len(line) == len(title)
    assert body.endswith(".")


def test_gallery_has_a_title():
    title, line = (GALLERY / "GALLERY_HEADER.rst").read_text().splitlines()[:2]
    assert line == "-" * len(title)  # one level below the title of the examples


@pytest.mark.thorough
def test_plot_early_stopping_stops_by_the_reported_metric(run):
    found, figures = run("plot_early_stopping")
    assert found["logged"] == found["reported"] == max(found["history"])
    assert 1 < found["n_rounds"] < 500
    assert found["n_rounds"] == found["history"].index(found["logged"]) + 1
    assert found["report"].mean["ndcg@10"] < found["logged"]
    check_figures(figures)


@pytest.mark.thorough
def test_plot_compare_rankers_better_one_wins_more_queries(run):
    found, figures = run("plot_compare_rankers")
    assert found["verdict"] == "better"
    assert found["advantage"] > 0.005
    assert found["intervals_overlap"]
    assert found["wins"] > found["losses"] > 0
    display = found["display"]
    assert (display.n_wins, display.n_ties, display.n_losses) == (
        found["wins"],
        found["ties"],
        found["losses"],
    )
    check_figures(figures)


@pytest.mark.thorough
def test_plot_leak_ordinary_folds_choose_the_wrong_model(run):
    found, figures = run("plot_leak")
    assert found["leak"]["trees"] > 0.1
    assert abs(found["leak"]["linear"]) < 0.01
    assert found["chosen"] == {"KFold": "trees", "BalancedGroupKFold": "linear", "new queries": "linear"}
    assert "cuts queries" in found["warned"][0]
    check_figures(figures)


def test_plot_recommender_auc_popularity_has_item_auc_of_one_half(run):
    found, figures = run("plot_recommender_auc")
    mean = found["mean"]
    assert mean["popularity"]["users"] > 0.7
    assert mean["popularity"]["items"] == 0.5
    assert mean["factors"]["users"] > mean["popularity"]["users"] + 0.05
    assert mean["factors"]["items"] > 0.7
    assert all(abs(found["pooled"][name] - mean[name]["users"]) > 0.01 for name in mean)
    assert min(found["n_without"].values()) > 0
    check_figures(figures)


def test_plot_ties_row_order_puts_the_constant_system_first(run):
    found, figures = run("plot_ties")
    assert found["first"] == {"sklearn:ndcg(k=10)": "fine", "trec_eval:ndcg_cut_10": "constant"}
    assert found["luck"]["fine"] == 0
    assert 0.05 < found["luck"]["stars"] < found["luck"]["constant"]
    check_figures(figures)


@pytest.mark.thorough
def test_plot_choose_k_cutoff_decides_how_well_rankers_differ(run):
    found, figures = run("plot_choose_k")
    apart = found["apart"]
    assert apart["ndcg"].min() > 2
    assert apart["ndcg"][9] > apart["ndcg"][0]
    for metric in ("precision", "recall"):
        assert apart[metric][:10].max() > 3
        assert apart[metric][19:39].max() < 2
    assert found["at"]["recall"][39] == 1
    check_figures(figures)


@pytest.mark.thorough
def test_plot_clicks_debiased_clicks_beat_raw_clicks(run):
    found, figures = run("plot_clicks")
    ndcg, pairs = found["ndcg"], found["pairs"]
    assert ndcg["debiased clicks"] > ndcg["raw clicks"] + 0.05
    assert abs(ndcg["debiased clicks"] - ndcg["true labels"]) < 0.02
    assert pairs["debiased clicks"] > pairs["raw clicks"] + 0.01
    check_figures(figures)


@pytest.mark.thorough
def test_plot_time_split_random_split_is_optimistic(run):
    found, figures = run("plot_time_split")
    assert found["optimism"]["random"] > 0.1
    assert abs(found["optimism"]["by date"]) < 0.03
    check_figures(figures)


def test_plot_parquet_report_matches_rows_in_memory(run):
    found, figures = run("plot_parquet_report")
    assert found["largest_difference"] < 1e-15
    with pytest.raises(ValueError, match="Got a report of moments"):
        _ = found["reports"]["old"].values
    assert found["verdicts"] == ["better", "better", "undecided"]
    assert not found["path"].exists()
    check_figures(figures)


@pytest.mark.thorough
def test_plot_pairwise_model_of_pairs_beats_the_booster(run):
    found, figures = run("plot_pairwise")
    assert found["verdict"] == "better"
    assert found["advantage"] > 0.01
    assert found["of_plain"].columns["verdict"][0] != "better"
    assert found["display"].n_wins > found["display"].n_losses
    check_figures(figures)


@pytest.mark.thorough
def test_plot_optuna_study_improves(run):
    pytest.importorskip("optuna", reason="plot_optuna needs Optuna for its study")
    found, figures = run("plot_optuna")
    assert found["gain"] > 0
    assert len(found["values"]) == 15
    check_figures(figures)


def test_plot_optuna_prints_a_note_without_optuna(run, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    found, figures = run("plot_optuna")
    assert capsys.readouterr().out == "Optuna is not installed: pip install optuna\n"
    assert "study" not in found
    assert figures == []
