#!/usr/bin/env python3
"""Writes the GPU descriptions of data/gpus as a C++ table of GpuData (gpu_data.h), and the keys of its rates there.

Usage: gpu_table.py FILE.toml... TABLE.h RATES.h. A description that lacks a number ends with exit code 1, and says which.
"""
import pathlib
import sys
import tomllib

# Member of GpuData, key of the file; in the order in which C++ declares the members.
MEMBERS = [("multiprocessors", "multiprocessors"), ("gpc_multiprocessors", "gpc_multiprocessors"), ("clock_mhz", "clock_mhz"),
           ("memory_bytes", "memory_bytes"), ("bandwidth", "memory_bandwidth_bytes_per_second"), ("bus_bits", "memory_bus_bits"),
           ("memory_clock_mhz", "memory_clock_mhz"), ("l2_bytes", "l2_bytes")]
OF_MULTIPROCESSOR = [("threads_per_multiprocessor", "threads"), ("blocks_per_multiprocessor", "blocks"),
                     ("registers_per_multiprocessor", "registers"), ("shared_bytes", "shared_bytes"),
                     ("shared_bytes_per_block", "shared_bytes_per_block"), ("shared_bytes_reserved", "shared_bytes_reserved_per_block"),
                     ("warp_schedulers", "warp_schedulers")]
RATES = [("launch_seconds", "launch_seconds"), ("begin_seconds", "begin_seconds"), ("dram_bytes", "dram_bytes_per_second"),
         ("scattered_penalty", "scattered_penalty"), ("l2_sectors", "l2_sectors_per_second"), ("l2_packets", "l2_packets_per_second"),
         ("partial_penalty", "partial_penalty"), ("atomic_seconds", "atomic_seconds"), ("float_atomic_seconds", "float_atomic_seconds"),
         ("l1_passes", "l1_passes_per_second"), ("instructions", "warp_instructions_per_second"),
         ("block_start_seconds", "block_start_seconds"), ("block_seconds", "block_seconds"), ("warp_seconds", "warp_seconds"),
         ("near_wait_seconds", "near_wait_seconds"),
         ("l2_wait_seconds", "l2_wait_seconds"), ("dram_wait_seconds", "dram_wait_seconds"), ("barrier_seconds", "barrier_seconds"),
         ("barrier_warp_seconds", "barrier_warp_seconds"),
         ("instruction_wait_seconds", "instruction_wait_seconds"), ("sharpness", "sharpness")]
OPTIONAL: dict[str, list[int]] = {"gpc_multiprocessors": []}  # none: this GPU has no clusters


def number(value: object) -> str:
    if isinstance(value, list):
        return "{" + ", ".join(map(number, value)) + "}"
    return f"{value}u" if isinstance(value, int) and value >= 0 else repr(value)


def members(file: pathlib.Path, given: dict, names: list[tuple[str, str]]) -> list[str]:
    table = {**OPTIONAL, **given}
    if lacking := [key for _, key in names if key not in table]:
        sys.exit(f"{file} lacks {lacking[0]}.")
    return [f".{member} = {number(table[key])}" for member, key in names]


def row(file: pathlib.Path) -> str:
    gpu = tomllib.loads(file.read_text(encoding="utf-8"))
    major, minor = gpu["compute_capability"]
    parts = [f'.key = "{file.stem}"', f'.name = "{gpu["name"]}"', f".major = {major}", f".minor = {minor}",
             *members(file, gpu, MEMBERS), *members(file, gpu["multiprocessor"], OF_MULTIPROCESSOR)]
    rates = members(file, gpu["time"], RATES) if "time" in gpu else []
    parts += [".time = {" + ", ".join(rates) + "}", f".time_measured = {'true' if rates else 'false'}"]
    return "    {" + ",\n     ".join(parts) + "},"


def main() -> None:
    *sources, target, rates = map(pathlib.Path, sys.argv[1:])
    target.write_text("// Made by gpu_table.py from data/gpus.\n"
                      f"static const std::array<GpuData, {len(sources)}> kGpus = {{{{\n" + "\n".join(map(row, sources)) + "\n}};\n", encoding="utf-8")
    rates.write_text("// Made by gpu_table.py.\nconstexpr std::pair<const char*, double TimeRates::*> kRates[] = {\n" +
                     "".join(f'    {{"{key}", &TimeRates::{member}}},\n' for member, key in RATES) + "};\n", encoding="utf-8")


main()
