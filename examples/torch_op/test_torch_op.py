"""torch.ops.lab.permute against PyTorch, bit for bit. Exit 0: equal; 1: a difference; 77: no PyTorch, GPU or nvcc here.

python3 test_torch_op.py          the test
python3 test_torch_op.py --time   times of permute(0, 2, 1).contiguous() and others as a model calls them, as CSV
"""
import itertools
import random
import shutil
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
if not torch.cuda.is_available() or not shutil.which("nvcc"):
    sys.exit(77)
import lab_torch  # noqa: F401  registers the operator

KINDS = [torch.uint8, torch.bool, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128]


def filled(shape: tuple[int, ...], kind: torch.dtype) -> torch.Tensor:
    size = torch.empty((), dtype=kind).element_size()
    count = 1
    for n in shape:
        count *= n
    if kind == torch.bool:
        return torch.randint(0, 2, shape, device="cuda").bool()
    return torch.randint(0, 256, (count * size,), dtype=torch.uint8, device="cuda").view(kind).view(shape)


def bits(x: torch.Tensor) -> torch.Tensor:
    return x.contiguous().flatten().view(torch.uint8)


def differs(x: torch.Tensor, order: tuple[int, ...]) -> str:
    got = torch.ops.lab.permute(x, list(order))
    want = x.permute(order).contiguous()
    if got.shape != want.shape or not got.is_contiguous() or not torch.equal(bits(got), bits(want)):
        return f"{tuple(x.shape)} {x.dtype} strides {x.stride()} order {order}"
    return ""


def test() -> int:
    wrong, cases = [], 0
    shapes = [(1, 1), (31, 33), (61, 67), (1000, 777), (4096, 1024), (3, 5, 7), (8, 128, 96), (2, 12, 33, 64), (3, 4, 5, 6, 7), (0, 4), (7,), (),
              (2, 3, 5, 2, 4, 3), (3, 2, 2, 5, 2, 3, 4), (2, 3, 2, 2, 3, 2, 5, 2), (2,) * 9, (2,) * 12, (1, 2) * 10]
    draw = random.Random(6)
    for kind, shape in itertools.product(KINDS, shapes):
        x = filled(shape, kind)
        axes = range(len(shape))
        for order in itertools.permutations(axes) if len(shape) <= 5 else [tuple(draw.sample(axes, len(shape))) for _ in range(20)]:
            cases += 1
            wrong.append(differs(x, order))
    x = filled((130, 70, 36), torch.float16)
    tall = filled((2,) * 20, torch.uint8)  # two blocks of axes change places: two dimensions are left
    cases += 1
    wrong.append(differs(tall, (*range(11, 20), *range(11))))
    views = [x[::2], x[:, 3:50], x[..., 1:35:3], x.transpose(0, 2), x[5:, :, 7:], x[:1].expand(9, 70, 36)]
    for view in views:
        for order in itertools.permutations(range(3)):
            cases += 1
            wrong.append(differs(view, order))
    try:
        torch.ops.lab.permute(x, [0, 0, 1])
        wrong.append("a dimension named twice was not refused")
    except RuntimeError:
        pass
    leaf = torch.randn(6, 10, 14, device="cuda", dtype=torch.float64, requires_grad=True)
    torch.library.opcheck(torch.ops.lab.permute.default, (leaf, [2, 0, 1]))
    torch.autograd.gradcheck(lambda t: torch.ops.lab.permute(t, [0, 2, 1]), (leaf,))
    wrong = [w for w in wrong if w]
    print("\n".join(wrong[:20]))
    print(f"{cases} cases, {len(wrong)} wrong; opcheck and gradcheck passed")
    return 1 if wrong else 0


def median(call) -> float:
    for _ in range(3):
        call()
    start, end, times = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True), []
    for _ in range(20):
        start.record()
        for _ in range(20):
            call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 50)
    return sorted(times)[len(times) // 2]


def one(shape: tuple[int, ...], order: tuple[int, ...], kind: torch.dtype) -> tuple[float, float, float]:
    pool = [filled(shape, kind) for _ in range(max(1, min(8, (256 << 20) // max(1, torch.Size(shape).numel() * kind.itemsize))))]
    step, target = itertools.count(), torch.empty_like(pool[0])

    def pick() -> torch.Tensor:
        return pool[next(step) % len(pool)]

    return (median(lambda: pick().permute(order).contiguous()), median(lambda: torch.ops.lab.permute(pick(), list(order))),
            median(lambda: target.copy_(pick())))


def time_it() -> int:
    cases = [((8, 4096, 4096), (0, 2, 1)), ((16, 3136, 768), (0, 2, 1)), ((16, 197, 768), (0, 2, 1)), ((32, 2048, 12, 64), (0, 2, 1, 3)),
             ((64, 224, 224, 3), (0, 3, 1, 2)), ((64, 256, 56, 56), (0, 2, 3, 1)), ((8, 1001, 1003), (0, 2, 1))]
    print("shape,order,dtype,torch_us,lab_us,copy_us")
    for (shape, order), kind in itertools.product(cases, [torch.uint8, torch.bfloat16, torch.float32]):
        theirs, ours, copy = one(shape, order, kind)
        print(f"{'x'.join(map(str, shape))},{' '.join(map(str, order))},{str(kind)[6:]},{theirs:.1f},{ours:.1f},{copy:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(time_it() if "--time" in sys.argv else test())
