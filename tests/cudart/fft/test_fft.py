"""cuFFT as it is computed here against numpy, on drawn transforms: types, ranks, lengths with small and large factors, batches, layouts, in place.

Enters: the built lab (LAB_PROGRAM), fft.cu, race.cu; LAB_SEED and LAB_DRAWS. Leaves: exit 0 when every result is numpy's to the precision of its type
and bytes beside a layout are as they were; 1 with the drawn line that is not; 77 without nvcc or numpy.
"""
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

try:
    import numpy as np
except ImportError:
    print("fft: no numpy")
    sys.exit(77)

LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
# Name: number of cufftType, is real going in, is real coming out, type of a number.
TYPES = {"C2C": (0x29, False, False, np.float32), "R2C": (0x2a, True, False, np.float32), "C2R": (0x2c, False, True, np.float32),
         "Z2Z": (0x69, False, False, np.float64), "D2Z": (0x6a, True, False, np.float64), "Z2D": (0x6c, False, True, np.float64)}
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 31, 32, 37, 49, 64, 81, 97, 100, 128, 243, 256, 251, 1000)
MOST = 20000  # elements


class Side:
    """Where the elements of one side lie, in elements."""

    def __init__(self, draw: random.Random, shape: tuple[int, ...], batch: int, embedded: bool, padded_to: int) -> None:
        self.shape, self.batch = shape, batch
        rows = shape[:-1] + (padded_to,)
        if embedded:
            rows = tuple(n + draw.choice((0, 0, 1, 3)) for n in rows)
        self.embed = rows
        self.stride = draw.choice((1, 1, 2, 3)) if embedded else 1
        self.distance = self.stride * int(np.prod(rows)) + (draw.choice((0, 5)) if embedded else 0)
        if embedded and draw.random() < 0.2 and batch > 1:  # batches side by side
            self.stride, self.distance = self.stride * batch, 1

    def places(self) -> np.ndarray:
        place = np.zeros(self.shape, dtype=np.int64)
        step = self.stride
        for k in reversed(range(len(self.shape))):
            place += (np.arange(self.shape[k]) * step).reshape([-1 if d == k else 1 for d in range(len(self.shape))])
            step *= self.embed[k]
        return np.stack([place + b * self.distance for b in range(self.batch)])

    def room(self) -> int:
        return int(self.places().max()) + 1


def three(numbers: tuple[int, ...]) -> str:
    return " ".join(str(n) for n in (*numbers, 1, 1, 1)[:3])


def expected(values: np.ndarray, real_in: bool, real_out: bool, direction: int, shape: tuple[int, ...]) -> np.ndarray:
    axes = tuple(range(1, len(shape) + 1))
    if real_in:
        return np.fft.rfftn(values, axes=axes)
    if real_out:
        return np.fft.irfftn(values, s=shape, axes=axes) * np.prod(shape)
    return np.fft.fftn(values, axes=axes) if direction < 0 else np.fft.ifftn(values, axes=axes) * np.prod(shape)


class Transform:
    def __init__(self, draw: random.Random, noise: np.random.Generator) -> None:
        self.name = draw.choice(list(TYPES))
        number, real_in, real_out, self.dtype = TYPES[self.name]
        rank = draw.choice((1, 1, 2, 3))
        while int(np.prod(shape := tuple(draw.choice(LENGTHS) for _ in range(rank)))) > MOST:
            pass
        batch, embedded = draw.choice((1, 1, 2, 3, 5)), draw.random() < 0.4
        in_place = draw.random() < 0.3
        embedded = embedded and not in_place
        self.direction = draw.choice((-1, 1)) if not real_in and not real_out else -1 if real_in else 1
        half = shape[:-1] + (shape[-1] // 2 + 1,)
        sides = []
        for real in (real_in, real_out):
            elements = half if not real and (real_in or real_out) else shape
            sides.append(Side(draw, elements, batch, embedded, 2 * half[-1] if real and in_place else elements[-1]))
        self.given, self.wanted = sides
        values = noise.standard_normal(self.given.places().shape)
        if not real_in:
            values = values + 1j * noise.standard_normal(values.shape)
        if real_out:  # what a transform of real numbers can be
            values = np.fft.rfftn(noise.standard_normal((batch, *shape)), axes=tuple(range(1, rank + 1)))
        complex_type = np.complex64 if self.dtype == np.float32 else np.complex128
        self.of_in, self.of_out = (self.dtype if real else complex_type for real in (real_in, real_out))
        self.input = np.full(self.given.room(), 99, dtype=self.of_in)
        self.input[self.given.places()] = values
        self.result = expected(self.input[self.given.places()].astype(np.complex128 if not real_in else np.float64), real_in, real_out,
                               self.direction, shape)
        bytes_in = self.input.nbytes
        self.bytes_out = self.wanted.room() * np.dtype(self.of_out).itemsize
        self.in_place = in_place
        self.line = (f"{number} {rank} {self.direction} {int(in_place)} {batch} {int(embedded)} {bytes_in} {self.bytes_out} {three(shape)} "
                     f"{three(self.given.embed)} {three(self.wanted.embed)} {self.given.stride} {self.given.distance} {self.wanted.stride} "
                     f"{self.wanted.distance}")

    def wrong(self, written: bytes) -> str:
        found = np.frombuffer(written, dtype=self.of_out)
        places = self.wanted.places()
        scale = max(1.0, float(np.abs(self.result).max()))
        error = float(np.abs(found[places] - self.result).max()) / scale
        if error > (1e-6 if self.dtype == np.float32 else 1e-13):
            return f"{self.name} {self.line}: differs by {error:.2e}"
        beside = np.setdiff1d(np.arange(found.size), places)
        if not self.in_place and np.any(found[beside] != 0):
            return f"{self.name} {self.line}: bytes beside the layout were written"
        return ""


def lab(*words: str) -> subprocess.CompletedProcess:
    done = subprocess.run([LAB, "--lang", "en", "run", "--quiet", *words], capture_output=True, text=True, timeout=240)
    if done.returncode == 3:
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        sys.exit(77)
    return done


def main() -> int:
    seed = seed_of_run("fft")
    draw, noise = random.Random(seed), np.random.default_rng(seed)
    transforms = [Transform(draw, noise) for _ in range(draws_of_run(60))]
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("list", "data", "results")]
        Path(paths[0]).write_text("\n".join(t.line for t in transforms) + "\n")
        Path(paths[1]).write_bytes(b"".join(t.input.tobytes() for t in transforms))
        done = lab("-lcufft", str(HERE / "fft.cu"), "--", *paths)
        if done.returncode != 0 or "lab: " in done.stderr:
            print(f"fft: seed {seed}: exit {done.returncode}: {done.stderr}")
            return 1
        written = Path(paths[2]).read_bytes()
    faults, at = [], 0
    for transform in transforms:
        faults.append(transform.wrong(written[at:at + transform.bytes_out]))
        at += transform.bytes_out
    faults = [fault for fault in faults if fault]
    unordered, ordered = lab("-lcufft", str(HERE / "race.cu")), lab("-lcufft", str(HERE / "race.cu"), "--", "waits")
    if "stream-race" not in unordered.stderr or "cufftExecC2C" not in unordered.stderr or ordered.stderr:
        faults.append(f"race.cu: {unordered.stderr} / {ordered.stderr}")
    print("\n".join(faults) or f"{len(transforms)} transforms as numpy's")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
