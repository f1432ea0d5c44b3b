"""Any problem, not only transposes: what a kernel gets, what it should leave, what it may cost.

Enters: a problem file, which is Python: a docstring that says what to write, and the names of `Problem`. Leaves: a verdict on drawn sizes, the first
failure with its size and seed. A problem file is the instructor's: it runs here with your rights, and what is wrong with it is a LabError of code
`bad-problem`, no verdict. A kernel runs on the simulated GPU alone."""
from __future__ import annotations

import argparse
import base64
import copy
import inspect
import json
import math
import random
import re
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transpose_lab import html
from transpose_lab.judge import Judge, LabError, missing, shared
from transpose_lab.lab import arguments_of
from transpose_lab.ptx import PtxModule
from transpose_lab.results import Finding

Json = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """`draw(random)` gives a size; `arguments(size, random)` (or `arguments(size)`, the same each time) what the kernel gets, by name, in its order;
    `reference(**arguments)` what the buffers should hold afterwards, by name, or the text of a kernel file, CUDA or PTX, that leaves it there;
    `launch(size)` grid and block. `bounds` are multiples of the ideal count, or counts."""

    task: str
    entry: str
    draw: Callable[[random.Random], Any]
    arguments: Callable[..., Mapping[str, Any]]
    reference: Callable[..., Mapping[str, Any]] | str
    launch: Callable[[Any], tuple[Any, Any]]
    tolerance: float = 0.0
    bounds: Mapping[str, float] = field(default_factory=dict)
    sizes: Sequence[Any] = ()
    draws: int = 4

    def __post_init__(self) -> None:
        number = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
        for name, fits, what in (
                ("entry", isinstance(self.entry, str) and self.entry, "a kernel's name"), ("draw", callable(self.draw), "a function"),
                ("arguments", callable(self.arguments), "a function"), ("launch", callable(self.launch), "a function"),
                ("reference", callable(self.reference) or isinstance(self.reference, str), "a function, or the text of a kernel file"),
                ("tolerance", number(self.tolerance), "a number from 0"), ("draws", isinstance(self.draws, int) and number(self.draws), "a count"),
                ("sizes", isinstance(self.sizes, Sequence) and not isinstance(self.sizes, str), "a list"),
                ("bounds", isinstance(self.bounds, Mapping) and all(map(number, self.bounds.values())), "a dictionary of numbers")):
            if not fits:
                raise _bad(f"{name} is {what}, not {getattr(self, name)!r}")
        if wrong := [str(name) for name in self.bounds if name not in _BOUNDS]:
            raise _bad(f"bounds has no {', '.join(wrong)}; it has {', '.join(_BOUNDS)}")
        if not self.sizes and not self.draws:
            raise _bad("no size is tried: give sizes, or draws above 0")

    @staticmethod
    def read(file: str | Path) -> Problem:
        """Raises LabError when the file lacks something."""
        try:
            names = runpy.run_path(str(file))
        except OSError as error:
            raise LabError("bad-request", f"{file} cannot be read: {error.strerror}.") from None
        except ModuleNotFoundError as error:
            raise missing(error.name or str(error)) from None
        except (Exception, SystemExit) as error:  # whatever an instructor's file does
            raise LabError("bad-problem", f"{file} does not run: {type(error).__name__}: {error}{_line_in(file, error)}.", _SEE) from error
        given = {name: names[name] for name in Problem.__dataclass_fields__ if name in names}
        given["task"] = (names.get("__doc__") or "").strip()
        if lacking := [name for name in ("entry", "draw", "arguments", "reference", "launch") if name not in given]:
            raise LabError("bad-problem", f"{file} is no problem file: it lacks {', '.join(lacking)}.", _SEE)
        try:
            return Problem(**given)
        except LabError as error:
            raise LabError("bad-problem", f"{file}: {error.message}", _SEE) from None

    def asked(self, name: str, *words: Any, **named: Any) -> Any:
        """What a function of the problem says."""
        function = getattr(self, name)
        try:
            return function(*words, **named)
        except Exception as error:  # whatever an instructor's function does
            file = function.__code__.co_filename if hasattr(function, "__code__") else ""
            raise _bad(f"{name} raised {type(error).__name__}: {error}{_line_in(file, error)}") from error


