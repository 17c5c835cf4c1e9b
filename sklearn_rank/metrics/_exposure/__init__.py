"""The exposure that rankings give to the owners of items, or to items with an attribute.

One computation is under all scores: `rows` gives each row its exposure and its utility, under one of the
models of `browsing`; `owners` sums them up; `table` sets them side by side.
"""
