"""Nsight Compute as the tools of this folder ask it.

Place in the flow. Enters: a command that launches kernels, the metrics. Leaves: a dictionary for each launch, in their order: its
columns by their names, each metric among them.
"""
import csv
import subprocess
import sys

COMMAND = ["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base"]
CACHES_AS_LEFT = ("--cache-control", "none")  # otherwise each launch finds them empty


def number(row, metric):
    return int(float(row[metric].replace(",", "")))


def table(text):
    """The launches of what the profiler printed; its first row holds the units."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    return list(csv.DictReader(lines[start:]))[1:]


def launches(command, metrics, expected=None, options=CACHES_AS_LEFT, **how):
    """What `command` launches; ends the tool where `expected` says another number than was profiled."""
    asked = [*COMMAND, *options, "--metrics", ",".join(metrics), *map(str, command)]
    text = subprocess.run(asked, capture_output=True, text=True, **how).stdout
    found = table(text)
    if expected is not None and len(found) != expected:
        sys.exit(f"{len(found)} of {expected} launches profiled:\n{text[:3000]}")
    return found
