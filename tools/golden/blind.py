"""Programs that no one chose: kernels drawn by a seed, what an H200 and an H100 took for them, and what the model of time had said before (tests/golden/blind.csv).

Place in the flow. Enters: SOURCES with a folder OWNER+NAME for each repository; FOLDER with programs.txt (`draw`), the programs of its lines as built/N, which
you built yourself (none is part of this project). Leaves, in this order:
    blind.py draw SOURCES FOLDER [SEED EARLIER]   FOLDER/programs.txt: at most 16 programs a repository (90 of a suite with a folder for each), the order by
                                          the seed; none that the list EARLIER names
    blind.py measure FOLDER               needs a GPU: FOLDER/time_N.csv, one pass of Nsight Compute, caches as the program leaves them; busy_N.csv, all of METRICS
    blind.py count FOLDER [GPU]           FOLDER/counted/N.json: `lab run`, 60 s at most; all programs for a GPU, without one those that are in blind.csv
    blind.py write FOLDER SOURCES CALL GPU   tests/golden/blind.csv, a row for each of the first three kernels and shapes of a program that last 3 µs at least;
                                          the rows of other calls stay
    blind.py recount FOLDER               after `count`: only what the model reads (time_model.WORK); what was measured and what had been said stay
A program that reads its input, needs a library, uses managed memory, or has a name that another file here has is not drawn. Column `half` is by a hash of the
program: the model may be changed on seeing `seen`, which calibrates its rates, too, never on seeing `kept`. Column `call`: no model was changed between the draw and the writing of its rows, from
call 2 on; calls 3 to 6 have their own seeds ("blind 27 November 2026, third call", "…, fourth call", "blind 28 November 2026, d22dabf3, fifth call",
"blind 1 December 2026, sixth call") and repositories that no earlier call has. From call 5 on `said_ns` is the kernel alone. Counts serve both GPUs (time_model.MEASURED).
"""
import csv
import hashlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/golden"), str(ROOT / "tools")]
import limiters  # noqa: E402

import time_model  # noqa: E402

SEED = "blind 27 November 2026"
GOLDEN = ROOT / "tests/golden"
TABLE = GOLDEN / "blind.csv"
LAUNCHES, LEAST_NS, MOST_KERNELS = 8, 3000, 3
MEASURED = ["call", "gpu", "half", "program", "commit", "kernel", "grid", "block", "launches", "ns", *limiters.PARTS, "instructions_run", "registers", "said_ns", "said"]
NEEDS = re.compile(r"#\s*include\s*[<\"][^>\"]*(cudnn|mpi\.h|opencv|GL/|cutlass|cute/|nccl|nvshmem|torch|cublas|cufft|cusparse|cusolver|curand\.h|helper_|npp|nvml|"
                   r"cutensor|gtest|catch|SDL|freeimage|boost|Eigen|nvToolsExt|nvtx|matio|netcdf|hdf5)|tcgen05|sm_100", re.I)
UNFIT = re.compile(r"\bscanf\s*\(|std::cin|\bcin\s*>>|cudaMallocManaged|__managed__")
CODE = (".cu", ".cuh", ".h", ".cpp", ".hpp")


def rank(repository, path, seed=SEED):
    return hashlib.sha256(f"{seed} {repository}/{path}".encode()).hexdigest()


def half(program):
    return "kept" if int(hashlib.sha256(f"half {program}".encode()).hexdigest(), 16) % 2 else "seen"


def known_names():
    """Names of programs in other files here, and of the repositories of foreign.csv."""
    names = {Path(row["program"]).name.lower() for row in time_model.golden("suites.csv")}
    rows = time_model.golden("foreign.csv") + time_model.golden("limiters.csv")
    names |= {Path(row["program"]).stem.lower() for row in rows if "/" in row["program"]}
    return names, {row["program"].split("/")[0] for row in time_model.golden("foreign.csv")}


def candidates(repository, names):
    """Paths of programs: a .cu file with main, or in a suite a folder `src/NAME-cuda`."""
    folders = sorted((repository / "src").glob("*-cuda"))
    for folder in folders:
        text = "".join(p.read_text(errors="replace") for p in sorted(folder.rglob("*")) if p.suffix in CODE and p.is_file())
        if folder.name.removesuffix("-cuda").lower() not in names and "__global__" in text and (folder / "Makefile").exists():
            yield f"src/{folder.name}", text
    for path in [] if folders else sorted(repository.rglob("*.cu")):
        text = path.read_text(errors="replace")
        if re.search(r"\bmain\s*\(", text) and path.stem.lower() not in names and "<<<" in text and "__global__" in text:
            yield str(path.relative_to(repository)), text


