"""The simulated GPU inside of this Python: for numba and Triton in a notebook.

Enters: a Python in which no CUDA library is loaded yet. Leaves: our driver, runtime and NVRTC in their place, since the loader takes a library
that is loaded already for any later request by its name; and what each launch did, from one mark to the next. Packages that carry CUDA's
runtime inside of them (CuPy, PyTorch) need a process of their own: `lab run python3 script.py`, or %%lab_run --python."""
from __future__ import annotations

import atexit
import ctypes
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from transpose_lab import program
from transpose_lab.judge import LabError, shared, started
from transpose_lab.results import Launch, Run

_RUNTIME, _DRIVER = "libcudart.so.13", "libcuda.so.1"
_LIBRARIES = (_RUNTIME, _DRIVER, "libnvJitLink.so.13", "libnvrtc.so.13")  # the others look for the first
_records: Path | None = None
_read = 0


def _loaded(name: str) -> str:
    """The file that is loaded under this name, or ""."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    return next((line.split()[-1] for line in maps.splitlines() if f"/{name}" in line), "")


def simulate(gpu: str = "h200") -> None:
    """From now on CUDA in this Python is the simulated GPU. Call it before numba or triton is imported."""
    global _records
    if _records is not None:
        return
    lab, folder = started(), program.built("run/cudart")
    if not (folder / _RUNTIME).exists():
        raise LabError("environment", f"{folder / _RUNTIME} is not built.", "Run: ./lab setup")
    if other := _loaded("libcuda.so"):
        raise LabError("environment", f"A CUDA driver is loaded already: {other}.",
                       "Restart the kernel, and call simulate() before numba, triton or torch is imported.")
    tried = subprocess.run([lab, "run", "--quiet", "--gpu", gpu, sys.executable, "-c", "pass"], env=program.environment(),
                           capture_output=True, text=True)  # at its first launch the runtime would end this process
    if tried.returncode != 0:
        raise LabError("bad-request", tried.stderr.strip())
    handle, name = tempfile.mkstemp(prefix="lab-launches-")
    os.close(handle)
    _records = Path(name)
    atexit.register(_records.unlink, missing_ok=True)
    os.environ.update(LAB_RUN_RECORDS=name, LAB_RUN_LINES="1", LAB_RUN_GPU=gpu, LAB_RUN_GPUS="1", LAB_RUN_NO_LEAKS="1",
                      NUMBA_CUDA_DRIVER=str(folder / _DRIVER), TRITON_LIBCUDA_PATH=str(folder), TRITON_PTXAS_PATH=str(folder / "ptxas"),
                      TRITON_PTXAS_BLACKWELL_PATH=str(folder / "ptxas"), TRITON_CACHE_DIR=str(program.cache() / "triton"))
    warnings.filterwarnings("ignore", r"libnvJitLink\.so\* is too old", RuntimeWarning)  # ours, to numba: as intended
    os.environ.setdefault("LAB_RUN_NVRTC", program.nvrtc())
    for library in _LIBRARIES:
        ctypes.CDLL(str(folder / library), mode=ctypes.RTLD_GLOBAL)


def launches() -> Run:
    """The launches since the last call."""
    global _read
    if _records is None:
        raise LabError("bad-request", "This Python has no simulated GPU.", "Call transpose_lab.simulate() first.")
    with _records.open("rb") as file:
        file.seek(_read)
        new = file.read()
    whole = new[:new.rfind(b"\n") + 1]
    _read += len(whole)
    answer = shared().ask(op="launches", records=whole.decode("utf-8", "replace"))
    return Run([Launch(one) for one in answer["launches"]])