_SEE = "See docs/python.md."
_PTX = re.compile(r"(\s|//[^\n]*\n|/\*.*?\*/)*\.version\b", re.DOTALL)  # what a text in PTX begins with


def _bad(what: str) -> LabError:
    return LabError("bad-problem", f"{what}.", _SEE)


def _line_in(file: str | Path, error: BaseException) -> str:
    """The last line of the problem file that the error passed through."""
    trace, line = error.__traceback__, getattr(error, "lineno", None)
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.endswith(str(file)):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f", line {line}" if line else ""


_BOUNDS = {"sectors": ("global", "sectors", None), "wavefronts": ("shared", "wavefronts", None),
           "sectors_per_ideal": ("global", "sectors", "ideal_sectors"), "wavefronts_per_ideal": ("shared", "wavefronts", "ideal_wavefronts")}


@dataclass
class Solved:
    """A verdict on a kernel for a problem."""

    seed: int
    reward: dict[str, float]
    reached: dict[str, float]
    passed: bool = False
    sizes: list[Any] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    counters: list[Json] = field(default_factory=list)
    cost: dict[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        tried = ", ".join(map(str, self.sizes))
        return (f"passed: sizes {tried}" if self.passed else f"not yet: sizes {tried}; seed {self.seed}") + "".join(f"\n{one}" for one in self.findings)

    def _repr_html_(self) -> str:
        return html.terminal(str(self))

    @property
    def json(self) -> Json:
        """What `lab check --problem --json` prints and `solve` of `lab judge` answers."""
        return {"passed": self.passed, "sizes": self.sizes, "seed": self.seed, "reward": self.reward, "reached": self.reached, "counters": self.counters,
                "findings": [vars(one) for one in self.findings], "cost": self.cost}


_PARTS = ("compiles", "right", "no_faults", "within_bounds")
_ENDED = ("judge-timeout", "judge-memory", "judge-crashed")  # errors of a kernel that ran
_MOST_THREADS, _MOST_BLOCKS = (1024, 1024, 64), (2**31 - 1, 65535, 65535)  # the sides that CUDA launches


def _sides(name: str, extent: Any, most: tuple[int, int, int]) -> list[int]:
    """One to three whole numbers."""
    import numpy as np
    sides = np.ravel(np.asarray(extent, dtype=object)).tolist()
    whole = all(isinstance(side, (int, np.integer)) and not isinstance(side, bool) for side in sides)
    if not whole or not 1 <= len(sides) <= 3:
        raise _bad(f"launch gives {extent!r} as {name}: give a whole number, or one to three of them")
    for side, limit in zip(sides, most):
        if not 1 <= side <= limit:
            raise _bad(f"launch gives {extent!r} as {name}: its sides are from 1 to {', '.join(map(str, most[:len(sides)]))}")
    return [int(side) for side in sides]


def _draws(arguments: Callable[..., Any]) -> bool:
    """Whether it wants the generator of random numbers, too."""
    return sum(each.default is each.empty for each in inspect.signature(arguments).parameters.values()) > 1


@dataclass
class _Trial:
    """One size: what the kernel gets, and what a launch of one leaves in it."""

    problem: Problem
    size: Any
    judge: Judge
    random: random.Random

    def __post_init__(self) -> None:
        import numpy as np
        given = self.problem.asked("arguments", self.size, *([self.random] if _draws(self.problem.arguments) else []))
        if not isinstance(given, Mapping):
            raise _bad(f"arguments gives the kernel's arguments by name, not {type(given).__name__}")
        # A scalar of numpy is a number; all else that is none is a buffer.
        for name, value in given.items():
            if not isinstance(value, (bool, int, float, np.generic, np.ndarray)):
                raise _bad(f"arguments gives {name} as {type(value).__name__}; a kernel gets numbers and numpy arrays")
        self.arguments: dict[str, Any] = {name: np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}
        for name, value in self.arguments.items():
            if isinstance(value, (np.ndarray, np.generic)) and (value.dtype.kind not in "biufc" or not value.size):
                raise _bad(f"arguments gives {name} as {value.size} elements of {value.dtype}, which no kernel gets")
        try:
            grid, block = self.problem.asked("launch", self.size)
        except (TypeError, ValueError):
            raise _bad("launch gives grid and block") from None
        self.grid, self.block = _sides("grid", grid, _MOST_BLOCKS), _sides("block", block, _MOST_THREADS)
        if math.prod(self.block) > _MOST_THREADS[0]:
            raise _bad(f"launch gives {math.prod(self.block)} threads for a block; at most {_MOST_THREADS[0]} run")

    def launched(self, source: str, file: str | None = None) -> tuple[Json, dict[str, Any]]:
        """The answer, and the arrays afterwards. `file`: what messages call the file."""
        import numpy as np
        answer = self.judge.ask(op="launch", source=source, name=file, entry=self.problem.entry, grid=self.grid, block=self.block,
                                arguments=arguments_of(self.arguments))
        left = {name: np.frombuffer(base64.b64decode(data), self.arguments[name].dtype).reshape(self.arguments[name].shape)
                for name, data in answer["buffers"].items()}
        return answer, left

    def wanted(self) -> dict[str, Any]:
        import numpy as np
        if isinstance(self.problem.reference, str):
            if _PTX.match(self.problem.reference):
                return self.left_by_ptx(self.problem.reference)
            try:
                answer, left = self.launched(self.problem.reference)
            except LabError as error:
                raise _bad(f"reference, the kernel, fails for size {self.size}: {error.message}") from None
            if answer["findings"]:
                raise _bad(f"reference, the kernel, fails for size {self.size}: {answer['findings'][0]['message']}")
            return left
        # Copies of its own: what the reference changes reaches no kernel.
        given = self.problem.asked("reference", **copy.deepcopy(self.arguments))
        if not isinstance(given, Mapping) or not given:
            raise _bad("reference gives what buffers hold afterwards, by name")
        wanted = {}
        for name, value in given.items():
            array = self.arguments.get(name)
            if not isinstance(array, np.ndarray):
                raise _bad(f"reference names {name}, which is no buffer of arguments")
            wanted[name] = np.asarray(value)
            if wanted[name].size != array.size or wanted[name].dtype.kind not in "biufc":
                raise _bad(f"reference gives {name} as {wanted[name].size} elements of {wanted[name].dtype}; it has {array.size} of {array.dtype}")
        return wanted

    def left_by_ptx(self, text: str) -> dict[str, Any]:
        """The instructor's own kernel, compiled before: it runs here, as the problem file does, and needs neither the judge's process nor its limits."""
        import numpy as np
        left = copy.deepcopy(self.arguments)
        try:
            module = PtxModule(text)
            entry = self.problem.entry if self.problem.entry in module.entries or len(module.entries) != 1 else None
            ran = module.launch(tuple(self.grid), tuple(self.block), left, entry=entry)
        except LabError as error:
            if error.code == "environment":
                raise
            raise _bad(f"reference, in PTX, fails for size {self.size}: {error.message}") from None
        if ran.findings:
            raise _bad(f"reference, in PTX, fails for size {self.size}: {str(ran.findings[0]).splitlines()[0]}")
        return {name: value for name, value in left.items() if isinstance(value, np.ndarray)}

    def wrong(self, wanted: Mapping[str, Any], left: Mapping[str, Any]) -> Finding | None:
        import numpy as np
        tolerance = self.problem.tolerance
        for name, want in wanted.items():
            got, want = left[name].ravel(), want.ravel().astype(left[name].dtype)
            if tolerance:
                differs = ~np.isclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True)
            else:  # the same bits, but a NaN is as good as another
                bits = lambda array: array.view(np.uint8).reshape(array.size, array.itemsize)
                differs = (bits(got) != bits(want)).any(axis=1) & ~((got != got) & (want != want))
            if differs.any():
                at = int(differs.argmax())
                return Finding("wrong-element",
                               f"size {self.size}: {name}[{at}] is {got[at]}, {want[at]} is right; {int(differs.sum())} of {want.size} are wrong")
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


