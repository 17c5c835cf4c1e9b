"""The five metrics as queries of polars."""

from collections.abc import Callable

from .workloads import Rows


def polars_by_hand(rows: Rows) -> Callable[[], dict[str, float]]:
    """The five metrics written as one query of polars."""
    import polars as pl

    def call() -> dict[str, float]:
        frame = pl.DataFrame({"y": rows.y_true, "s": rows.y_score, "g": rows.groups}).lazy()
        rank = pl.int_range(1, pl.len() + 1).over("g")
        ranked = frame.sort(["g", "s"], descending=[False, True]).with_columns(
            rank=rank, gain=2.0 ** pl.col("y") - 1, hit=(pl.col("y") > 0).cast(pl.Int64)
        )
        ideal = frame.sort(["g", "y"], descending=[False, True]).with_columns(
            rank=rank, gain=2.0 ** pl.col("y") - 1
        )
        discounted = (pl.col("gain") / (pl.col("rank") + 1).log(2)).filter(pl.col("rank") <= 10).sum()
        hits_above = pl.col("hit").cum_sum().over("g")
        by_query = (
            ranked.with_columns(above=hits_above)
            .group_by("g")
            .agg(
                dcg=discounted,
                n=pl.col("hit").sum(),
                n_rows=pl.len(),
                ap=(pl.col("above") / pl.col("rank")).filter(pl.col("hit") > 0).sum(),
                first=pl.col("rank").filter(pl.col("hit") > 0).min(),
                top=pl.col("hit").filter(pl.col("rank") <= 10).sum(),
                ranks=pl.col("rank").filter(pl.col("hit") > 0).sum(),
            )
            .join(ideal.group_by("g").agg(ideal=discounted), on="g")
        )
        some = pl.col("n") > 0
        both = some & (pl.col("n") < pl.col("n_rows"))
        others = pl.col("n_rows") - pl.col("n")
        pairs_lost = pl.col("ranks") - pl.col("n") * (pl.col("n") + 1) / 2
        values = by_query.select(
            pl.when(some)
            .then(pl.col("dcg") / pl.col("ideal"))
            .otherwise(0)
            .mean()
            .alias("ndcg@10(gain=exponential)"),
            pl.when(some).then(pl.col("ap") / pl.col("n")).otherwise(0).mean().alias("map"),
            pl.when(some).then(1 / pl.col("first")).otherwise(0).mean().alias("mrr"),
            (1 - pairs_lost / (pl.col("n") * others)).filter(both).mean().alias("group_auc"),
            pl.when(some).then(pl.col("top") / pl.col("n")).otherwise(0).mean().alias("recall@10"),
        )
        return values.collect().row(0, named=True)

    return call
