#!/usr/bin/env python3
"""docs/calls.md: which calls of the CUDA runtime and its libraries work, and which say that they do not.

Enters: common/run/cudart/*_api.cpp, whose marks (marks.py there) say what is implemented, and common/run/cudart/symbols.txt, all
names that the runtime library exports. Leaves: that page written anew; with --check nothing is written, and the exit code is 1 when
the page is not what the sources say.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CUDART = ROOT / "common" / "run" / "cudart"
sys.path.insert(0, str(CUDART))
import marks  # noqa: E402

PAGE = ROOT / "docs" / "calls.md"
HEAD = """# Calls that work under `lab run`

Made from the sources by `python3 tools/cudart_table.py`; a test fails when this page is stale. What the calls do, and where they are unlike a GPU's:
[run](run.md).
"""

# What stands beside the runtime: a list of symbols each (make_fronts.py).
LIBRARIES = {"cuda": "the driver", "cublas": "cuBLAS", "cublasLt": "cuBLASLt", "curand": "cuRAND", "cufft": "cuFFT",
             "cusparse": "cuSPARSE", "cusolver": "cuSOLVER"}

# What is missing, by subject: the first pattern that fits takes the name.
MISSING = [
    ("graphics and video", r"cuda(Graphics|GL|EGL|VDPAU|EventCreateFromEGL)"),
    ("several processes, other APIs' memory", r"cuda(Ipc|Import|Destroy|External|Signal|Wait)?External|cudaIpc|NvSciSync"
                                              r"|cudaMemPool(Export|Import)"),
    ("textures, surfaces, arrays", r"Texture|Surface|Array|Mipmapped|ChannelDesc"),
    ("graphs", r"Graph|Capture|cudaUserObject"),
    ("kernels loaded at run time", r"cudaLibrary|cudaKernel|cudaGetKernel|cudaGetDriverEntryPoint|cudaGetExportTable|ProcAddress"),
    ("memory", r"Mem|cudaHost"),
    ("the rest", r""),
]


def calls(source):
    """Names that one file implements, in their order; second names of per-thread streams are no calls of their own."""
    found = marks.names(source.read_text(encoding="utf-8"), marks.RUNTIME, marks.ROWS, marks.ENTRY, marks.ENTRY_ROWS, marks.SAME)
    return [name for name in found if not name.startswith("__")]


def subject(source):
    """The first sentence of the file's opening paragraph."""
    first = source.read_text(encoding="utf-8").splitlines()[0].removeprefix("//").strip()
    return first.rstrip(".")


def is_second_name(name):
    return name.startswith("__") or re.search(r"_(ptsz|ptds|v\d+)$", name)


def others(done):
    """How many functions of each library beside the runtime are refused by name."""
    counts = []
    for name, title in LIBRARIES.items():
        symbols = (CUDART / f"{name}_symbols.txt").read_text(encoding="utf-8").split()
        counts.append(f"{len(set(symbols) - done)} of {title}")
    return "are " + ", ".join(counts)


def tables():
    sources = sorted(CUDART.rglob("*_api.cpp"))
    done = {name for source in sources for name in calls(source)}
    aliases = {name for source in sources for name in marks.names(source.read_text(encoding="utf-8"), marks.ALIAS)}
    lines = ["| what | calls that work |", "|---|---|"]
    for source in sources:
        if names := calls(source):
            lines.append(f"| {subject(source)} | {', '.join(f'`{name}`' for name in names)} |")
    every = {name for name in (CUDART / "symbols.txt").read_text(encoding="utf-8").split() if not is_second_name(name)}
    groups: dict[str, list] = {title: [] for title, _ in MISSING}
    for name in sorted(every - done - aliases):
        groups[next(title for title, pattern in MISSING if re.search(pattern, name))].append(name)
    lines += ["", f"{len(done)} calls work. The other {len(every - done - aliases)} of the runtime exist, return "
              f"`cudaErrorNotSupported`, and are named once on standard error; so {others(done)}.",
              "", "| what | calls that do not work |", "|---|---|"]
    lines += [f"| {title} | {', '.join(f'`{name}`' for name in names)} |" for title, names in groups.items() if names]
    return lines


def main():
    wanted = "\n".join([HEAD, *tables()]) + "\n"
    if sys.argv[1:] == ["--check"]:
        stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != wanted
        if stale:
            print("docs/calls.md does not list the calls that common/run/cudart implements. Run: python3 tools/cudart_table.py")
        return stale
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
