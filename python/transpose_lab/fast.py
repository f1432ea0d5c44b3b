"""The fast transpose for arrays of any library (docs/fast.md): permute(out, x, order) on GPU memory, by DLPack; no numpy, no compiler.

Enters: arrays with `__dlpack__`. Leaves: kernels on a stream. The plan is the package's; NVRTC compiles a kernel when it is first used, and
the driver launches it."""
from __future__ import annotations

import ctypes
import functools
import operator
from collections.abc import Sequence
from typing import Any

from transpose_lab import program
from transpose_lab.judge import LabError

_CUDA, _MOST = 2, 64  # DLPack's number of GPU memory; dimensions
_SHARED_BYTES, _MAJOR, _MINOR = 8, 75, 76  # numbers of attributes: of a function, of a device
_HEADERS = {"stddef.h": "typedef unsigned long size_t;", "stdint.h": "".join(
    f"typedef {kind} int{bits}_t; typedef unsigned {kind} uint{bits}_t;" for bits, kind in ((8, "char"), (16, "short"), (32, "int"), (64, "long")))}
_KERNELS = "".join(f'#include "common/fast/{name}.cuh"\n' for name in ("aligned", "narrow", "words"))


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("index", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Launch(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("blocks", ctypes.c_uint), ("threads", ctypes.c_uint), ("shared_bytes", ctypes.c_uint),
                ("parameter_bytes", ctypes.c_uint), ("parameter", ctypes.c_void_p)]


class _Array:
    """What DLPack says of an array; its memory lives as long as the array does."""

    def __init__(self, array: Any, stream: int) -> None:
        self.capsule = array.__dlpack__(stream=stream or 1)  # 1: the default stream
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        t = _Tensor.from_address(pointer(self.capsule, b"dltensor"))
        if t.device != _CUDA:
            raise LabError("bad-request", "An array does not lie in GPU memory.")
        self.bytes, self.device = t.bits * t.lanes // 8, t.index
        self.at = (t.data or 0) + t.byte_offset
        self.shape = t.shape[:t.ndim]
        self.strides = t.strides[:t.ndim] if t.strides else dense(self.shape)


def dense(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in shape[:0:-1]:
        strides.append(strides[-1] * size)
    return strides[::-1][:len(shape)] if shape else []


@functools.lru_cache(None)
def _planner() -> ctypes.CDLL:
    file = program.built("run/permute") / "libtranspose-plan.so"
    if not file.exists():
        raise LabError("environment", f"{file} is not built.", "Run: ./lab setup")
    return ctypes.CDLL(str(file))


@functools.lru_cache(None)
def _driver() -> ctypes.CDLL:
    driver = ctypes.CDLL("libcuda.so.1")
    _done(driver, driver.cuInit(0))
    return driver


@functools.lru_cache(None)
def _nvrtc() -> ctypes.CDLL:
    """The one that is loaded, a simulated GPU's too; else the system's, or the package's."""
    try:
        return ctypes.CDLL("libnvrtc.so.13")
    except OSError:
        return ctypes.CDLL(program.nvrtc() or "libnvrtc.so.12")


def _done(driver: ctypes.CDLL, error: int) -> None:
    if error:
        name = ctypes.c_char_p()
        driver.cuGetErrorString(error, ctypes.byref(name))
        raise LabError("cuda", (name.value or b"error %d" % error).decode())


@functools.lru_cache(None)
def _context(device: int) -> ctypes.c_void_p:
    """The one that CUDA's runtime uses, too."""
    context = ctypes.c_void_p()
    _done(_driver(), _driver().cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    return context


def _compiled(name: bytes, target: str) -> bytes:
    """Machine code; the kernel's name in it lies behind it. For a simulated GPU: PTX."""
    nvrtc, made = _nvrtc(), ctypes.c_void_p()
    texts, names = ((ctypes.c_char_p * 2)(*(text.encode() for text in part)) for part in (_HEADERS.values(), _HEADERS))
    options = [b"-std=c++17", b"-default-device", f"-arch={target}".encode(), b"-I" + str(program.course()).encode()]
    nvrtc.nvrtcCreateProgram(ctypes.byref(made), _KERNELS.encode(), b"kernels.cu", 2, texts, names)
    nvrtc.nvrtcAddNameExpression(made, name)
    error, size, lowered = nvrtc.nvrtcCompileProgram(made, len(options), (ctypes.c_char_p * len(options))(*options)), ctypes.c_size_t(), ctypes.c_char_p()
    what = "ProgramLog" if error else "CUBIN"
    getattr(nvrtc, f"nvrtcGet{what}Size")(made, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(made, text)
    if error:
        raise LabError("compile", text.value.decode(errors="replace"))
    nvrtc.nvrtcGetLoweredName(made, name, ctypes.byref(lowered))
    code = (lowered.value or b"") + b"\0" + text.raw
    nvrtc.nvrtcDestroyProgram(ctypes.byref(made))
    return code


@functools.lru_cache(None)
def _kernel(name: bytes, device: int) -> ctypes.c_void_p:
    driver, found = _driver(), [ctypes.c_int(), ctypes.c_int()]
    for value, attribute in zip(found, (_MAJOR, _MINOR)):
        _done(driver, driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device))
    lowered, _, code = _compiled(name, f"sm_{found[0].value}{found[1].value}").partition(b"\0")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _done(driver, driver.cuModuleLoadData(ctypes.byref(module), code))
    _done(driver, driver.cuModuleGetFunction(ctypes.byref(function), module, lowered))
    return function


def permute(out: Any, x: Any, order: Sequence[int], stream: int = 0) -> None:
    """out = x with its dimensions in this order, as torch.permute(x, order).contiguous(), queued on the stream (a handle; 0: the default one).

    Both lie on one GPU, have elements of 1, 2, 4, 8 or 16 bytes, and do not overlap; `out` is dense and has the new shape; `x` may be a
    view whose strides are not negative. Up to 64 dimensions, of which 8 are left once neighbours that stay neighbours are one."""
    to, of = _Array(out, stream), _Array(x, stream)
    axes, count = [operator.index(axis) for axis in order], len(of.shape)
    axes = [axis + count if axis < 0 else axis for axis in axes]
    if sorted(axes) != list(range(count)) or count > _MOST:
        raise LabError("bad-request", f"{list(order)} is no order of {count} dimensions.")
    if to.shape != [of.shape[axis] for axis in axes] or to.bytes != of.bytes or to.device != of.device or min(of.strides, default=0) < 0:
        raise LabError("bad-request", "The output has another shape, type or GPU than the result, or a stride is negative.")
    if any(size > 1 and stride != wanted for size, stride, wanted in zip(to.shape, to.strides, dense(to.shape))) and 0 not in to.shape:
        raise LabError("bad-request", "The output is not dense.")
    sizes, strides, narrow = ((kind * count)(*values) for kind, values in
                              ((ctypes.c_int64, of.shape), (ctypes.c_int64, of.strides), (ctypes.c_int, axes)))
    planner, driver, device = _planner(), _driver(), of.device
    queue, ignored = ctypes.c_void_p(stream), ctypes.c_void_p()
    _done(driver, driver.cuCtxPushCurrent_v2(_context(device)))
    try:
        launches = ctypes.POINTER(_Launch)()
        planned = planner.lab_plan_permute(ctypes.c_void_p(to.at), ctypes.c_void_p(of.at), count, sizes, strides, narrow, of.bytes,
                                           ctypes.byref(launches))
        if planned < 0:
            raise LabError("bad-request", f"No plan for {of.shape} with strides {of.strides}, {of.bytes} bytes each, by {axes}.")
        for launch in launches[:planned]:
            function = _kernel(launch.kernel, device)
            if launch.shared_bytes > 48 << 10:
                _done(driver, driver.cuFuncSetAttribute(function, _SHARED_BYTES, launch.shared_bytes))
            _done(driver, driver.cuLaunchKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, launch.shared_bytes, queue,
                                                (ctypes.c_void_p * 1)(launch.parameter), None))
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(ignored))
