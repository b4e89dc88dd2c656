"""Steers the mock server Understudy: starts it or finds it, makes a world for each test, plans faults, moves clocks.

It needs the standard library only. Members of requests and answers have the names of the control interface, which
``docs/reference/control.md`` lists: ``world.fault(operation="core.issueJob", status=503, retryAfter="1s")``. Durations are
texts such as ``90s`` or ``1h30m``.
"""

from __future__ import annotations

import atexit
import json
import os
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterable

__all__ = ["Understudy", "UnderstudyError", "World"]


class UnderstudyError(Exception):
    """The mock refused a call, or did not start. ``status`` is 0 where there was no answer."""

    def __init__(self, message: str, status: int = 0, answer: Any = None):
        super().__init__(message)
        self.status, self.answer = status, answer


class Understudy:
    """A running mock: one that ``start`` started, or one that is there already. Close it, or use it in ``with``."""

    def __init__(self, url: str | None = None, token: str | None = None, ca: str | None = None):
        """Finds a mock by its address, such as http://127.0.0.1:4010.

        What is left out is taken from the environment, as ``understudy serve -- COMMAND`` sets it: UNDERSTUDY_URL,
        UNDERSTUDY_CONTROL_TOKEN and UNDERSTUDY_CA, the file of the authority of its certificate.
        """
        self.url = (url or os.environ.get("UNDERSTUDY_URL") or "http://127.0.0.1:4010").rstrip("/")
        self.token = token or os.environ.get("UNDERSTUDY_CONTROL_TOKEN")
        ca = ca or os.environ.get("UNDERSTUDY_CA")
        tls = ssl.create_default_context(cafile=ca) if self.url.startswith("https:") else None
        # Without proxies, which some machines name in the environment for addresses of others.
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=tls)
        )
        self._process: subprocess.Popen | None = None
        self.interfaces: dict[str, str] = self._call("GET", "/version")["interfaces"]
        """The path of each interface that is served, by its name."""

    @classmethod
    def start(cls, *flags: str, binary: str | None = None) -> Understudy:
        """Starts ``understudy serve`` on a free port, with more flags if you like, and waits until it can answer.

        The binary is the one given, that of UNDERSTUDY_BINARY, or ``understudy`` in the path.
        """
        binary = binary or os.environ.get("UNDERSTUDY_BINARY") or "understudy"
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--log-level", "warn", *flags]
        with tempfile.TemporaryFile() as log:
            try:
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
            except OSError as error:
                raise UnderstudyError(f"{binary} cannot be started: {error}; install it, or set UNDERSTUDY_BINARY") from error
            ready = process.stdout.readline()  # comes when the mock can answer
            if not ready:
                process.stdout.close()
                log.seek(os.SEEK_SET)
                raise UnderstudyError(
                    f"{' '.join(command)} ended with {process.wait()}: {log.read().decode(errors='replace').strip()}"
                )
        addresses = json.loads(ready)
        try:
            mock = cls(addresses["url"], ca=addresses.get("ca"))
        except BaseException:
            _end(process)
            raise
        mock._process = process
        atexit.register(mock.close)  # a program that fails must not leave a mock behind
        return mock

    def world(self, scenario: str | None = None, mintKeys: bool = True, **members: Any) -> World:
        """Makes a world: of a scenario, or with ``fork="default"`` of another world, with ``seed``, ``clock`` and ``now``."""
        if scenario is not None:
            members["scenario"] = scenario
        return World(self, self._call("POST", "/worlds", {"mintKeys": mintKeys, **members}))

    def close(self) -> None:
        """Ends the mock if ``start`` started it. The end of the program does so, too."""
        if self._process is not None:
            atexit.unregister(self.close)
            _end(self._process)
            self._process = None

    def __enter__(self) -> Understudy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        request = urllib.request.Request(self.url + "/_understudy" + path, method=method)
        request.add_header("Content-Type", "application/json")
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        if body is not None:
            request.data = json.dumps(body).encode()
        try:
            with self._opener.open(request) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise _refusal(method, path, error) from None
        except OSError as error:
            raise UnderstudyError(f"no mock answers at {self.url}: {error}") from error
        return json.loads(text) if text else None


