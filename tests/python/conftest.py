"""Fixtures of all tests: each test has its own cache folder, apart from the user's."""

import pytest


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("FLORAL_CACHE", str(tmp_path_factory.mktemp("cache")))
