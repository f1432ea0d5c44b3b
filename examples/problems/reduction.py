"""Sum n floats: sum(float* out, const float* in, int n) adds all of `in` into out[0], which holds 0 before.

The launch has 256 threads a block, and a block for every 1024 elements. Read each element once."""
import numpy as np

entry = "sum"
sizes = [1, 1024, 1000]
tolerance = 1e-3
bounds = {"sectors_per_ideal": 1.1, "wavefronts_per_ideal": 1.0}


def draw(random):
    return random.choice([random.randint(1, 2000), 1024 * random.randint(1, 16), random.randint(10000, 40000)])


def arguments(n, random):  # what is the same each time can be learnt by heart
    values = np.random.default_rng(random.getrandbits(64)).integers(-3, 4, n)
    return {"out": np.zeros(1, np.float32), "in": values.astype(np.float32), "n": n}


def reference(**given):
    return {"out": [given["in"].sum()]}


def launch(n):
    return -(-n // 1024), 256
