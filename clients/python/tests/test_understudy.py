"""Tests of the library alone, without pytest: python3 clients/python/tests/test_understudy.py."""

import json
import os
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

from understudy import Understudy, UnderstudyError


def get(url, key, method="GET", body=None):
    request = urllib.request.Request(url, method=method, data=body and json.dumps(body).encode())
    request.add_header("Authorization", "SVC1 " + key)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as response:
        return json.load(response)


class Steering(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mock = Understudy.start("--clock", "frozen")
        cls.addClassCleanup(cls.mock.close)

    def setUp(self):
        self.world = self.mock.world("quickstart")

    def pools(self, world):
        return [pool["name"] for pool in get(world.url("workflow") + "/api/pools", world.key)["pools"]]

    def make_pool(self, world, name):
        get(world.url("workflow") + "/api/pools", world.key, "POST", {"name": name, "concurrencyLimit": 2})

    def test_worlds_do_not_see_each_other(self):
        other = self.mock.world("quickstart")
        self.make_pool(self.world, "mine")
        self.assertIn("mine", self.pools(self.world))
        self.assertNotIn("mine", self.pools(other))
        fork = self.world.fork()
        self.assertIn("mine", self.pools(fork))
        self.world.reset()
        self.assertNotIn("mine", self.pools(self.world))
        fork.delete()
        with self.assertRaisesRegex(UnderstudyError, "not found") as caught:
            fork.reset()
        self.assertEqual(caught.exception.status, 404)

    def test_a_key_leads_to_its_world(self):
        self.make_pool(self.world, "mine")
        pools = get(self.mock.url + self.mock.interfaces["workflow"] + "/api/pools", self.world.key)["pools"]
        self.assertIn("mine", [pool["name"] for pool in pools])

    def test_checkpoints_and_states(self):
        self.world.checkpoint("before")
        self.make_pool(self.world, "mine")
        dump = self.world.state()
        self.world.restore("before")
        self.assertNotIn("mine", self.pools(self.world))
        self.world.load(dump)
        self.assertIn("mine", self.pools(self.world))

    def test_faults_and_stubs(self):
        fault = self.world.fault(operation="workflow.listPools", status=503)
        with self.assertRaises(urllib.error.HTTPError):
            self.pools(self.world)
        self.world.remove(fault)
        self.world.stub(operation="workflow.listPools", status=200, body={"pools": [{"name": "stubbed"}]}, times=1)
        self.assertEqual(self.pools(self.world), ["stubbed"])
        self.assertEqual(self.world.calls(), {"workflow.listPools": 2})
        self.assertEqual(self.world.count(operation="workflow.listPools"), 2)
        self.world.fault(operation="workflow.listPools", status=503)
        self.world.clear_faults()
        self.world.clear_stubs()
        self.assertNotEqual(self.pools(self.world), ["stubbed"])

    def test_a_mistake_says_what_would_be_right(self):
        with self.assertRaisesRegex(UnderstudyError, "400.*core.isueJob"):
            self.world.fault(operation="core.isueJob", status=503)
        with self.assertRaisesRegex(UnderstudyError, "want one of audience, core"):
            self.world.url("cores")

    def test_the_clock(self):
        before = self.world.clock()["now"]
        self.world.advance("1h")
        self.assertGreater(self.world.clock()["now"], before)
        self.assertTrue(self.world.advance_until_idle()["idle"])
        self.assertEqual(self.world.set_clock("auto")["mode"], "auto")

    def test_queued_results(self):
        self.world.job_result(query="select 1 as one", columns=[["one", "bigint"]], rows=[[7]])
        issue = self.world.url("core") + "/job/issue/trino/shop"
        job = get(issue, self.world.key, "POST", {"query": "select 1 as one"})["job_id"]
        self.world.advance_until_idle()
        self.assertEqual(get(f"{self.world.url('core')}/job/result/{job}?format=json", self.world.key), [7])
        self.world.task_outcome(task="+load", error="locked", times=1)
        self.world.chat_turn(status=429, message="too many requests", times=1)

    def test_waiting_and_the_journal(self):
        self.pools(self.world)
        self.assertEqual(self.world.wait(operation="workflow.listPools"), [1])
        with self.assertRaisesRegex(UnderstudyError, "saw 1 of 2 calls"):
            self.world.wait(2, "10ms", operation="workflow.listPools")
        self.assertEqual(self.world.exchanges(status="4xx"), [])
        self.assertRegex(self.world.describe(), r"   1  GET /\S*/api/pools → 200 workflow.listPools\n +response: {")
        self.assertEqual(self.mock.world().describe(), "no request has come")

    def test_a_mock_that_is_there(self):
        self.assertEqual(Understudy(self.mock.url).interfaces, self.mock.interfaces)

    def test_a_program_that_fails_leaves_no_mock_behind(self):
        script = "import understudy; mock = understudy.Understudy.start(); print(mock.url, flush=True); 1 / 0"
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertIn("ZeroDivisionError", ended.stderr)
        with self.assertRaisesRegex(UnderstudyError, "no mock answers"):
            Understudy(ended.stdout.strip())

    def test_a_mock_that_does_not_start(self):
        with self.assertRaisesRegex(UnderstudyError, "--nonsense"):
            Understudy.start("--nonsense")
        with self.assertRaisesRegex(UnderstudyError, "UNDERSTUDY_BINARY"):
            Understudy.start(binary=os.path.join(os.path.dirname(__file__), "nothing"))
        with self.assertRaisesRegex(UnderstudyError, "no mock answers"):
            Understudy("http://127.0.0.1:1")


if __name__ == "__main__":
    unittest.main()
