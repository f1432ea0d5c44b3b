"""run_ptx: kernels in PTX on numpy arrays, inside of this Python: no compiler, no other process.

Enters: PTX text, a grid, numbers and arrays, which kernels reach at their own addresses. Leaves: `Launch`, and PtxError where there is none.
`python3 -m transpose_lab.ptx_flags` prints what a C compiler needs for the same library (docs/embed.md)."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transpose_lab import program
from transpose_lab.judge import LabError
from transpose_lab.results import Launch

if TYPE_CHECKING:
    Source = str | bytes | os.PathLike[str]
    Sides = int | tuple[int, ...]


class PtxError(LabError):
    """What is wrong with a text, at `line` and `column` (0: unknown), or with a request."""

    def __init__(self, code: str, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(code, message)
        self.line, self.column = line, column


# The structs of transpose_ptx.h, in its order.
class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_char * 32), ("message", ctypes.c_char * 1000), ("line", ctypes.c_int), ("column", ctypes.c_int)]


class _Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("bytes", ctypes.c_uint32), ("align", ctypes.c_uint32), ("kind", ctypes.c_int)]


class _Kernel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("parameters", ctypes.POINTER(_Parameter)), ("parameter_count", ctypes.c_size_t),
                ("shared_bytes", ctypes.c_uint32)]


class _Argument(ctypes.Structure):
    _fields_ = [("value", ctypes.c_char_p), ("bytes", ctypes.c_size_t)]


class _Range(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("name", ctypes.c_char_p), ("flags", ctypes.c_uint32)]


_Dim = ctypes.c_uint32 * 3


class _Request(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("entry", ctypes.c_char_p), ("grid", _Dim), ("block", _Dim), ("cluster", _Dim),
                ("arguments", ctypes.POINTER(_Argument)), ("argument_count", ctypes.c_size_t), ("ranges", ctypes.POINTER(_Range)),
                ("range_count", ctypes.c_size_t), ("shared_bytes", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("host_threads", ctypes.c_uint32),
                ("budget_instructions", ctypes.c_uint64), ("schedule", ctypes.c_uint64)]


_READ_ONLY = 1
_NO_CHECKS, _STOP, _RAW_MEMORY = 1, 2, 4
_WHOLE, _REAL = 1, 2
_REALS = {2: "e", 4: "f", 8: "d"}


@functools.cache
def _library() -> ctypes.CDLL:
    file = program.built("run/embed") / "libtranspose-ptx.so"
    if not file.exists():
        raise LabError("environment", f"{file} is not built.", "Run: ./lab setup")
    library = ctypes.CDLL(str(file))
    error, pointer = ctypes.POINTER(_Error), ctypes.c_void_p
    for name, result, arguments in (("load", pointer, [ctypes.c_char_p, ctypes.c_size_t, error]), ("unload", None, [pointer]),
                                    ("entries", ctypes.c_size_t, [pointer, ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t]),
                                    ("find", ctypes.POINTER(_Kernel), [pointer, ctypes.c_char_p, error]),
                                    ("launch", pointer, [pointer, ctypes.POINTER(_Request), error]), ("free", None, [pointer]),
                                    ("json", ctypes.c_char_p, [pointer])):
        function = getattr(library, f"lab_ptx_{name}")
        function.restype, function.argtypes = result, arguments
    return library


def _asked(name: str, *words: Any) -> Any:
    """What a function of the library gives. Raises PtxError."""
    error = _Error()
    given = getattr(_library(), f"lab_ptx_{name}")(*words, ctypes.byref(error))
    if not given:
        raise PtxError(error.code.decode(), error.message.decode("utf-8", "replace"), error.line, error.column)
    return given


def _bad(message: str) -> PtxError:
    return PtxError("bad-request", message)


def _sides(name: str, sides: Sides) -> Any:
    given = list(sides) if isinstance(sides, (tuple, list)) else [sides]
    if not 1 <= len(given) <= 3 or not all(hasattr(side, "__index__") and 0 <= side < 1 << 32 for side in given):
        raise _bad(f"{name} is {sides!r}: give a whole number, or one to three of them.")
    return _Dim(*(int(side) for side in [*given, 1, 1][:3]))


def _unsigned(name: str, value: int, bits: int) -> int:
    if not hasattr(value, "__index__") or not 0 <= value < 1 << bits:
        raise _bad(f"{name} is {value!r}: give a whole number from 0 to {(1 << bits) - 1}.")
    return int(value)


def _memory(name: str, value: Any) -> tuple[int, int, bool]:
    """Where its bytes lie, how many they are, and whether a kernel may write to them."""
    try:
        bytes_of = memoryview(value)
    except (TypeError, ValueError):
        raise _bad(f"{name} is a {type(value).__name__}. Give a number, a numpy array, or another buffer of bytes.") from None
    if "O" in bytes_of.format:
        raise _bad(f"{name} holds objects of Python. Give it a type of numbers: numpy.asarray(…, dtype=numpy.float32).")
    if ">" in bytes_of.format:
        raise _bad(f"{name} has the bytes of its numbers in the other order than kernels. Give one of the machine's own order: array.astype(numpy.float32).")
    if not bytes_of.c_contiguous:
        raise _bad(f"{name} is not contiguous, as the kernel would see it. Give numpy.ascontiguousarray(…).")
    if interface := getattr(value, "__array_interface__", None):
        return interface["data"][0], bytes_of.nbytes, bytes_of.readonly
    if bytes_of.readonly:
        raise _bad(f"{name} cannot be written. Give a bytearray, or a numpy array.")
    return (ctypes.addressof(ctypes.c_char.from_buffer(value)) if bytes_of.nbytes else 0), bytes_of.nbytes, False


def _number(name: str, value: Any, parameter: _Parameter) -> bytes:
    """As the kernel's parameter has it."""
    size, kind = parameter.bytes, parameter.kind
    if isinstance(value, float) or kind == _REAL:
        if kind == _WHOLE or size not in _REALS:
            raise _bad(f"{name} is {value!r}; the kernel's parameter is a whole number or an address of {size} bytes.")
        try:
            return struct.pack(f"<{_REALS[size]}", value)
        except OverflowError:
            raise _bad(f"{name} is {value!r}, which is too large for a number of {size} bytes.") from None
    try:
        return int(value).to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise _bad(f"{name} is {value}, which does not fit the {size} bytes of the kernel's parameter.") from None