def draw(sources, folder, seed=SEED, earlier=None):
    drawn_before = {line.split("\t")[0] for line in Path(earlier).read_text(encoding="utf-8").splitlines()} if earlier else set()
    names, repositories = known_names()
    drawn, texts = [], set()
    for repository in sorted(sources.iterdir()):
        if repository.name in repositories:
            continue
        found = []
        for path, text in candidates(repository, names):
            same = hashlib.sha256(re.sub(r"\s+", "", text).encode()).hexdigest()
            if f"{repository.name}/{path}" not in drawn_before and not NEEDS.search(text) and not UNFIT.search(text) and same not in texts:
                texts.add(same)
                found.append(path)
        found.sort(key=lambda path: rank(repository.name, path, seed))
        drawn += [(repository.name, path) for path in found[:90 if found and found[0].endswith("-cuda") else 16]]
    drawn.sort(key=lambda one: rank(one[0], one[1], seed))
    (folder / "programs.txt").write_text("".join(f"{repository}/{path}\n" for repository, path in drawn), encoding="utf-8")


def programs(folder):
    """(number, name, program, its arguments, where it runs). A tab stands before each argument."""
    for n, line in enumerate((folder / "programs.txt").read_text(encoding="utf-8").splitlines(), 1):
        name, *arguments = line.split("\t")
        place = folder / "src" / name
        yield n, name, folder / f"built/{n}", arguments, place if place.is_dir() else place.parent


