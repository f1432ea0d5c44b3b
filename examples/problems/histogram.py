"""Count bytes: histogram(int* bins, const unsigned char* in, int n) adds to bins[v] how often v stands in `in`; 64 values, bins hold 0 before.

The launch has 8 blocks of 128 threads."""
import numpy as np

entry = "histogram"
sizes = [1, 4096]
bounds = {"sectors": 60000}


def draw(random):
    return random.randint(1, 20000)


def arguments(n, random):
    values = np.random.default_rng(random.getrandbits(64)).integers(0, 64, n)
    return {"bins": np.zeros(64, np.int32), "in": values.astype(np.uint8), "n": n}


def reference(**given):
    return {"bins": np.bincount(given["in"], minlength=64)}


def launch(n):
    return 8, 128
