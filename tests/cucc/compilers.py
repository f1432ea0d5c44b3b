"""The two compilers as tests call them: a kernel's text in, PTX or messages out."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.drawn.draws import drawn, draws_of_run  # noqa: E402

BUILD = pathlib.Path(os.environ.get("LAB_BUILD", ROOT / "build"))
HEADERS = ["-I.", "-Icommon/kernel/nvrtc_stubs"]


def nvrtc_library():
    """Where ./lab finds NVRTC; "" where there is none."""
    said = subprocess.run([os.environ["LAB_PROGRAM"], "doctor", "--json"], capture_output=True, text=True, env={**os.environ, "LAB_ROOT": str(ROOT)})
    rows = json.loads(said.stdout)["rows"]
    return next((row["where"] for row in rows if row["name"] == "kernel compiler nvrtc" and row["state"] == "ok"), "")


def run(words):
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=120)
    return done.returncode == 0, done.stdout + done.stderr


def builtin_words(source, ptx):
    return [str(BUILD / "common/compile/builtin/lab-cucc"), *HEADERS, "-o", str(ptx), str(source)]


def builtin(source, ptx):
    return run(builtin_words(source, ptx))


def nvrtc(library, source, ptx):
    tree = pathlib.Path(library).parent.parent
    return run([str(BUILD / "common/compile/lab-nvrtc"), library, "-ptx", "-arch=compute_90", "-std=c++20", "-default-device", "-w", "-fmad=false",
                "-lineinfo", *HEADERS, f"-I{tree}/include", f"-I{tree}/include/cccl", "-MD", "-MF", os.devnull, "-o", str(ptx), str(source)])


def both(library, folder, texts):
    """(name, NVRTC's answer, ours) of each text."""
    def one(item):
        name, text = item
        source = pathlib.Path(folder) / f"{name}.cu"
        source.write_text(text, encoding="utf-8")
        return name, nvrtc(library, source, source.with_suffix(".nvrtc.ptx")), builtin(source, source.with_suffix(".builtin.ptx"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, texts.items()))


def seeds(count, kept):
    """Those that once failed, and new ones; LAB_SEED repeats a run, LAB_DRAWS makes it longer."""
    source = drawn("programs for two compilers")
    return [*kept, *(source.randrange(1 << 32) for _ in range(draws_of_run(count)))]
