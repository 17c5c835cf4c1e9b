"""
Splits by date and random splits
================================

Preferences change over time. With a random split, a model trains on days after the tested ones, so it knows
more than it would in practice. The figure shows the scores of two splits, and the true score on later days.
"""

# %%
# A synthetic log of 300 users and 300 items over 120 days. The popularity of an item changes from day to day
# and returns to its mean. The first 100 days are available. The last 20 days are the future, which shows the
# true score at the end.

import numpy as np

random = np.random.default_rng(0)
N_ROWS, N_USERS, N_ITEMS, N_DAYS, TODAY = 60_000, 300, 300, 120, 100
appeal = 2 * random.normal(size=(N_DAYS, N_ITEMS))
for day in range(1, N_DAYS):
    appeal[day] = 0.95 * appeal[day - 1] + np.sqrt(1 - 0.95**2) * appeal[day]

days, users, items = (random.integers(n, size=N_ROWS) for n in (N_DAYS, N_USERS, N_ITEMS))
y = (random.random(N_ROWS) < 1 / (1 + np.exp(1.5 - appeal[days, items]))).astype(int)
X = np.column_stack([1000 * items, days])
past = days < TODAY
print(f"{past.sum()} rows of the past, {(~past).sum()} of the future, {y.mean():.2f} of them likes")

# %%
# The model computes how often an item was liked at the 20 nearest impressions in time; all neighbors belong
# to the same item, because items are far apart. ``WithinGroupKFold`` tests the model on random rows of each
# user. ``TimeCut`` tests it on periods at the end, here three periods of about 17 days, and trains on the
# days before. The metric is the AUC per user, which does not depend on the number of rows of a user in a test
# set.

from sklearn.neighbors import KNeighborsClassifier

from sklearn_rank import TimeCut, WithinGroupKFold, cross_val_score

model = KNeighborsClassifier(20, n_jobs=1)
X_past, y_past, users_past = X[past], y[past], users[past]
options = {"scoring": "group_auc", "groups": users_past}

at_random = cross_val_score(model, X_past, y_past, cv=WithinGroupKFold(5), **options)
cv = TimeCut(3, test_size=1 / 6)
at_dates = cross_val_score(model, X_past, y_past, cv=cv, params={"times": days[past]}, **options)
print(f"random rows: {at_random.round(3)}")
print(f"by the date: {at_dates.round(3)}")

# %%
# Compare with the score on the last 20 days.

from sklearn_rank import group_auc_score

model.fit(X_past, y_past)
y_score = model.predict_proba(X[~past])[:, 1]
in_use = float(group_auc_score(y[~past], y_score, groups=users[~past]))
estimated = {"random": float(at_random.mean()), "by date": float(at_dates.mean())}
optimism = {name: value - in_use for name, value in estimated.items()}
print(f"in use {in_use:.3f}; optimism: " + ", ".join(f"{n} {v:+.3f}" for n, v in optimism.items()))

# %%
# The random split used days after the tested days, which are not available in practice. The split by date was
# much more accurate.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for place, values in enumerate((at_random, at_dates)):
    ax.plot(np.full(len(values), place), values, "o", color=f"C{place}", alpha=0.5)
    ax.plot(place, values.mean(), "_", color=f"C{place}", markersize=40, markeredgewidth=3)
ax.axhline(in_use, color="0.3", linestyle="--", label=f"in use: {in_use:.2f}")
ax.set_xticks([0, 1], ["random rows of each user", "periods at the end"])
ax.set(
    xlabel="Tested on",
    ylabel="AUC per user",
    xlim=(-0.5, 1.5),
    title="Scores of two splits, and the true score",
)
ax.legend(loc="upper right")
plt.show()
