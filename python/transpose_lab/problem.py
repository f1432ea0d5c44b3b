"""Any problem, not only transposes: what a kernel gets, what it should leave, what it may cost.

Enters: a problem file, which is Python: a docstring that says what to write, and the names of `Problem`. Leaves: a verdict on drawn sizes, the first
failure with its size and seed. A problem file is the instructor's: it runs here with your rights. A kernel runs on the simulated GPU alone."""
from __future__ import annotations

import argparse
import base64
import json
import random
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transpose_lab import html
from transpose_lab.judge import Judge, LabError, shared
from transpose_lab.lab import _argument
from transpose_lab.results import Finding

Json = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """`draw(random)` gives a size; `arguments(size)` what the kernel gets, by name, in its order; `reference(**arguments)` what the buffers should
    hold afterwards, by name; `launch(size)` grid and block, unless the kernel's author may choose. `bounds` are multiples of the ideal count, or counts."""

    task: str
    entry: str
    draw: Callable[[random.Random], Any]
    arguments: Callable[[Any], Mapping[str, Any]]
    reference: Callable[..., Mapping[str, Any]]
    launch: Callable[[Any], tuple[Any, Any]]
    tolerance: float = 0.0
    bounds: Mapping[str, float] = field(default_factory=dict)
    sizes: Sequence[Any] = ()
    draws: int = 4

    @staticmethod
    def read(file: str | Path) -> Problem:
        """Raises LabError when the file lacks something."""
        try:
            names = runpy.run_path(str(file))
        except OSError as error:
            raise LabError("bad-request", f"{file} cannot be read: {error.strerror}.") from None
        known = Problem.__dataclass_fields__
        given = {name: names[name] for name in known if name in names}
        given["task"] = (names.get("__doc__") or "").strip()
        if missing := [name for name in ("entry", "draw", "arguments", "reference", "launch") if name not in given]:
            raise LabError("bad-request", f"{file} is no problem file: it lacks {', '.join(missing)}.", "See docs/python.md.")
        if wrong := [name for name in given.get("bounds", {}) if name not in _BOUNDS]:
            raise LabError("bad-request", f"{file}: there is no bound {', '.join(wrong)}; there are {', '.join(_BOUNDS)}.")
        return Problem(**given)


_BOUNDS = {"sectors": ("global", "sectors", None), "wavefronts": ("shared", "wavefronts", None),
           "sectors_per_ideal": ("global", "sectors", "ideal_sectors"), "wavefronts_per_ideal": ("shared", "wavefronts", "ideal_wavefronts")}


@dataclass
class Solved:
    """A verdict on a kernel for a problem."""

    passed: bool
    sizes: list[Any]
    findings: list[Finding]
    counters: list[Json]
    seed: int
    reward: dict[str, float]

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        tried = ", ".join(map(str, self.sizes))
        return (f"passed: sizes {tried}" if self.passed else f"not yet: sizes {tried}; seed {self.seed}") + "".join(f"\n{one}" for one in self.findings)

    def _repr_html_(self) -> str:
        return html.terminal(str(self))


def _wrong(problem: Problem, size: Any, wanted: Mapping[str, Any], arguments: Mapping[str, Any]) -> Finding | None:
    import numpy as np
    for name, want in wanted.items():
        got, want = np.asarray(arguments[name]).ravel(), np.asarray(want).ravel()
        differs = ~np.isclose(got, want, rtol=problem.tolerance, atol=problem.tolerance, equal_nan=True) if problem.tolerance else got != want
        if differs.any():
            at = int(differs.argmax())
            return Finding("wrong-element", f"size {size}: {name}[{at}] is {got[at]}, {want[at]} is right; {int(differs.sum())} of {want.size} are wrong")
    return None


def _over(problem: Problem, size: Any, totals: Json) -> tuple[list[Finding], dict[str, float]]:
    found, ratios = [], {}
    for name, most in problem.bounds.items():
        space, key, ideal = _BOUNDS[name]
        value = totals[space][key] / max(1, totals[space][ideal]) if ideal else totals[space][key]
        ratios[name] = value
        if value > most + 1e-9:
            found.append(Finding("over-budget", f"size {size}: {name} is {value:g}, at most {most:g} is allowed"))
    return found, ratios


def solve(problem: Problem, source: str, *, seed: int | None = None, judge: Judge | None = None) -> Solved:
    """Runs the kernel on the fixed sizes and on drawn ones, each with arguments of its own, until one fails. The same seed draws the same sizes.
    Results, faults and counts are all in `reward`, each by its name: which of them is worth what is for the caller to say."""
    seed = random.SystemRandom().randrange(1 << 31) if seed is None else seed
    draw = random.Random(seed)
    sizes = [*problem.sizes, *(problem.draw(draw) for _ in range(problem.draws))]
    tried: list[Any] = []
    counters: list[Json] = []
    reward: dict[str, float] = {"compiles": 1.0, "right": 0.0, "no_faults": 0.0, "within_bounds": 0.0}
    right = 0
    for size in sizes:
        tried.append(size)
        arguments = dict(problem.arguments(size))
        wanted = problem.reference(**arguments)
        grid, block = problem.launch(size)
        try:
            answer = (judge or shared()).ask(op="launch", source=source, entry=problem.entry, grid=grid, block=block,
                                             arguments=[_argument(value, name) for name, value in arguments.items()])
        except LabError as error:
            reward["compiles"] = float(error.code != "does-not-compile")
            return Solved(False, tried, [Finding(error.code, error.message, error.remedy)], counters, seed, reward)
        counters.append(answer["totals"])
        for name, data in answer["buffers"].items():
            memoryview(arguments[name]).cast("B")[:] = base64.b64decode(data)
        findings = [Finding.of(one) for one in answer["findings"]]
        wrong = None if findings else _wrong(problem, size, wanted, arguments)
        over, ratios = _over(problem, size, answer["totals"])
        reward |= {f"least_{name}": max(ratio, reward.get(f"least_{name}", 0.0)) for name, ratio in ratios.items()}
        reward["no_faults"] = float(not findings)
        reward["within_bounds"] = float(not over)
        right += not findings and wrong is None
        reward["right"] = right / len(sizes)
        if found := [*findings, *([wrong] if wrong else []), *over]:
            return Solved(False, tried, found, counters, seed, reward)
    return Solved(True, tried, [], counters, seed, reward)


def main(arguments: list[str]) -> int:
    """`lab check --problem FILE --kernel KERNEL.cu`."""
    parser = argparse.ArgumentParser("lab check", description="Judges a kernel by a problem file (docs/python.md).")
    parser.add_argument("--problem", required=True, help="the problem file")
    parser.add_argument("--kernel", required=True, help="the kernel file")
    parser.add_argument("--seed", type=int, help="draws the same sizes again")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args(arguments)
    try:
        source = Path(given.kernel).read_text(encoding="utf-8")
        solved = solve(Problem.read(given.problem), source, seed=given.seed)
    except OSError as error:
        print(f"lab: {given.kernel} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 2
    print(json.dumps({"passed": solved.passed, "sizes": solved.sizes, "seed": solved.seed, "reward": solved.reward, "counters": solved.counters,
                      "findings": [vars(one) for one in solved.findings]}) if given.json else solved)
    return 0 if solved else 1
