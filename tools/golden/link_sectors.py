#!/usr/bin/env python3
"""Measures what accesses to a peer's memory send over the link: `link_sectors.py OUT.csv` on a machine with two GPUs, nvcc and Nsight Compute."""
import csv
import pathlib
import subprocess
import sys
import tempfile

import ncu

HERE = pathlib.Path(__file__).resolve().parent
LAUNCHES = [("store", 1, s) for s in (1, 2, 4, 8, 32, 64, 128)] + [("store", 4, s) for s in (4, 8, 16, 32, 64, 128)] + [("store", 8, s) for s in (8, 16, 32)] \
    + [("store", 16, s) for s in (16, 32, 64, 128)] + [("load", 4, s) for s in (4, 8, 32, 128)] + [("load", 16, s) for s in (16, 32, 128)] \
    + [("atomic", 4, s) for s in (4, 32, 128)]
METRICS = {"sent_user_bytes": "nvltx__bytes_packet_request_data_user.sum", "sent_protocol_bytes": "nvltx__bytes_packet_request_data_protocol.sum",
           "answered_user_bytes": "nvlrx__bytes_packet_response_data_user.sum", "answered_protocol_bytes": "nvlrx__bytes_packet_response_data_protocol.sum",
           "nanoseconds": "gpu__time_duration.sum"}


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "link_sectors")
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=sm_90", "-o", program, HERE / "link_sectors.cu"], check=True)
        rows = ncu.launches([program], METRICS.values(), len(LAUNCHES), options=())
    with open(sys.argv[1], "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["path", "bytes", "stride", *METRICS])
        for launch, row in zip(LAUNCHES, rows):
            table.writerow([*launch, *(row[metric].replace(",", "") for metric in METRICS.values())])


if __name__ == "__main__":
    main()
