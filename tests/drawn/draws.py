"""The seed of a test that draws its cases: LAB_SEED, else what LAB_SEED_BASE and the test's name give, else the clock. As draws.h for C++.

Enters: the test's name. Leaves: a generator of random numbers whose seed was printed."""
import os
import random
import time
from typing import TypeVar

Thing = TypeVar("Thing")


def from_base(base: str, what: str) -> int:
    """FNV-1a, so that a checking machine asks the same of the same commit, and something else of the next."""
    seed = 0xCBF29CE484222325
    for byte in f"{base} {what}".encode():
        seed = (seed ^ byte) * 0x100000001B3 % (1 << 64)
    return seed % 1_000_000_007


def seed_of_run(what: str) -> int:
    base = os.environ.get("LAB_SEED_BASE")
    seed = int(os.environ.get("LAB_SEED") or (from_base(base, what) if base else time.time_ns() % 1_000_000_007))
    print(f"{what}: LAB_SEED={seed}", flush=True)
    return seed


def draws_of_run(usual: int) -> int:
    """LAB_DRAWS makes a run longer: so many times the usual number of draws."""
    return usual * max(1, int(os.environ.get("LAB_DRAWS") or 1))


def drawn(what: str) -> random.Random:
    return random.Random(seed_of_run(what))


def sample_of_run(what: str, things: list[Thing], usual: int) -> list[Thing]:
    """A few of them; all where LAB_DRAWS is large."""
    return drawn(what).sample(things, min(draws_of_run(usual), len(things)))
