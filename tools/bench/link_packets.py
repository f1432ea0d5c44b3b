#!/usr/bin/env python3
"""What each way of carrying bytes between two GPUs puts on the link, by the link's own counters: `link_packets.py OUT.csv` on a machine with two GPUs, nvcc and
pynvml. Data counts what was carried, raw what the link sent in all, protocol included."""
import csv
import pathlib
import subprocess
import sys
import tempfile

import pynvml

HERE = pathlib.Path(__file__).resolve().parent
WAYS = ["copy engine", "threads store 16 bytes", "threads store 8 bytes", "threads store 4 bytes", "bulk copies of 2 KiB", "bulk copies of 16 KiB",
        "threads load 16 bytes"]
RUNS = 41
FIELDS = [pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX, pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_TX,
          pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_RAW_RX]
ALL_LINKS = 0xFFFFFFFF


def counters(gpu):
    """KiB of data sent and received, of everything sent and received."""
    values = pynvml.nvmlDeviceGetFieldValues(gpu, [(field, ALL_LINKS) for field in FIELDS])
    if any(value.nvmlReturn for value in values):
        sys.exit(f"the link's counters cannot be read: {[value.nvmlReturn for value in values]}")
    return [value.value.ullVal for value in values]


def main():
    pynvml.nvmlInit()
    gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
    with tempfile.TemporaryDirectory() as folder, open(sys.argv[1], "w", newline="") as out:
        program = pathlib.Path(folder, "link_packets")
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-o", program, HERE / "link_packets.cu"], check=True)
        table = csv.writer(out)
        table.writerow(["way", "bytes_each_way", "runs", "median_us", "data_sent_kib", "data_received_kib", "raw_sent_kib", "raw_received_kib"])
        for way in WAYS:
            before = counters(gpu)
            done = subprocess.run([program, way, str(RUNS)], check=True, capture_output=True, text=True).stdout.strip().split(",")
            table.writerow([done[0], done[1], RUNS, done[2], *(b - a for a, b in zip(before, counters(gpu)))])


if __name__ == "__main__":
    main()
