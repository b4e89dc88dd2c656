"""Tests of the plugin, each in a pytest of its own: python3 -m pytest clients/python/tests."""

import inspect

import pytest

from test_understudy import get

pytest_plugins = ["pytester"]

PLUGIN = "-punderstudy.pytest_plugin"


@pytest.fixture(autouse=True)
def helper(pytester):
    pytester.makepyfile(helper="import json, urllib.request\n" + inspect.getsource(get))


def test_each_test_has_a_world(pytester):
    pytester.makepyfile("""
        import pytest
        from helper import get

        @pytest.mark.parametrize("name", ["one", "two"])
        def test_it(world, name):
            pools = world.url("workflow") + "/api/pools"
            before = len(get(pools, world.key)["pools"])
            get(pools, world.key, "POST", {"name": "mine", "concurrencyLimit": 1})
            assert len(get(pools, world.key)["pools"]) == before + 1

        def test_it_may_delete_its_world(world):
            world.delete()
    """)
    pytester.runpytest_subprocess(PLUGIN, "-q").assert_outcomes(passed=3)


def test_the_marker_and_the_flags(pytester):
    pytester.makeini("[pytest]\nunderstudy_flags = --clock frozen --interfaces workflow\n")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.understudy("empty", now="2030-01-01T00:00:00Z")
        def test_it(world, understudy):
            assert world.clock()["mode"] == "frozen"
            assert world.clock()["now"].startswith("2030-01-01")
            assert list(understudy.interfaces) == ["workflow"]
    """)
    pytester.runpytest_subprocess(PLUGIN, "-q", "--strict-markers").assert_outcomes(passed=1)


def test_a_failed_test_shows_its_exchanges(pytester):
    pytester.makepyfile("""
        from helper import get

        def test_it(world):
            get(world.url("workflow") + "/api/pools", world.key)
            assert False
    """)
    result = pytester.runpytest_subprocess(PLUGIN, "-q")
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines([r"-+ exchanges in the world w\d+ -+", r" +1  GET .*/api/pools → 200 workflow.listPools"])


def test_a_mock_that_is_there_is_used(pytester, monkeypatch):
    from understudy import Understudy

    with Understudy.start() as mock:
        monkeypatch.setenv("UNDERSTUDY_URL", mock.url)
        monkeypatch.setenv("UNDERSTUDY_BINARY", "nothing")
        pytester.makepyfile(f"def test_it(understudy): assert understudy.url == {mock.url!r}")
        pytester.runpytest_subprocess(PLUGIN, "-q").assert_outcomes(passed=1)
