"""check, profile, launch, run: what the lab does, from Python.

Enters: kernels as text or files. Leaves: the objects of results.py. Raises LabError where there is no verdict."""
from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transpose_lab import program
from transpose_lab.judge import Json, LabError, shared, started
from transpose_lab.results import Check, Launch, Profile, Result, Run

if TYPE_CHECKING:
    Source = str | os.PathLike[str]


def _kernel(source: Source) -> Json:
    """A path, or a word that ends in .cu, names a file; all else is the text of one."""
    if isinstance(source, os.PathLike) or ("\n" not in source and source.strip().endswith((".cu", ".cuh"))):
        return {"file": str(Path(source).absolute())}
    return {"source": source}


def _with_page(result: Result, **request: Any) -> Any:
    result._page = lambda: str(shared().ask(op="page", **request)["html"])
    return result


def check(chapter: int | str, source: Source, *, key: str | None = None) -> Check:
    """Judges a kernel as `lab check` does: check(5, source).passed"""
    kernel = _kernel(source)
    answer = shared().ask(op="check", chapter=chapter, key=key, text=True, **kernel)
    return _with_page(Check(answer, answer.pop("text")), chapter=str(chapter), **kernel)


def profile(source: Source, rows: int = 1024, cols: int = 1024, *, elem_bytes: int | None = None, block: str | None = None, tile: str | None = None,
            entry: str | None = None) -> Profile:
    """Runs a transpose once and counts: profile(source, rows=512, cols=512).counters["global_load"]["sectors"]"""
    kernel = _kernel(source)
    answer = shared().ask(op="profile", rows=rows, cols=cols, elem_bytes=elem_bytes, block=block, tile=tile, entry=entry, text=True, **kernel)
    return _with_page(Profile(answer, answer.pop("text")), rows=rows, cols=cols, entry=entry, **kernel)


def _span(value: Any) -> range:
    """Where its bytes lie; of what does not say so, a place of its own."""
    interface = getattr(value, "__array_interface__", None)
    start = interface["data"][0] if interface else -id(value)
    return range(start, start + (memoryview(value).nbytes if interface else 1))


def _argument(value: Any, name: str, earlier: Mapping[str, range]) -> Json:
    """A number, or a buffer: a numpy array, or anything that has its bytes."""
    if isinstance(value, bool) or (hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0):
        value = value.item() if hasattr(value, "item") else int(value)
    if isinstance(value, int):
        return {"int": int(value)}
    if isinstance(value, float):
        return {"float": value if math.isfinite(value) else str(float(value))}
    try:
        bytes_of = memoryview(value)
    except (TypeError, ValueError):
        raise LabError("bad-request", f"{name} is a {type(value).__name__}.", "Give a number, a numpy array, or another buffer of bytes.") from None
    if "O" in bytes_of.format:
        raise LabError("bad-request", f"{name} holds objects of Python.", "Give it a type of numbers: numpy.asarray(…, dtype=numpy.float32).")
    if not bytes_of.c_contiguous:
        raise LabError("bad-request", f"{name} is not contiguous, as the kernel would see it.", "Give numpy.ascontiguousarray(…).")
    here = _span(value)
    for other, there in earlier.items():
        if here == there:
            return {"buffer": other}  # an array that is given twice is one buffer
        if max(here.start, there.start) < min(here.stop, there.stop):
            raise LabError("bad-request", f"{name} and {other} share some of their bytes.", "Give the same array twice, or copies.")
    return {"name": name, "data": base64.b64encode(bytes_of.tobytes()).decode("ascii")}


_SIZES = {"float": 4, "double": 8, "half": 2, "__half": 2, "__nv_bfloat16": 2, "char": 1, "short": 2, "int": 4, "unsigned": 4, "long": 8}
_KERNEL = re.compile(r"__global__[^{;]*?\b(\w+)\s*\(([^)]*)\)\s*\{")


