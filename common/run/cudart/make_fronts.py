#!/usr/bin/env python3
"""Writes the small libraries that stand for the driver, cuBLAS and others, and the table behind them.

Usage: make_fronts.py table OUT.cpp SOURCE.cpp...
       make_fronts.py front SYMBOLS.txt OUT.cpp SOURCE.cpp...

What works is marked LAB_ENTRY in the sources, or LAB_SAME and LAB_NAMED where it is a row, and stands in the runtime library,
so that there is one memory. `table` writes all of it with its names. `front` writes one library: every symbol of its list jumps on to the
function of that name in the runtime library that the program has loaded; what is not implemented says so.
"""
import pathlib
import sys

import marks

MISSING = "labMissing"
LINKER_VERSIONS = [f"12_{minor}" for minor in range(10)] + ["13_0"]  # nvJitLink.h makes other names of its functions
PASSED_ON = "nvrtc"  # to the real library, where it is not implemented
FRONT = '''// Made by make_fronts.py.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

extern "C" __attribute__((visibility("hidden"))) void* lab_slots[%(count)d];
void* lab_slots[%(count)d];

namespace {
const char* const kNames[] = {%(names)s};

using Find = void* (*)(const char*);
// The runtime library of this process, or the newest when it has none.
__attribute__((constructor)) void fill() {
  void* find = dlsym(RTLD_DEFAULT, "__cudaLabEntry");
  if (find == nullptr) {
    if (void* runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL)) find = dlsym(runtime, "__cudaLabEntry");
  }
  if (find == nullptr) {
    std::fputs("lab: this library belongs to `./lab run`, which has the rest of it.\\n", stderr);
    std::_Exit(3);
  }
  for (unsigned k = 0; k < %(count)d; ++k) lab_slots[k] = reinterpret_cast<Find>(find)(kNames[k]);
}
}  // namespace

// On to the function whose address lies so many bytes into lab_slots; arguments stay where they are.
#if defined(__aarch64__)
#define LAB_JUMP(at) "adrp x16, lab_slots+" #at "\\n ldr x16, [x16, :lo12:lab_slots+" #at "]\\n br x16"
#else
#define LAB_JUMP(at) "jmp *lab_slots+" #at "(%%rip)"
#endif
'''


def marked(sources: list[pathlib.Path], *wanted: str) -> list[str]:
    return sorted({name for source in sources for name in marks.names(source.read_text(encoding="utf-8"), *wanted)})


def table(names: list[str], same: list[str]) -> str:
    lines = ["// Made by make_fronts.py: what is found by name.", '#include <cstring>', "", '#include "common/run/cudart/driver.h"', "",
             "// Names of their own: the declarations of the calls may lie in the same unit.",
             *(f'__attribute__((visibility("hidden"))) void entry_{name}() __asm__("{name}");' for name in names),
             *(f'extern void (*const same_{name})() __asm__("lab_same_{name}");' for name in same), "",
             "void* lab::cudart::entry_named(const char* name) {",
             "  static const struct { const char* name; void (*function)(); } kEntries[] = {",
             *(f'    {{"{name}", &entry_{name}}},' for name in names),
             *(f'    {{"{name}", same_{name}}},' for name in same), "  };",
             "  for (const auto& entry : kEntries) {",
             "    if (std::strcmp(entry.name, name) == 0) return reinterpret_cast<void*>(entry.function);",
             "  }", "  return nullptr;", "}"]
    return "\n".join(lines) + "\n"


def front(symbols: list[str], done: list[str]) -> str:
    here = [MISSING] + [name for name in symbols if name in done or name.startswith(PASSED_ON)]
    text = FRONT % {"count": len(here), "names": ", ".join(f'"{name}"' for name in here)}
    for slot, name in enumerate(here[1:], 1):
        text += (f'asm(".globl {name}\\n.type {name},@function\\n{name}: " LAB_JUMP({8 * slot})\n'
                 f'    "\\n.size {name},.-{name}\\n");\n')
        for version in LINKER_VERSIONS if name.startswith("nvJitLink") else []:
            text += f'asm(".globl __{name}_{version}\\n.type __{name}_{version},@function\\n.set __{name}_{version}, {name}\\n");\n'
    for name in symbols:
        if name not in here:
            text += (f'extern "C" __attribute__((visibility("default"))) int {name}() '
                     f'{{ return reinterpret_cast<int (*)(const char*)>(lab_slots[0])("{name}"); }}\n')
    return text


def main() -> None:
    if sys.argv[1] == "table":
        target, *sources = map(pathlib.Path, sys.argv[2:])
        text = table(marked(sources, marks.ENTRY, marks.ENTRY_ROWS), marked(sources, marks.SAME))
    else:
        symbols, target, *sources = map(pathlib.Path, sys.argv[2:])
        text = front(symbols.read_text(encoding="utf-8").split(), marked(sources, marks.ENTRY, marks.ENTRY_ROWS, marks.SAME))
    target.write_text(text, encoding="utf-8")


main()
