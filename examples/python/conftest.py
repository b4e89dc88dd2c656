"""One mock for all tests, and a world in it for each: no test sees what another does."""

import json
import subprocess
import urllib.request

import pytest


@pytest.fixture(scope="session")
def mock():
    command = ["understudy", "serve", "--listen", "127.0.0.1:0", "--log-level", "warn"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        yield json.loads(process.stdout.readline())  # comes when the mock can answer
        process.terminate()


@pytest.fixture
def world(mock):
    return World(mock)


class World:
    def __init__(self, mock):
        self.core = mock["interfaces"]["core"]
        self.control = mock["control"] + "/worlds"
        made = self._call("", {"scenario": "quickstart", "mintKeys": True})
        self.key = made["keys"]["admin"]  # a client with this key is in this world
        self.control += "/" + made["id"]

    def fault(self, **fault):
        self._call("/faults", fault)

    def calls(self):
        return self._call("/journal/counts")["operations"]

    def _call(self, path, body=None):
        request = urllib.request.Request(self.control + path, headers={"Content-Type": "application/json"})
        if body is not None:
            request.data = json.dumps(body).encode()
        with urllib.request.urlopen(request) as response:
            return json.load(response)
