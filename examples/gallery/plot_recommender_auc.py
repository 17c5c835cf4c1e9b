"""
AUC of a recommender per user and per item
==========================================

The AUC per user measures whether the items that a user likes are above the others. The AUC per item measures
whether an item is recommended to the users who like it. The figure shows both for two recommenders; one of
them is good only for users.
"""

# %%
# Synthetic data with 400 users and 300 items. Whether a user likes an item depends on the activity of the
# user, the popularity of the item, and common tastes. Half of the liked items of each user are known. The
# recommender must find the other half.

import numpy as np

random = np.random.default_rng(0)
N_USERS, N_ITEMS, N_TASTES = 400, 300, 3
activity, popularity = random.normal(size=(N_USERS, 1)), random.normal(size=N_ITEMS)
tastes = random.normal(size=(N_USERS, N_TASTES)) @ random.normal(size=(N_TASTES, N_ITEMS))
chance = 1 / (1 + np.exp(4 - activity - popularity - tastes))
liked = random.random((N_USERS, N_ITEMS)) < chance
known = liked & (random.random(liked.shape) < 0.5)
wanted = liked & ~known
print(f"{known.sum()} known, {wanted.sum()} to be found, of {liked.size} pairs")

# %%
# Two recommenders: the popularity of items, which is the same for all users, and a factorization of the known
# pairs.

from sklearn.decomposition import TruncatedSVD

factors = TruncatedSVD(N_TASTES + 1, random_state=0)
scores = {
    "popularity": np.tile(known.mean(axis=0), (N_USERS, 1)),
    "factors": factors.inverse_transform(factors.fit_transform(known.astype(float))),
}

# %%
# ``from_score_matrix`` makes rows of users and items, without the known pairs. Grouped by user, the rows give
# the AUC per user. Grouped by item, they give the AUC per item.

from sklearn_rank import from_score_matrix, group_auc_score

auc = {}
for name, matrix in scores.items():
    y_true, y_score, users, items = from_score_matrix(wanted, matrix, seen=known, return_items=True)
    per_user = group_auc_score(y_true, y_score, groups=users, average=None)
    per_item = group_auc_score(y_true, y_score, groups=items, average=None)
    auc[name] = {"users": per_user, "items": per_item}
    print(f"{name:>10}: {np.nanmean(per_user):.3f} per user, {np.nanmean(per_item):.3f} per item")

# %%
# Popularity is good per user and useless per item: all users have the same score for an item, so its AUC is
# 0.5. A mean over users does not show that.
#
# The AUC of all pairs together is neither of the two. It also compares scores of different users, although no
# ranking contains several users.

from sklearn.metrics import roc_auc_score

mean = {name: {side: float(np.nanmean(each)) for side, each in sides.items()} for name, sides in auc.items()}
pooled = {name: float(roc_auc_score(wanted[~known], matrix[~known])) for name, matrix in scores.items()}
print({name: round(value, 3) for name, value in pooled.items()})

# %%
# Users without an item to find, and items without a user to find, have no AUC and are excluded from the
# means.

n_without = {side: int(np.isnan(auc["factors"][side]).sum()) for side in ("users", "items")}
print(n_without)

# %%
# The figure shows how the AUC varies over users and over items.

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
for ax, side in zip(axes, ("users", "items")):
    for name, color in {"popularity": "C1", "factors": "C0"}.items():
        values = auc[name][side]
        values = np.sort(values[np.isfinite(values)])
        ax.plot(
            values, np.linspace(0, 1, len(values)), color=color, label=f"{name}, mean {values.mean():.2f}"
        )
    ax.axvline(0.5, color="0.6", linestyle=":", label="chance")
    ax.set(xlabel=f"AUC of {side}", ylabel=f"Share of {side} up to this AUC", xlim=(0, 1))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
plt.show()