def measure(folder):
    """One program at a time: two profilers take the GPU's counters from each other."""
    for n, _, program, arguments, place in programs(folder):
        for what, metrics in (("time", limiters.PLAIN["nanoseconds"]), ("busy", ",".join(limiters.METRICS))):
            done = subprocess.run(["timeout", "60", *limiters.PROFILER[:-1], "--kill", "yes", "--launch-count", str(LAUNCHES), "--metrics", metrics, program, *arguments],
                                  cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            rows = [line + "\n" for line in done.stdout.splitlines() if line.startswith('"')]
            (folder / f"{what}_{n}.csv").write_text("".join(rows), encoding="utf-8")


def count(folder, gpu=None):
    wanted = {row["program"]: row["gpu"] for row in time_model.golden(TABLE.name)}
    (folder / "counted").mkdir(exist_ok=True)
    for n, name, program, arguments, place in programs(folder):
        card = gpu or wanted.get(name)
        if not program.exists() or card is None:
            continue
        run = subprocess.Popen([time_model.PROGRAM, "run", "--time", "--as-ptxas", "--gpu", card, "--no-check", "--launches", str(LAUNCHES), "--quiet", "--json",
                                folder / f"counted/{n}.json", program, "--", *arguments], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            run.wait(timeout=60)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGTERM)  # the launches that are done are reported
            try:
                run.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()


def profiled(path):
    rows = list(csv.reader(path.read_text(encoding="utf-8", errors="replace").splitlines())) if path.exists() else []
    return [dict(zip(rows[0], row)) for row in rows[2:] if len(row) == len(rows[0])]


def value(row, metric):
    text = row.get(metric, "").replace(",", "")
    return float(text) if text and text != "nan" else None


def size_of(row, column):
    return [int(number) for number in re.findall(r"\d+", row[column])]


def shapes(folder, n):
    """(kernel, grid, block) → the launches of a program with these: nanoseconds, what the simulator says, how busy the parts were."""
    found: dict[tuple[str, str, str], list[tuple[float, dict, dict]]] = {}
    busy, path = profiled(folder / f"busy_{n}.csv"), folder / f"counted/{n}.json"
    said = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    for k, (row, mine) in enumerate(zip(profiled(folder / f"time_{n}.csv"), said)):
        if mine["stopped"] or size_of(row, "Grid Size") != mine["grid"] or size_of(row, "Block Size") != mine["block"]:
            break
        nanoseconds = value(row, limiters.PLAIN["nanoseconds"])
        if nanoseconds is None:
            continue
        more = busy[k] if k < len(busy) and size_of(busy[k], "Grid Size") == mine["grid"] and value(busy[k], limiters.PLAIN["nanoseconds"]) else {}
        name = re.split(r"[(<]", mine["kernel"].removeprefix("void ").replace("(anonymous namespace)::", ""))[0]
        found.setdefault((name, "x".join(map(str, mine["grid"])), "x".join(map(str, mine["block"]))), []).append((nanoseconds, mine, more))
    return found


def with_includes(path, seen):
    if path in seen or not path.is_file():
        return ""
    seen.add(path)
    text = path.read_text(encoding="utf-8", errors="replace")
    for name in re.findall(r"#\s*include\s*\"([^\"]+)\"", text):
        text += "".join(with_includes((folder / name).resolve(), seen) for folder in (path.parent, path.parent.parent))
    return text


def source_of(place):
    return "".join(with_includes(path.resolve(), set()) for path in (sorted(place.glob("*.cu")) if place.is_dir() else [place]))


def body(text, kernel):
    """The text of a kernel, between its braces."""
    for found in re.finditer("__global__", text):
        head = re.search(r"\b" + re.escape(kernel.split("::")[-1]) + r"\s*\(", text[found.end():found.end() + 400])
        depth = 0
        for at in range(text.find("{", found.end() + head.end()), len(text)) if head else ():
            depth += (text[at] == "{") - (text[at] == "}")
            if depth == 0:
                return text[found.start():at]
    return ""


def rows_of(folder, sources, call, gpu, n, name):
    long = {key: seen for key, seen in shapes(folder, n).items() if statistics.median(row[0] for row in seen) >= LEAST_NS}
    text = source_of(sources / name) if long else ""
    if "cudaMallocManaged" in text:
        return
    for key, seen in list(long.items())[:MOST_KERNELS]:
        if re.search(r"\bprintf\s*\(", body(text, key[0])):
            continue
        busy: dict[str, str] = next((row[2] for row in seen if row[2]), {})
        percents = [max(value(busy, unit + limiters.BUSY) or 0 for unit in units) if busy else "" for units in limiters.PARTS.values()]
        more = [round(value(busy, limiters.PLAIN[column]) or 0) if busy else "" for column in ("instructions", "registers")]
        said = time_model.predict([time_model.features(row[1]["modelled"], row[1]["modelled"]) for row in seen], gpu)
        yield [call, gpu, half(name), name, commit_of(folder, name), *key, len(seen), round(statistics.median(row[0] for row in seen)), *percents, *more,
               round(statistics.median(kernel for _, kernel, _ in said) * 1e9), said[0][2], *work_of(seen)]


def commit_of(folder, name):
    """By commits.txt, a line OWNER+NAME COMMIT for each repository. Calls 1 to 4 kept none."""
    lines = (folder / "commits.txt").read_text(encoding="utf-8").splitlines() if (folder / "commits.txt").exists() else []
    return next((line.split()[1][:12] for line in lines if line.split()[0] == name.split("/")[0]), "")


def work_of(seen):
    """The launch that takes as long as most: a grid of one size may get more to do from launch to launch."""
    launch = sorted(seen, key=lambda row: row[0])[(len(seen) - 1) // 2][1]["modelled"]
    work = time_model.features(launch, launch)
    return [work[column] for column in time_model.WORK]


def write(folder, sources, call, gpu):
    columns = [*MEASURED, *time_model.WORK]
    rows = [{"commit": "", **row} for row in time_model.golden(TABLE.name) if (row["call"], row["gpu"]) != (call, gpu)]
    for n, name, *_ in programs(folder):
        rows += [dict(zip(columns, row)) for row in rows_of(folder, sources, call, gpu, n, name)]
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows([row.get(column, "") for column in columns] for row in sorted(rows, key=lambda row: (row["gpu"] == "h100", row["call"])))


def recount(folder):
    work = {(name, *key): work_of(seen) for n, name, *_ in programs(folder) for key, seen in shapes(folder, n).items()}
    rows = time_model.golden(TABLE.name)
    missing = {row["program"] for row in rows if (row["program"], row["kernel"], row["grid"], row["block"]) not in work}
    print(f"{len(missing)} programs keep what was counted before:", *sorted(missing))
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*MEASURED, *time_model.WORK])
        for row in rows:
            before = [row.get(column) or 0 for column in time_model.WORK]
            out.writerow([*(row[column] for column in MEASURED), *work.get((row["program"], row["kernel"], row["grid"], row["block"]), before)])


def main():
    command, *words = sys.argv[1:] or [""]
    match command, words:
        case "draw", [sources, folder, *more] if len(more) in (0, 2):
            draw(Path(sources).resolve(), Path(folder).resolve(), *more)
        case "measure", [folder]:
            measure(Path(folder).resolve())
        case "count", [folder, *gpu] if len(gpu) < 2:
            count(Path(folder).resolve(), *gpu)
        case "write", [folder, sources, call, gpu]:
            write(Path(folder).resolve(), Path(sources).resolve(), call, gpu)
        case "recount", [folder]:
            recount(Path(folder).resolve())
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
