"""What `lab run` changes of Python packages, right behind their import, in the words of their own settings.

Enters: the start of a Python under `lab run`, which finds this file by PYTHONPATH. Leaves: packages that ask the runtime for each array, so that
what lies beside an array is not the package's own pool; an autotuner that times each configuration once; the lab's CUDA libraries where a package
names a file of NVIDIA's wheels by its whole path. A sitecustomize of the machine's runs too.
"""
import contextlib
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys


def _cupy(module):
    module.cuda.set_allocator(None)
    module.cuda.set_pinned_memory_allocator(None)


def _triton_testing(module):
    bench = module.do_bench
    said = False

    @functools.wraps(bench)
    def once(fn, warmup=0, rep=0, *more, **named):
        nonlocal said
        if not said:
            chinese = os.environ.get("LAB_LANG") == "zh"
            print("lab: Triton 的自动调优在这里每种配置只测几次：时间是模拟的，多测也一样。" if chinese else
                  "lab: Triton's autotuner measures each configuration a few times only: times are simulated, and the same each time.",
                  file=sys.stderr, flush=True)
            said = True
        return bench(fn, 0, 0, *more, **named)
    module.do_bench = once


def _ctypes(module):
    load = module.CDLL.__init__

    @functools.wraps(load)
    def load_ours(library, name, *more, **named):
        ours = os.path.join(_HERE, os.path.basename(os.fsdecode(name))) if name else ""
        load(library, ours if ".so." in ours and os.path.exists(ours) else name, *more, **named)
    module.CDLL.__init__ = load_ours


_HERE = os.path.dirname(os.path.abspath(__file__))
_BEHIND = {"ctypes": _ctypes, "cupy": _cupy, "triton.testing": _triton_testing}


class _Imports(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname not in _BEHIND:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            with contextlib.suppress(AttributeError):  # another version has no such setting
                _BEHIND[fullname](module)
        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _run_other():
    sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.meta_path.insert(0, _Imports())
_run_other()