def _notes(source: Source, entry: str | None, arguments: tuple[Any, ...]) -> list[str]:
    """Arrays whose elements are not those of the kernel's pointers: it reads their bytes as they are, which is seldom meant."""
    kernel = _kernel(source)
    text = kernel.get("source") or Path(kernel["file"]).read_text(encoding="utf-8", errors="replace")
    found = [one for one in _KERNEL.finditer(text) if entry in (None, one[1])]
    parameters = found[0][2].split(",") if len(found) == 1 else []
    notes = []
    for place, (parameter, value) in enumerate(zip(parameters, arguments), 1):
        words = re.findall(r"\w+", parameter.partition("*")[0])
        kind = next((word for word in reversed(words) if word in _SIZES), None)
        if kind is None or "*" not in parameter or not hasattr(value, "dtype") or value.ndim == 0 or value.dtype.itemsize == 1:
            continue
        if value.dtype.itemsize != _SIZES[kind] or (value.dtype.kind == "f") != (kind in ("float", "double", "half", "__half")):
            notes.append(f"Argument {place} holds {value.dtype}, and the kernel takes it for `{' '.join(words)}`: its bytes are read as they are. "
                         "numpy.asarray(…, dtype=…) converts them.")
    return notes


def arguments_of(named: Mapping[str, Any]) -> list[Json]:
    """As `lab judge` takes them, in their order."""
    arguments: list[Json] = []
    spans: dict[str, range] = {}
    for name, value in named.items():
        arguments.append(_argument(value, name, spans))
        if "data" in arguments[-1]:
            spans[name] = _span(value)
    return arguments


def launch(source: Source, grid: int | tuple[int, ...], block: int | tuple[int, ...], *arguments: Any, entry: str | None = None,
           shared_bytes: int = 0) -> Launch:
    """Launches any kernel on numbers and numpy arrays, which hold afterwards what the kernel left in them."""
    sides = lambda size: size if isinstance(size, int) else list(size)
    named = {f"argument {place}": value for place, value in enumerate(arguments, 1)}
    answer = shared().ask(op="launch", entry=entry, grid=sides(grid), block=sides(block), shared_bytes=shared_bytes, arguments=arguments_of(named),
                          **_kernel(source))
    for name, data in answer.pop("buffers").items():
        into = memoryview(named[name])
        if not into.readonly and into.nbytes:
            into.cast("B")[:] = base64.b64decode(data)
    answer["notes"] = [*answer.get("notes", []), *({"message": note} for note in _notes(source, entry, arguments))]
    return Launch(answer)


def explain(code: str) -> str:
    """What a diagnosis means, and what to do."""
    answer = shared().ask(op="explain", code=code)
    return f"{answer['meaning']}\n{answer['remedy']}"


def _ended(process: subprocess.Popen[str]) -> None:
    """Ends it and whatever it started; `lab run` removes its files on the first signal."""
    for which in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, which)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=2)
            return


def _done(command: list[str], stdin: str | None) -> tuple[int, str, str]:
    """Exit code, output and errors of a command. Interrupted, it ends with all its processes."""
    process = subprocess.Popen(command, stdin=None if stdin is None else subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", env=program.environment(), start_new_session=True)
    try:
        output, errors = process.communicate(stdin)
    except BaseException:
        _ended(process)
        raise
    return process.returncode, output, errors


def run(*words: Source, options: tuple[str, ...] = (), stdin: str | None = None) -> Run:
    """Runs a whole program on the simulated GPU, as `lab run` does: run("program.cu"), run("python3", "script.py").
    A single text of several lines is a CUDA program. `options` are those of `lab run`: ("--gpu", "a100")."""
    with tempfile.TemporaryDirectory(prefix="lab-run-") as folder:
        command = [str(word) for word in words]
        if len(command) == 1 and "\n" in command[0]:
            source = Path(folder, "program.cu")
            source.write_text(command[0], encoding="utf-8")
            command = [str(source)]
        report = Path(folder, "launches.json")
        code, output, errors = _done([started(), "run", "--quiet", "--lines", "--json", str(report), *options, *command], stdin)
        if not report.exists():
            raise LabError({2: "bad-request", 3: "environment", 4: "compiler-limit"}.get(code, "does-not-compile"), errors.strip())
        launches = json.loads(report.read_text(encoding="utf-8"))
        return Run([Launch(one) for one in launches], code, output, errors)
