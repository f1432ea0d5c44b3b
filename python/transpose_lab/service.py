"""`lab judge --stdin --problem FILE`: the operation `solve`, and all others.

Enters: requests on standard input, problem files. Leaves: an answer to each, in the same order. Problems are those of the command line, whoever
asks: a request names one, and brings a kernel alone. What is no `solve` goes to a `lab judge` as it is, and so does its answer."""
from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

from transpose_lab.judge import Judge, LabError, error_of
from transpose_lab.problem import Problem, solve

Json = dict[str, Any]
_KEYS = ("id", "op", "problem", "source", "seed")


def problems_of(files: list[str]) -> dict[str, Problem]:
    """By the names of their files, without `.py`. Raises LabError."""
    problems: dict[str, Problem] = {}
    for file in files:
        name = Path(file).stem
        if name in problems:
            raise LabError("bad-request", f"Two problem files are called {name}.", "Rename one.")
        problems[name] = Problem.read(file)
    return problems


def answer_solve(request: Mapping[str, Any], problems: Mapping[str, Problem], judge: Judge) -> Json:
    """`Solved.json`, or an error."""
    seed, source = request.get("seed"), request.get("source")
    try:
        if unknown := [key for key in request if key not in _KEYS]:
            raise LabError("bad-request", f"\"{unknown[0]}\" is none of these keys: {', '.join(_KEYS)}.")
        name = request.get("problem", next(iter(problems)) if len(problems) == 1 else None)
        if not isinstance(name, str) or name not in problems:
            raise LabError("bad-request", f"\"problem\" is one of: {', '.join(problems)}.")
        if not isinstance(source, str):
            raise LabError("bad-request", "\"source\" is the text of a kernel file.")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise LabError("bad-request", "\"seed\" is a whole number from 0.")
        return solve(problems[name], source, seed=seed, judge=judge).json
    except LabError as error:
        return {**error_of(error), "cost": {}}


class Service:
    """`jobs` requests at a time, each with a `lab judge` of its own."""

    def __init__(self, problems: Mapping[str, Problem], words: list[str], jobs: int) -> None:
        self._problems, self._words = problems, words
        self._local = threading.local()
        self._judges: list[Judge] = []
        self._pool = ThreadPoolExecutor(jobs, initializer=self._start)
        self._answers: queue.Queue[Future[str] | None] = queue.Queue(maxsize=2 * jobs)

    def _start(self) -> None:
        self._local.judge = Judge(words=self._words)
        self._judges.append(self._local.judge)

    def answer(self, line: str) -> str:
        """One line in, one line out."""
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            request = None
        judge: Judge = self._local.judge
        if isinstance(request, dict) and request.get("op") == "solve":
            return json.dumps({"id": request.get("id"), **answer_solve(request, self._problems, judge)}, default=str) + "\n"
        try:
            return judge.exchange(line)
        except LabError as error:
            known = request.get("id") if isinstance(request, dict) else None
            return json.dumps({"id": known, **error_of(error), "cost": {}}) + "\n"

    def _print(self) -> None:
        out = sys.stdout.buffer
        while (answer := self._answers.get()) is not None:
            try:
                out.write(answer.result().encode("utf-8", "surrogateescape"))
                out.flush()
            except BrokenPipeError:  # no reader: no more work
                self.end()

    def serve(self) -> None:
        """Until the end of standard input."""
        printer = threading.Thread(target=self._print)
        printer.start()
        try:
            for line in sys.stdin.buffer:
                text = line.rstrip(b"\n").decode("utf-8", "surrogateescape")
                self._answers.put(self._pool.submit(self.answer, text))
        finally:
            self._answers.put(None)
            printer.join()
            self.close()

    def end(self) -> NoReturn:
        """Now, whatever is still asked."""
        self.close()
        os._exit(0)

    def close(self) -> None:
        for judge in self._judges:
            judge.close()


def main(arguments: list[str]) -> int:
    """The words of common/cli/judge.cpp: `--problem FILE … --jobs N -- WORDS`, the last those of a `lab judge`."""
    parser = argparse.ArgumentParser("lab judge")
    parser.add_argument("--problem", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=1)
    at = arguments.index("--")
    given, words = parser.parse_args(arguments[:at]), arguments[at + 1:]
    try:
        service = Service(problems_of(given.problem), words, given.jobs or os.cpu_count() or 1)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: service.end())
    try:
        service.serve()
    except KeyboardInterrupt:
        service.end()
    return 0
