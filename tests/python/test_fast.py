"""transpose_lab.fast.permute on arrays that know DLPack and nothing else: drawn shapes, orders and views, every byte.

Enters: LAB_PROGRAM: on the simulated GPU; or `--gpu`: on this machine's. Leaves: exit 0, 1 with what is wrong, 77 without NVRTC. LAB_SEED
repeats a run."""
import ctypes
import itertools
import os
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/drawn")]
os.environ.setdefault("LAB_ROOT", str(ROOT))
import draws  # noqa: E402

import transpose_lab as lab  # noqa: E402
from transpose_lab import fast, program  # noqa: E402

if "--gpu" not in sys.argv:
    if not program.nvrtc():
        sys.exit(77)
    lab.simulate()
CUDA = ctypes.CDLL("libcuda.so.1")
NEW_CAPSULE = ctypes.pythonapi.PyCapsule_New
NEW_CAPSULE.restype, NEW_CAPSULE.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def done(error: int) -> None:
    if error:
        raise SystemExit(f"CUDA error {error}")


class Memory:
    """An array in GPU memory, from `begin` bytes on; strides in elements."""

    def __init__(self, data: bytes, begin: int, shape: list[int], strides: "list[int] | None", element: int) -> None:
        self.bytes, self.at = len(data), ctypes.c_uint64()
        done(CUDA.cuMemAlloc_v2(ctypes.byref(self.at), ctypes.c_size_t(len(data))))
        done(CUDA.cuMemcpyHtoD_v2(self.at, data, ctypes.c_size_t(len(data))))
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * len(shape))(*strides) if strides is not None else None
        lanes = 2 if element == 16 else 1
        self.tensor = fast._Tensor(self.at.value, 2, 0, len(shape), 1, element * 8 // lanes, lanes, self.shape, self.strides, begin)

    def __dlpack__(self, *, stream=None):
        assert stream is not None
        return NEW_CAPSULE(ctypes.addressof(self.tensor), b"dltensor", None)

    def read(self) -> bytes:
        data = ctypes.create_string_buffer(self.bytes)
        done(CUDA.cuMemcpyDtoH_v2(data, self.at, ctypes.c_size_t(self.bytes)))
        return data.raw

    def free(self) -> None:
        done(CUDA.cuMemFree_v2(self.at))


def one(draw: random.Random, shape: list[int], order: list[int], element: int, gaps: bool) -> str:
    """"" where the result is right and nothing beside it was written."""
    padded = [n + draw.randint(0, 3) for n in shape] if gaps else shape
    strides, of, to = fast.dense(padded), element * draw.randint(0, 20), element * draw.randint(0, 20)
    count = 1
    for n in shape:
        count *= n
    size = of + element * (1 + sum((n - 1) * s for n, s in zip(shape, strides))) if count else of + element
    data = draw.randbytes(size)
    x = Memory(data, of, shape, strides if gaps or draw.random() < 0.5 else None, element)
    out_shape = [shape[axis] for axis in order]
    before = draw.randbytes(to + count * element + 64)
    out = Memory(before, to, out_shape, None, element)
    fast.permute(out, x, order)
    done(CUDA.cuCtxSynchronize())
    wanted = [data[at:at + element] for at in (of + element * sum(i * strides[axis] for i, axis in zip(index, order))
                                               for index in itertools.product(*map(range, out_shape)))]
    right = before[:to] + b"".join(wanted) + before[to + count * element:]
    same, kept = out.read() == right, x.read() == data
    x.free(), out.free()
    return "" if same and kept else f"{element} bytes {shape} strides {strides} by {order}, from {of} to {to}"


def main() -> int:
    seed = draws.seed_of_run("layouts for transpose_lab.fast")
    draw, wrong, cases = random.Random(seed), [], 0
    context = ctypes.c_void_p()
    done(CUDA.cuInit(0) or CUDA.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) or CUDA.cuCtxPushCurrent_v2(context))
    shapes = [[], [7], [0, 4], [61, 67], [64, 96], [300, 3], [5, 165, 2, 7], [2, 3, 5, 2, 4, 3], [1, 4, 1, 9, 1, 1, 5], [2, 3, 2, 2, 3, 2, 5, 2],
              [2] * 11]
    for shape in shapes + [[draw.randint(1, 24) for _ in range(draw.randint(1, 4))] for _ in range(12 if "--gpu" not in sys.argv else 300)]:
        order = draw.sample(range(len(shape)), len(shape))
        if len(shape) > 8:  # neighbours stay together: two dimensions are left
            order = [*range(4, len(shape)), *range(4)]
        cases += 1
        wrong.append(one(draw, shape, order, draw.choice([1, 2, 4, 8, 16]), len(shape) in (2, 3) and draw.random() < 0.5))
    x, out = Memory(bytes(64), 0, [4, 4], None, 4), Memory(bytes(64), 0, [4, 4], None, 4)
    for what, order, to in (("an axis twice", [0, 0], out), ("an output of another shape", [1, 0], Memory(bytes(64), 0, [2, 8], None, 4)),
                            ("an output with gaps", [1, 0], Memory(bytes(128), 0, [4, 4], [5, 1], 4))):
        try:
            fast.permute(to, x, order)
            wrong.append(f"not refused: {what}")
        except lab.LabError:
            pass
    wrong = [w for w in wrong if w]
    print("\n".join(wrong[:20]))
    print(f"{cases} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