def solve(problem: Problem, source: str, *, seed: int | None = None, judge: Judge | None = None, file: str | None = None) -> Solved:
    """Runs the kernel on the fixed sizes and on drawn ones, each with arguments of its own, until one fails. The same seed draws the same sizes.
    `reward` pays no part before every size is right; what a kernel that is not right did reach stands in `reached`."""
    seed = random.SystemRandom().randrange(1 << 31) if seed is None else seed
    draw = random.Random(seed)
    sizes = [*problem.sizes, *(problem.asked("draw", draw) for _ in range(problem.draws))]
    solved = Solved(seed=seed, reward=dict.fromkeys(_PARTS, 0.0), reached=dict.fromkeys(_PARTS, 0.0))
    multiples: dict[str, float] = {}
    right = 0
    for size in sizes:
        solved.sizes.append(size)
        trial = _Trial(problem, size, judge or shared(), draw)
        wanted = trial.wanted()
        try:
            answer, left = trial.launched(source, file)
        except LabError as error:
            if error.code == "environment":
                raise
            solved.reached["compiles"] = float(error.code in _ENDED)
            solved.findings.append(Finding(error.code, error.message, error.remedy))
            return solved
        solved.counters.append(answer["totals"])
        for name, value in answer["cost"].items():
            solved.cost[name] = max(value, solved.cost.get(name, 0)) if name == "memory_bytes" else value + solved.cost.get(name, 0)
        findings = [Finding.of(one) for one in answer["findings"]]
        wrong = None if findings else trial.wrong(wanted, left)
        over, ratios = _over(problem, size, answer["totals"])
        multiples |= {f"least_{name}": max(ratio, multiples.get(f"least_{name}", 0.0)) for name, ratio in ratios.items()}
        right += not findings and wrong is None
        if not solved.findings:  # one size over its bounds is enough to read
            solved.findings += over
        solved.reached = {"compiles": 1.0, "right": right / len(sizes), "no_faults": float(not findings), "within_bounds": float(not solved.findings)}
        if findings or wrong:
            solved.findings = [*findings, *([wrong] if wrong else []), *solved.findings]
            return solved
    solved.passed = not solved.findings
    solved.reward = {**solved.reached, **multiples}
    return solved


def main(arguments: list[str]) -> int:
    """`lab check --problem FILE --kernel KERNEL.cu`."""
    parser = argparse.ArgumentParser("lab check", description="Judges a kernel by a problem file (docs/python.md).")
    parser.add_argument("--problem", required=True, help="the problem file")
    parser.add_argument("--kernel", required=True, help="the kernel file")
    parser.add_argument("--seed", type=int, help="draws the same sizes again")
    parser.add_argument("--sandbox", action="store_true", help="walls the compiler in")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    given = parser.parse_args(arguments)
    judge = Judge(sandbox=given.sandbox)
    try:
        source = Path(given.kernel).read_text(encoding="utf-8", errors="replace")
        name = Path(given.kernel).name
        solved = solve(Problem.read(given.problem), source, seed=given.seed, judge=judge, file=name if name[1:].endswith(".cu") else None)
    except OSError as error:
        print(f"lab: {given.kernel} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return 3 if error.code == "environment" else 2
    finally:
        judge.close()
    print(json.dumps(solved.json, default=str) if given.json else solved)
    return 0 if solved else 1