class World:
    """The state of one account. Nothing that happens in it is seen in others."""

    def __init__(self, mock: Understudy, made: dict):
        self._mock = mock
        self.id: str = made["id"]
        self.keys: dict[str, str] = made.get("keys", {})
        """API keys that lead here whatever address a client uses: ``admin`` and ``write``."""

    @property
    def key(self) -> str:
        """The key of an administrator: a client that has it is in this world."""
        return self.keys["admin"]

    def url(self, interface: str) -> str:
        """The base address of an interface in this world, such as core; the client needs a key of it, too."""
        try:
            return f"{self._mock.url}/_worlds/{self.id}{self._mock.interfaces[interface]}"
        except KeyError:
            raise UnderstudyError(
                f"no interface {interface} is served: want one of {', '.join(self._mock.interfaces)}"
            ) from None

    def fork(self, **members: Any) -> World:
        """Makes a world that begins as this one is now, in microseconds."""
        return self._mock.world(fork=self.id, **members)

    def reset(self) -> None:
        """Takes the world back to what it was when it was made."""
        self._call("POST", "/reset")

    def delete(self) -> None:
        self._call("DELETE", "")

    def checkpoint(self, name: str) -> None:
        """Remembers state and clock under a name."""
        self._call("PUT", f"/checkpoints/{_quote(name)}")

    def restore(self, name: str) -> None:
        """Goes back to a checkpoint."""
        self._call("POST", f"/checkpoints/{_quote(name)}/restore")

    def state(self) -> dict:
        """Everything that the world remembers, as ``load`` takes it."""
        return self._call("GET", "/state")

    def load(self, fixture: dict) -> None:
        """Replaces everything that the world remembers by a fixture: resources by interface and name."""
        self._call("PUT", "/state", fixture)

    def fault(self, **fault: Any) -> dict:
        """Plans what happens to calls from now on: a status, a delay, a broken connection."""
        return self._call("POST", "/faults", fault)

    def stub(self, **stub: Any) -> dict:
        """Plans answers in place of an operation's."""
        return self._call("POST", "/stubs", stub)

    def remove(self, planned: dict) -> None:
        """Removes what ``fault`` or ``stub`` returned."""
        kind = "stubs" if planned["id"].startswith("stub") else "faults"
        self._call("DELETE", f"/{kind}/{_quote(planned['id'])}")

    def clear_faults(self) -> None:
        self._call("DELETE", "/faults")

    def clear_stubs(self) -> None:
        self._call("DELETE", "/stubs")

    def job_result(self, **result: Any) -> dict:
        """Queues the result of a query: ``query``, ``columns``, ``rows``."""
        return self._call("POST", "/jobs/results", result)

    def chat_turn(self, **turn: Any) -> dict:
        """Scripts the answer of an agent."""
        return self._call("POST", "/chats/turns", turn)

    def task_outcome(self, **outcome: Any) -> dict:
        """Says how tasks of workflows end."""
        return self._call("POST", "/attempts/outcomes", outcome)

    def clock(self) -> dict:
        """The time in the world as ``now``, and when the next event is due."""
        return self._call("GET", "/clock")

    def advance(self, duration: str) -> dict:
        """Moves the clock forward, and settles what becomes due."""
        return self._call("POST", "/clock", {"advance": duration})

    def advance_until_idle(self) -> dict:
        """Moves the clock until nothing is under way."""
        return self._call("POST", "/clock", {"untilIdle": True})

    def set_clock(self, mode: str, now: str | None = None) -> dict:
        """Says what moves the clock, ``real``, ``frozen`` or ``auto``, and sets it."""
        return self._call("POST", "/clock", {"mode": mode, **({"now": now} if now else {})})

    def calls(self) -> dict[str, int]:
        """How often each operation was called, by names such as ``core.issueJob``."""
        return self._call("GET", "/journal/counts")["operations"]

    def count(self, **calls: Any) -> int:
        """How many calls fit a description: ``operation``, ``path``, ``caller``, ``request`` …"""
        return self._call("POST", "/journal/counts", calls)["count"]

    def wait(self, count: int = 1, timeout: str = "10s", **calls: Any) -> list[int]:
        """Waits for calls that fit a description. Returns the numbers of their exchanges; raises when the time is over."""
        return self._call("POST", "/journal/wait", {"count": count, "timeout": timeout, **calls})["exchanges"]

    def exchanges(self, limit: int = 100, **filters: Any) -> list[dict]:
        """The last exchanges, oldest first, as rows of the journal: ``method``, ``url``, ``status``, ``operation`` …"""
        query = urllib.parse.urlencode({"order": "desc", "limit": limit, **filters}, doseq=True)
        return self._call("GET", "/journal/rows?" + query)["rows"][::-1]

    def exchange(self, seq: int) -> dict:
        """One exchange in full, without secrets."""
        return self._call("GET", f"/journal/{seq}")

    def describe(self, limit: int = 10) -> str:
        """The last exchanges as text for people, the last of them with its bodies."""
        rows = self.exchanges(limit)
        lines = [_line(row) for row in rows]
        if rows:
            last = self.exchange(rows[-1]["seq"])
            for name in ("request", "response"):
                body = (last.get(name) or {}).get("body") or {}
                if body.get("text"):
                    lines.append(f"    {name}: {body['text'][:1000]}")
        return "\n".join(lines) or "no request has come"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        return self._mock._call(method, f"/worlds/{self.id}{path}", body)


def _line(row: dict) -> str:
    url = urllib.parse.urlsplit(row["url"])
    words: Iterable[str | None] = (
        f"{row['seq']:>4}  {row['method']} {url.path}{'?' + url.query if url.query else ''}",
        f"→ {row['status'] or 'no answer'}",
        row.get("operation"),
        f"[fault: {row['fault']}]" if row.get("fault") else None,
        f"[{'; '.join(row['notes'])}]" if row.get("notes") else None,
    )
    return " ".join(word for word in words if word)


def _refusal(method: str, path: str, error: urllib.error.HTTPError) -> UnderstudyError:
    text = error.read().decode(errors="replace")
    try:
        answer = json.loads(text)
        said = answer["error"]
        message = ": ".join(filter(None, (said.get("field"), said["message"], said.get("hint"))))
    except (ValueError, KeyError, TypeError):
        answer, message = text, text
    return UnderstudyError(f"{method} /_understudy{path}: {error.code}: {message}", error.code, answer)


def _quote(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
