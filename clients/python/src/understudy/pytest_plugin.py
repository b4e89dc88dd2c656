"""Fixtures of pytest: ``understudy``, one mock for all tests, and ``world``, a world for each.

The mock is the one at UNDERSTUDY_URL if that is set, as below ``understudy serve -- pytest``, and else one that is started
with the flags of the setting ``understudy_flags``. The marker ``understudy`` says what the world of a test is made of. When
such a test fails, its report has the last exchanges of the world.
"""

from __future__ import annotations

import os
from typing import Iterator

import pytest

from . import Understudy, UnderstudyError, World


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("understudy_flags", "flags of understudy serve, for the mock of the tests", type="args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "understudy(scenario=None, seed=…, clock=…, now=…): what the world of a test is made of"
    )


@pytest.fixture(scope="session")
def understudy(pytestconfig: pytest.Config) -> Iterator[Understudy]:
    """The mock."""
    flags = pytestconfig.getini("understudy_flags")
    with Understudy() if os.environ.get("UNDERSTUDY_URL") else Understudy.start(*flags) as mock:
        yield mock


@pytest.fixture
def world(understudy: Understudy, request: pytest.FixtureRequest) -> Iterator[World]:
    """A world of the test's own."""
    marker = request.node.get_closest_marker("understudy")
    made = understudy.world(*marker.args, **marker.kwargs) if marker else understudy.world()
    yield made
    try:
        made.delete()
    except UnderstudyError as error:
        if error.status != 404:  # the test has deleted it
            raise


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    world = getattr(item, "funcargs", {}).get("world")
    if call.when == "call" and report.failed and isinstance(world, World):
        try:
            said = world.describe()
        except UnderstudyError as error:
            said = str(error)
        report.sections.append((f"exchanges in the world {world.id}", said))