def _text(ptx: Source) -> bytes:
    """A path, or a word that ends in .ptx, names a file; all else is the text of one."""
    if isinstance(ptx, os.PathLike) or (isinstance(ptx, str) and "\n" not in ptx and ptx.endswith(".ptx")):
        try:
            return Path(ptx).read_bytes()
        except OSError as error:
            raise _bad(f"{ptx} cannot be read: {error.strerror}.") from None
    return ptx.encode() if isinstance(ptx, str) else ptx


class PtxModule:
    """A PTX text, loaded; its variables live from launch to launch. Any thread may launch: those of one module take turns."""

    def __init__(self, ptx: Source) -> None:
        text = _text(ptx)
        if not text:
            raise PtxError("bad-ptx", "The PTX text is empty.", 1, 1)
        self._library = _library()
        self._handle = 0
        self._handle = _asked("load", text, len(text))

    def __del__(self) -> None:
        if getattr(self, "_handle", 0):
            self._library.lab_ptx_unload(self._handle)

    @property
    def entries(self) -> list[str]:
        """The names of its kernels, as PTX has them."""
        names = (ctypes.c_char_p * self._library.lab_ptx_entries(self._handle, None, 0))()
        self._library.lab_ptx_entries(self._handle, names, len(names))
        return [name.decode() for name in names if name]

    def launch(self, grid: Sides, block: Sides, args: Iterable[Any] | Mapping[str, Any], check: bool = True, *, entry: str | None = None,
               shared_bytes: int = 0, cluster: Sides | None = None, stop: bool = False, raw: bool = False, host_threads: int = 0,
               schedule: int = 0) -> Launch:
        """`args` by order, or with names for messages (by name where they are the kernel's own): numbers, arrays (kernels get the address), bytes (by
        value), None (a null pointer). `stop`: a finding of a check ends the launch. `raw`: kernels reach all memory of this process, and a wild
        pointer ends it."""
        name = None if entry is None else entry.replace("\0", "\\0").encode()
        kernel = _asked("find", self._handle, name).contents
        named = dict(args) if isinstance(args, Mapping) else {f"argument {place}": value for place, value in enumerate(args, 1)}
        own = [kernel.parameters[place].name.decode() for place in range(kernel.parameter_count)]
        if set(named) == set(own):
            named = {key: named[key] for key in own}
        if len(named) != kernel.parameter_count:
            raise _bad(f"The kernel `{kernel.name.decode()}` has {kernel.parameter_count} parameters, and {len(named)} arguments were given.")
        values: list[bytes] = []
        spans: list[tuple[int, int, bool, str]] = []
        for place, (key, value) in enumerate(named.items()):
            if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
                value = value.item()
            if isinstance(value, bytes):
                values.append(value)
            elif isinstance(value, (bool, int, float)):
                values.append(_number(key, value, kernel.parameters[place]))
            elif value is None:
                values.append(bytes(8))
            else:
                start, size, read_only = _memory(key, value)
                spans.append((start, size, read_only, key))
                values.append(start.to_bytes(8, "little"))
        ranges = _ranges(spans)
        arguments = (_Argument * len(values))(*(_Argument(value, len(value)) for value in values))
        flags = (0 if check else _NO_CHECKS) | (_STOP if stop else 0) | (_RAW_MEMORY if raw else 0)
        request = _Request(ctypes.sizeof(_Request), name, _sides("grid", grid), _sides("block", block),
                           _Dim() if cluster is None else _sides("cluster", cluster), arguments, len(arguments), ranges, len(ranges),
                           _unsigned("shared_bytes", shared_bytes, 32), flags, _unsigned("host_threads", host_threads, 32), 0,
                           _unsigned("schedule", schedule, 64))
        result = _asked("launch", self._handle, ctypes.byref(request))
        try:
            return Launch(json.loads(self._library.lab_ptx_json(result)))
        finally:
            self._library.lab_ptx_free(result)


def _ranges(spans: list[tuple[int, int, bool, str]]) -> Any:
    """One for arrays that share bytes."""
    merged: list[list[Any]] = []
    for start, size, read_only, name in sorted(span for span in spans if span[1]):
        if merged and start < merged[-1][0] + merged[-1][1]:
            last = merged[-1]
            last[1] = max(last[1], start + size - last[0])
            last[2] &= read_only
        else:
            merged.append([start, size, read_only, name])
    lent = [_Range(start, size, name.encode("utf-8", "replace"), _READ_ONLY if read_only else 0) for start, size, read_only, name in merged]
    return (_Range * len(lent))(*lent)


def run_ptx(ptx: Source, grid: Sides, block: Sides, args: Iterable[Any] | Mapping[str, Any], check: bool = True, **how: Any) -> Launch:
    """Runs a kernel of a PTX text (a str, bytes, or a path) once; arrays hold afterwards what it left in them. `how`: as PtxModule.launch."""
    return PtxModule(ptx).launch(grid, block, args, check, **how)
