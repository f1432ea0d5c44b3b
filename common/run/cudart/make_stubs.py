#!/usr/bin/env python3
"""Writes a stub for every symbol of the CUDA runtime that the library does not implement, and second names of those it does.

Usage: make_stubs.py 12|13 OUT.cpp OUT.options SOURCE.cpp...

A stub returns cudaErrorNotSupported and says once which call is missing. marks.py says how what is implemented is marked in the sources.
Programs with a default stream for each thread call NAME_ptsz or NAME_ptds: a jump to the same function, behind a note that stream 0 is the
thread's own (capture.h). The options are the linker's: CUDA 13 leaves the _v2 of CUDA 12 out.
"""
import pathlib
import re
import sys

import marks

# Notes it and goes on; registers that hold arguments stay as they are.
PER_THREAD = {
    "x86_64": "movq lab_default_stream_is_per_thread@gottpoff(%rip), %rax; movl $1, %fs:(%rax); jmp {first}@PLT",
    "aarch64": "adrp x16, :gottprel:lab_default_stream_is_per_thread; ldr x16, [x16, :gottprel_lo12:lab_default_stream_is_per_thread]; "
               "mrs x17, tpidr_el0; add x16, x16, x17; mov w17, #1; str w17, [x16]; b {first}",
}


def per_thread(name: str, first: str) -> str:
    def of(machine: str) -> str:
        body = PER_THREAD[machine].format(first=first)
        return f'asm(".text; .globl {name}; .type {name}, %function; {name}: {body}; .size {name}, .-{name}");'
    return f"#if defined(__aarch64__)\n{of('aarch64')}\n#else\n{of('x86_64')}\n#endif"


def implemented(sources: list[pathlib.Path]) -> set[str]:
    return {name for source in sources
            for name in marks.names(source.read_text(encoding="utf-8"), marks.RUNTIME, marks.ROWS, marks.ALIAS)}


def main() -> None:
    version, (target, options, *sources) = sys.argv[1], map(pathlib.Path, sys.argv[2:])
    folder = pathlib.Path(__file__).resolve().parent
    tables = ["symbols.txt"] + (["symbols_12.txt"] if version == "12" else [])
    names = [name for table in tables for name in (folder / table).read_text(encoding="utf-8").split()]
    done = implemented(sources)
    second = {name: first for name in names for base in [re.sub(r"_pt(sz|ds)$", "", name)]
              if (first := base if base in done else f"{base}_v2") in done and first != name}
    missing = [name for name in names if name not in done and name not in second]
    lines = ["// Made by make_stubs.py. The runtime reserves names that begin with two underscores.",
             "// NOLINTBEGIN(bugprone-reserved-identifier)", '#include "common/run/cudart/missing.h"', ""]
    lines += [f'extern "C" __attribute__((visibility("default"))) int {name}() '
              f'{{ return lab::cudart::missing("{name}"); }}' for name in missing]
    lines += [per_thread(name, first) for name, first in second.items() if re.search(r"_pt(sz|ds)$", name)]
    lines.append("// NOLINTEND(bugprone-reserved-identifier)")
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options.write_text("".join(f"--defsym={name}={first}\n" for name, first in second.items()
                               if not re.search(r"_pt(sz|ds)$", name)), encoding="utf-8")


main()
