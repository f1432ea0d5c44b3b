"""The process that stays: `lab judge --stdin`, which answers requests about kernels.

Enters: a request as a dictionary (docs/json.md). Leaves: its answer, or LabError. The process starts with the first request and ends with
Python; a cell that is interrupted ends it, and the next one starts another."""
from __future__ import annotations

import atexit
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from transpose_lab import program

Json = dict[str, Any]


class LabError(Exception):
    """No verdict: the kernel does not compile, the request makes no sense, a limit ended the work, or something is missing here."""

    def __init__(self, code: str, message: str, remedy: str = "") -> None:
        super().__init__(message + (f"\n{remedy}" if remedy else ""))
        self.code, self.message, self.remedy = code, message, remedy


def error_of(error: LabError) -> Json:
    """As the key of an answer: who asked reads it and tries again."""
    return {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}


def missing(module: str) -> LabError:
    """A package of Python that is not here, and the line that brings it."""
    name = module.partition(".")[0]
    return LabError("environment", f"The Python package {name} is not here ({sys.executable}).",
                    f"Run: {sys.executable} -m pip install {name}. Or set LAB_PYTHON to a Python that has it.")


def started() -> str:
    """The program, for who starts it with other words. Raises LabError where this package has none for the system."""
    if program.program().suffix == ".wasm":
        raise LabError("environment", f"On {sys.platform} this package has the commands of the course alone.",
                       "Use Linux, WSL or a notebook server for the Python module.")
    return str(program.program())


class Judge:
    """One `lab judge`; any thread may ask, one at a time. `sandbox` walls the compiler in: for kernels of strangers."""

    def __init__(self, *, sandbox: bool = False, cpu_seconds: float = 20, key: str | None = None, words: Sequence[str] = ()) -> None:
        chosen = ["judge", "--stdin", "--cpu-seconds", str(cpu_seconds), *([] if sandbox else ["--no-sandbox"]), *(["--key", key] if key else [])]
        self._words = [*words] or chosen
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0
        self._lock = threading.Lock()
        self._ids = itertools.count(1)

    def ask(self, **request: Any) -> Json:
        """The answer. Keys with None are left out. Raises LabError."""
        line = {"id": next(self._ids), **{key: value for key, value in request.items() if value is not None}}
        answer: Json = json.loads(self.exchange(json.dumps(line)))
        if error := answer.get("error"):
            raise LabError(error["code"], error["message"], error.get("remedy", ""))
        return answer

    def exchange(self, line: str) -> str:
        """The answer to one line, both as they are. Raises LabError where no process answers."""
        with self._lock:
            return self._exchange(line)

    def close(self) -> None:
        """Ends the process; the next request starts another."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.terminate()  # it removes its folders
        try:
            process.communicate(timeout=2)  # closes its pipes
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        except (OSError, ValueError):  # a pipe that is closed already
            process.wait()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._owner != os.getpid():  # after a fork it is the parent's
            self._owner = os.getpid()
            self._process = subprocess.Popen([started(), *self._words], env=program.environment(), stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, text=True, encoding="utf-8", errors="surrogateescape",
                                             start_new_session=True)
        return self._process

    def _exchange(self, request: str) -> str:
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        except BaseException:  # interrupted: what it answers now belongs to no request
            self.close()
            raise
        if not line:
            self.close()
            raise LabError("environment", self._why_it_does_not_start())
        return line

    def _why_it_does_not_start(self) -> str:
        tried = subprocess.run([started(), *self._words], env=program.environment(), input="", capture_output=True, text=True)
        return tried.stderr.strip() or "lab judge ended without an answer. Ask again."


_shared: Judge | None = None


def shared() -> Judge:
    """The one that check, profile, launch and the magics use."""
    global _shared
    if _shared is None:
        _shared = Judge()
        atexit.register(_shared.close)
    return _shared
