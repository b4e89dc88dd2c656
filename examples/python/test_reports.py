import urllib.error

import pytest

from reports import Reports


def test_a_query_is_issued_once(world):
    assert Reports(world.core, world.key).issue("SELECT 1").isdigit()
    assert world.calls() == {"core.issueJob": 1}


def test_a_query_that_got_503_is_sent_again(world):
    world.fault(operation="core.issueJob", first=1, status=503, retryAfter="1s")
    assert Reports(world.core, world.key).issue("SELECT 1").isdigit()
    assert world.calls() == {"core.issueJob": 2}


def test_it_gives_up(world):
    world.fault(operation="core.issueJob", status=503, headers={"Retry-After": "0"})
    with pytest.raises(urllib.error.HTTPError, match="503"):
        Reports(world.core, world.key).issue("SELECT 1")
    assert world.calls() == {"core.issueJob": 3}
