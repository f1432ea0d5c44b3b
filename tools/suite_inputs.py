#!/usr/bin/env python3
"""Writes small inputs for the programs of tools/suites.tsv that read files; they are made up, from one seed.

    python3 tools/suite_inputs.py INPUTS RODINIA SAMPLES

INPUTS is the folder that tools/run_suite.py gets as --root inputs=…; RODINIA the fetched suite, two of whose programs read
from ../../data alone; SAMPLES cuda-samples, some of which load kernels or headers that their own build leaves beside them.
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys


def numbers(count, low, high, digits=4):
    return "".join(f"{random.uniform(low, high):.{digits}f}\n" for _ in range(count))


def mesh(cells):
    """Cells with an area and four neighbours, each with a normal; -1 and -2 are walls."""
    lines = [f"{cells}"]
    for _ in range(cells):
        lines.append(f"{1 + 0.1 * random.random():.5f}")
        for _ in range(4):
            neighbour = random.choice([random.randrange(1, cells + 1)] * 8 + [-1, -2])
            lines.append(" ".join([str(neighbour), *(f"{random.uniform(-0.3, 0.3):.5f}" for _ in range(3))]))
    return "\n".join(lines) + "\n"


def graph(nodes):
    edges = 3 * nodes
    lines = [str(nodes), *(f"{3 * node} 3" for node in range(nodes)), "", "0", "", str(edges)]
    return "\n".join(lines + [f"{random.randrange(nodes)} 1" for _ in range(edges)]) + "\n"


def hurricanes(count):
    return "".join(f"{1950 + k % 50:4} {k % 12 + 1:2} {k % 28 + 1:2} {k % 4 * 6:2} {k % 100:2} ANNA      {random.uniform(0, 60):5.1f} "
                   f"{random.uniform(0, 100):5.1f}  100   10\n" for k in range(count))


def loaded(samples):
    """Kernels as PTX or a fat binary of it, made by nvcc, and the toolkit's headers for NVRTC."""
    headers = pathlib.Path(shutil.which("nvcc") or "nvcc").resolve().parents[1] / "include"
    for kernels in sorted(samples.rglob("*_kernel.cu")):
        text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in kernels.parent.glob("*.cpp"))
        for name in set(re.findall(rf'"({kernels.stem}64\.(?:ptx|fatbin))"', text)):
            subprocess.run(["nvcc", "-" + name.split(".")[1], "-gencode", "arch=compute_75,code=compute_75", kernels, "-o",
                            kernels.parent / name], check=True)
        if "cooperative_groups.h" in kernels.read_text(encoding="utf-8", errors="replace") and "nvrtc" in text:
            for name in ("cooperative_groups.h", "cooperative_groups", "cccl/nv", "cccl/cuda"):
                link = kernels.parent / pathlib.Path(name).name
                if not link.exists():
                    link.symlink_to(headers / name)


def main():
    random.seed(1)
    inputs, rodinia, samples = map(pathlib.Path, sys.argv[1:4])
    loaded(samples)
    files = {
        inputs / "graph.txt": graph(200),
        inputs / "kmeans.txt": "".join(f"{k} " + " ".join(f"{random.random():.4f}" for _ in range(8)) + "\n" for k in range(500)),
        inputs / "cane.db": hurricanes(200),
        inputs / "filelist": f"{(inputs / 'cane.db').resolve()}\n",
        inputs / "temp_64": numbers(64 * 64, 300, 340),
        inputs / "power_64": numbers(64 * 64, 0, 1, 6),
        inputs / "p64x8": numbers(64 * 64 * 8, 0, 10, 6),
        inputs / "mil.txt": "2000\n" + "".join(f"{random.randrange(1000000)}\n" for _ in range(2000)),
        inputs / "command.txt": "j 60 300\nk 100\n",
        inputs / "cfd.domn": mesh(386),
        inputs / "huff.txt": "".join(random.choice("aaabbcdee ") for _ in range(262144)),
        rodinia / "data/myocyte/y.txt": numbers(91, 0, 1, 5),
        rodinia / "data/myocyte/params.txt": numbers(18, 0, 1, 5),
        rodinia / "data/dwt2d/rgb.bmp": "".join(chr(random.randrange(128)) for _ in range(64 * 64 * 3)),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
