"""The lab's program as WebAssembly: the same sources as Meson compiles, by Emscripten.

Enters: a configured build folder (its list of targets says which files there are and how they are compiled), Emscripten on PATH.
Leaves: lab.js and lab.wasm in that folder's browser/. Only what changed is compiled again.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent)]
from waiting import Waiting  # noqa: E402

INSTALL = "apt install emscripten libjs-codemirror"
HEADERS = ("fmt", "nlohmann", "doctest", "toml++", "CLI")  # libraries that are headers alone, or can be
# The page holds what Meson links into this program, and these two libraries: the compiler, and what stands in for processes and GPUs.
LIKE, BESIDE = "common/cli/lab-course", ("cucc", "browser")
# Files of its libraries that stay outside: processes, compilers and GPUs, which a browser has not.
OUTSIDE = {
    "base": ["file_watch.cpp", "subprocess.cpp"],
    "compile": ["compile_cache.cpp", "compilers.cpp", "sandbox.cpp", "compile_command.cpp", "compile_dependencies.cpp", "compile.cpp", "tools.cpp"],
    "device": ["cuda_driver.cpp", "cublas.cpp", "local_gpu.cpp", "wire.cpp", "gpu_worker.cpp", "gpu_line.cpp", "gpu_module.cpp", "gpu_client.cpp"],
    "explore": ["bench.cpp"], "report": ["bench_text.cpp", "bench_plot.cpp"],
}
# These targets have what the page's commands need, and more: command_files() finds what is needed.
PROGRAMS = ("program_main", "course_tour", "course_commands", "course_tools", "lab")
COMMANDS = [ROOT / "common/cli", ROOT / "common/course/commands"]
DECLARE = ["common/cli/cli.h", "common/course/commands/commands.h"]  # the commands, and what they ask of each other
MEANINGFUL = ("-D", "-I", "-ffp-contract", "-fno-strict-aliasing", "-fno-math-errno", "-fno-trapping-math")
# Exceptions and vectors of WebAssembly: every browser since 2022 has them.
MODES = ["-fwasm-exceptions", "-msimd128"]
# clang would unroll a loop over 32 lanes, and then finds no vectors in what it wrote.
VECTORS = ["-mllvm", "-unroll-full-max-count=16"]
# Large functions that are called once stay so: browsers compile what is hot by whole functions, and the first verdict waits for it.
LARGE = "-sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=100"
LINK = ["-sALLOW_MEMORY_GROWTH", "-sMAXIMUM_MEMORY=4GB", "-sINITIAL_MEMORY=64MB", "-sTOTAL_STACK=4MB", "-sEXIT_RUNTIME", "-sMODULARIZE",
        "-sEXPORT_NAME=createLab", "-sINVOKE_RUN=0", "-sEXPORTED_RUNTIME_METHODS=FS,callMain,ENV", "-sENVIRONMENT=web,worker,node",
        LARGE, "-sIMPORTED_MEMORY", "-Wl,--export=__heap_base"]  # worker.js keeps the memory from run to run


class BuildError(Exception):
    """What went wrong, in a whole sentence."""


def has_emscripten() -> bool:
    return shutil.which("em++") is not None


def environment() -> dict[str, str]:
    """Debian's Emscripten finds Debian's JavaScript libraries only when Debian's Node runs it."""
    path = ":".join(filter(None, [os.environ.get("NODE_PATH"), "/usr/share/nodejs"]))
    return {**os.environ, "NODE_PATH": path}


