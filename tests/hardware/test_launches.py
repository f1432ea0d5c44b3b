#!/usr/bin/env python3
"""The solutions of 09 to 15, 17 and 18 as an H200 ran them: right there, and what the simulator counts is what the profiler counted.

Enters: tests/golden/course_launches.csv (tools/golden/course_launches.py), LAB_PROGRAM. 1024 × 1024 elements, kernel by kernel."""
import csv
import json
import os
import pathlib
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = list(csv.DictReader((ROOT / "tests/golden/course_launches.csv").open(encoding="utf-8")))
GLOBAL, SHARED = "l1tex__t_{}_pipe_lsu_mem_global_op_{}", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}"
# What the profiler counts: the simulator's rows, added and taken away, in requests, sectors or wavefronts. `cp.async` is a load for
# both, and no store of shared memory for the profiler; ldmatrix and stmatrix have counters of their own there.
EQUAL = {
    GLOBAL.format("requests", "ld"): ("requests", ["global_load"], []),
    GLOBAL.format("sectors", "ld"): ("sectors", ["global_load"], []),
    GLOBAL.format("requests", "st"): ("requests", ["global_store"], []),
    GLOBAL.format("sectors", "st"): ("sectors", ["global_store"], []),
    "smsp__sass_inst_executed_op_shared_ld": ("requests", ["shared_load"], ["shared_matrix_load"]),
    SHARED.format("ld"): ("wavefronts", ["shared_load"], ["shared_matrix_load"]),
    "smsp__sass_inst_executed_op_shared_st": ("requests", ["shared_store"], ["shared_async", "shared_matrix_store"]),
    SHARED.format("st"): ("wavefronts", ["shared_store"], ["shared_async", "shared_matrix_store"]),
    "smsp__inst_executed_op_ldsm": ("requests", ["shared_matrix_load"], []),
    SHARED.format("ldsm"): ("wavefronts", ["shared_matrix_load"], []),
    "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld": ("sectors", ["global_bulk_load"], []),
    "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st": ("sectors", ["global_bulk_store"], []),
    "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_st": ("wavefronts", ["cluster_store"], []),
}


def simulated(row):
    done = subprocess.run([os.environ["LAB_PROGRAM"], "profile", row["file"], "--entry", row["kernel"], "--rows", "1024", "--cols", "1024",
                           "--json"], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "LAB_ROOT": str(ROOT)})
    return json.loads(done.stdout)["counters"] if done.stdout else done.stderr


class Launches(unittest.TestCase):
    def test_every_solution_was_right_on_both_devices(self):
        self.assertEqual({row["file"][10:12] for row in ROWS}, {"09", "10", "11", "12", "13", "14", "15", "17", "18"})
        self.assertEqual([row["kernel"] for row in ROWS if row["both"] != "right" or int(row["gpu_shapes"]) == 0], [])

    def test_counters(self):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for row, counters in zip(ROWS, pool.map(simulated, ROWS)):
                with self.subTest(file=row["file"], kernel=row["kernel"]):
                    self.assertIsInstance(counters, dict, counters)
                    for metric, (unit, added, taken) in EQUAL.items():
                        here = sum(counters[name][unit] for name in added) - sum(counters[name][unit] for name in taken)
                        self.assertEqual(here, int(row[metric]), metric)


if __name__ == "__main__":
    unittest.main()
