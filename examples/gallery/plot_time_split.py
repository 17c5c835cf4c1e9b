"""
A split at a date against a random one
======================================

What people like changes. A random split trains on later days than those that it tests, and a model then
knows what it could not know in use. The picture has what two splits promise, and what came true.
"""

# %%
# Synthetic log of 300 users and 300 items over 120 days. How much an item is liked drifts from day to day
# and comes back to its mean. The first 100 days are what we have. The last 20 are the future, which tells
# at the end who was right.

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
# The model asks how often an item was liked at the 20 impressions next in time: neighbours among rows of an
# item, as items are far apart. ``WithinGroupKFold`` tests it on random rows of each user. ``TimeCut`` tests
# it on periods at the end, here three of about 17 days each, and trains on what came before. The metric is
# the AUC per user, which does not depend on how many rows a user has in a test.

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
# Now the future comes.

from sklearn_rank import group_auc_score

model.fit(X_past, y_past)
y_score = model.predict_proba(X[~past])[:, 1]
in_use = float(group_auc_score(y[~past], y_score, groups=users[~past]))
promised = {"random": float(at_random.mean()), "by date": float(at_dates.mean())}
optimism = {name: value - in_use for name, value in promised.items()}
print(f"in use {in_use:.3f}; promised too much: " + ", ".join(f"{n} {v:+.3f}" for n, v in optimism.items()))

# %%
# The random split knew the days after those that it tested, and in use there are none. The split at a date
# was much nearer.

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
    title="What splits promise, and what came true",
)
ax.legend(loc="upper right")
plt.show()
