"""Number of threads or processes for each `n_jobs`."""

import joblib
import pytest
from joblib.parallel import BACKENDS, ParallelBackendBase, register_parallel_backend

from sklearn_rank._checks.options import count_jobs

N_CORES = joblib.cpu_count()
OWN = ["loky", "threading", "multiprocessing"]


class OfACluster(ParallelBackendBase):
    """A backend that counts the cores of a cluster, as that of Dask does."""

    supports_retrieve_callback = True

    def effective_n_jobs(self, n_jobs):
        return 76

    def submit(self, func, callback=None):
        raise NotImplementedError


@pytest.fixture
def cluster():
    register_parallel_backend("of a cluster", OfACluster)
    with joblib.parallel_backend("of a cluster"):
        yield
    del BACKENDS["of a cluster"]


def test_count_jobs_defaults_to_one():
    assert count_jobs(None) == 1
    assert count_jobs(3) == 3
    assert count_jobs(-1) == N_CORES


@pytest.mark.parametrize("backend", OWN)
def test_count_jobs_none_uses_setting_of_joblib_backend(backend):
    with joblib.parallel_backend(backend, n_jobs=3):
        assert count_jobs(None) == 3
        assert count_jobs(2) == 2
        assert count_jobs(-1) == N_CORES


def test_count_jobs_none_ignores_backend_of_cluster(cluster):
    assert joblib.effective_n_jobs(None) == 76
    assert count_jobs(None) == 1
    assert count_jobs(3) == 3
    assert count_jobs(-1) == N_CORES
    assert count_jobs(-1000) == 1