def command_files() -> set[pathlib.Path]:
    """The files of COMMANDS that commands_browser.cpp leads to, as a linker would find them: by headers, and by calls of what DECLARE has."""
    declared = {name for header in DECLARE for name in re.findall(r"\b(\w+)\(", (ROOT / header).read_text(encoding="utf-8"))}
    defined: dict[str, pathlib.Path] = {}
    for path in sorted(file for folder in COMMANDS for file in folder.glob("*.cpp")):
        seen = re.sub(r"^namespace \{.*?^\}  // namespace$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        names = re.findall(r"^[A-Za-z][\w:<>&* ]* (?:\w+::)?(\w+)\(", seen, re.MULTILINE)
        if not path.name.startswith("commands"):  # lists of commands: one of them is linked
            defined |= dict.fromkeys(declared.intersection(names), path)
    found: set[pathlib.Path] = set()
    waiting = [COMMANDS[0] / "commands_browser.cpp", COMMANDS[0] / "main.cpp", COMMANDS[1] / "kernel_options.cpp"]
    while waiting:
        path = waiting.pop()
        if path in found or not path.exists():
            continue
        found.add(path)
        text = path.read_text(encoding="utf-8")
        headers = [ROOT / name for name in re.findall(r'#include "(common/(?:cli|course/commands)/\w+\.h)"', text) if name not in DECLARE]
        waiting += [file for header in headers for file in (header, header.with_suffix(".cpp"))]
        waiting += [defined[name] for name in set(re.findall(r"\b(\w+)\(", text)) & set(defined)]
    return {path for path in found if path.suffix == ".cpp" and path.name != "commands_browser.cpp"}


def linked_targets(build: pathlib.Path) -> set[str]:
    """The libraries that LIKE is linked from, those that became part of another one too: by the rules that Meson wrote for the linker."""
    rules = dict(re.findall(r"^build (\S+): \S*LINKER\S* (.*)$", (build / "build.ninja").read_text(encoding="utf-8"), re.MULTILINE))
    found: set[str] = set()
    waiting = [LIKE]
    while waiting:
        inputs = rules.get(waiting.pop(), "")
        found.update(re.findall(r"/lib(\w+)\.a\.p/", inputs))
        waiting += [name for name in re.findall(r"\S+\.a\b(?!\.)", inputs) if name in rules]
    if not found:
        raise BuildError(f"{build}/build.ninja does not say what {LIKE} is linked from. Fix LIKE in {__file__}.")
    return found.difference(PROGRAMS) | set(BESIDE)


def units(build: pathlib.Path) -> list[tuple[str, list[pathlib.Path], list[str]]]:
    """What is compiled in one go, several files of a room where Meson does so: a name, the files, their flags as Meson has them."""
    found: list[tuple[str, list[pathlib.Path], list[str]]] = []
    commands, linked = command_files(), linked_targets(build)
    for target in json.loads((build / "meson-info/intro-targets.json").read_text(encoding="utf-8")):
        name = target["name"]
        library = name in linked and target["type"] == "static library"  # a program may have a library's name
        for group in target["target_sources"] if library or name in PROGRAMS else []:
            for files in together(build, group) if "sources" in group else []:  # else the linker's
                wanted = [path for path in files if path.suffix == ".cpp" and
                          (path in commands if name in PROGRAMS else path.name not in OUTSIDE.get(name, []))]
                if wanted:
                    found.append((f"{name}_{len(found)}", wanted, flags_of(name, group["parameters"])))
    if lacking := commands - {path for _, files, _ in found for path in files}:
        names = ", ".join(sorted(path.name for path in lacking))
        raise BuildError(f"no target of the build has these files: {names}. Fix PROGRAMS in {__file__}.")
    return found


def together(build: pathlib.Path, group: dict[str, list[str]]) -> list[list[pathlib.Path]]:
    """A unit stands for what it includes: Meson 1.0 names the unit alone, later ones name the files too."""
    joined = [build / name for name in [*group["sources"], *group.get("generated_sources", [])] if "-unity" in name]
    parts = [[(unit.parent / name).resolve() for name in re.findall(r'#include\s*["<]([^">]+)[">]', unit.read_text(encoding="utf-8"))]
             for unit in joined]
    covered = {path for part in parts for path in part}
    alone = [(build / name).resolve() for name in group["sources"] if build / name not in joined]
    return [*parts, *([path] for path in alone if path not in covered)]


def flags_of(name: str, parameters: list[str]) -> list[str]:
    """What has a meaning for Emscripten's compiler too. What Meson compiles without haste is made small here, save what reads PTX."""
    kept = [word for word in parameters if word.startswith(MEANINGFUL) and not word.startswith(("-D_", "-DTOML", "-DFMT"))]
    level = next((word for word in parameters if word.startswith("-O")), "-O2")
    return [*kept, "-O2" if level in ("-O0", "-O1") else level]


def quoted(words: list[str]) -> str:
    return " ".join("'" + word.replace("$", "$$") + "'" if '"' in word or " " in word else word for word in words)


def write_if_new(path: pathlib.Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_ninja(build: pathlib.Path, out: pathlib.Path) -> None:
    headers = out / "headers"
    headers.mkdir(parents=True, exist_ok=True)
    for name in HEADERS:
        link = headers / name
        if not link.exists():
            link.symlink_to(f"/usr/include/{name}")
    common = ["-std=c++20", *MODES, *VECTORS, "-DFMT_HEADER_ONLY", "-isystem", str(headers), "-include", str(HERE / "older_library.h")]
    lines = ["rule cxx", f"  command = em++ {quoted(common)} $flags -MD -MF $out.d -c $in -o $out", "  depfile = $out.d", "  deps = gcc",
             "  description = em++ $in", "rule link", f"  command = em++ -O2 {quoted([*MODES, *LINK])} @$out.rsp -o $out",
             "  rspfile = $out.rsp", "  rspfile_content = $in", "  description = link $out"]
    objects = []
    for name, files, flags in units(build):
        write_if_new(out / f"{name}.cpp", "".join(f'#include "{path}"\n' for path in files))
        objects.append(f"{name}.o")
        lines += [f"build {name}.o: cxx {name}.cpp", f"  flags = {quoted(flags)}"]
    lines += [f"build memory.o: cxx {quoted([str(HERE / 'memory.cpp')])}", "  flags = -O2 -mbulk-memory"]
    lines += [f"build lab.js | lab.wasm: link memory.o {' '.join(objects)}", "default lab.js", ""]
    write_if_new(out / "build.ninja", "\n".join(lines))


def ninja_program() -> str:
    path = f"{os.environ.get('PATH', '')}:{ROOT / '.venv/bin'}"
    ninja = shutil.which("ninja", path=path) or shutil.which("ninja-build", path=path)
    if ninja is None:
        raise BuildError("There is no ninja. Run: ./lab setup")
    return ninja


def compile_command(out: pathlib.Path, source: str) -> tuple[pathlib.Path, list[str]]:
    """The unit that compiles this file: its object, and the command that makes it, which runs in `out`."""
    unit = next(path for path in out.glob("*.cpp") if f"/{source}" in path.read_text(encoding="utf-8"))
    made = unit.with_suffix(".o")
    listed = subprocess.run([ninja_program(), "-C", str(out), "-t", "commands", "-s", made.name], capture_output=True, text=True, check=True)
    return made, shlex.split(next(line for line in listed.stdout.splitlines() if made.name in line))


def build_wasm(build: pathlib.Path, jobs: int = 0) -> pathlib.Path:
    """The folder that holds lab.js and lab.wasm."""
    build = build.resolve()  # the compiler runs elsewhere
    if not has_emscripten():
        raise BuildError(f"Emscripten is not here, so the lab for browsers cannot be built. Run: {INSTALL}")
    out = build / "browser"
    write_ninja(build, out)
    compile_all([ninja_program(), "-C", str(out), *([f"-j{jobs}"] if jobs else [])])
    return out


def compile_all(ninja: list[str]) -> None:
    """Its output is for the person who fixes what does not compile; meanwhile a line says how far it is."""
    output: list[str] = []
    with Waiting("compiling the lab for browsers") as line, subprocess.Popen(ninja, env={**environment(), "NINJA_STATUS": "[%f/%t] "}, text=True,
                                                                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        for words in running.stdout or ():
            output.append(words)
            if step := re.match(r"\[(\d+)/(\d+)\]", words):
                line.reached(int(step[1]), int(step[2]))
    if running.returncode:
        raise BuildError("Emscripten could not compile the lab:\n" + "".join(output[-20:]))
