"""Drawn calls of cuSPARSE: what each is given, and what numpy's dense matrices say that comes out.

Enters: generators of random numbers. Leaves: for sparse.cu a line and the bytes of 13 arrays each; for test_algebra.py what is wrong with the bytes
that came back. Every array is compared whole: what a call must not write holds a pattern.
"""
import random

import numpy as np

KINDS = ("SpMV", "SpMM", "SpSV", "SpSM", "SDDMM", "SparseToDense", "DenseToSparse", "Csr2cscEx2", "SpGEMM", "Axpby", "Gather", "Scatter", "Rot", "SpVV",
         "Xcoo2csr", "Xcsr2coo", "Xcsrsort", "Dcsrilu02", "Dnnz", "Dcsrgeam2")
ARRAYS = ("starts", "indices", "values", "b", "c", "alpha", "beta", "starts2", "indices2", "values2", "starts3", "indices3", "values3")
CSR, CSC, COO = 1, 2, 3
BY_COLUMNS, BY_ROWS = 1, 2
# cudaDataType of the factors, of the result, of what is computed in; numpy's types; the error that is let pass.
TYPES = [((0, 0, 0), (np.float32, np.float32, np.float32), 1e-6), ((1, 1, 1), (np.float64, np.float64, np.float64), 1e-14),
         ((4, 4, 4), (np.complex64, np.complex64, np.complex64), 1e-6), ((5, 5, 5), (np.complex128, np.complex128, np.complex128), 1e-14)]
MIXED = [((2, 0, 0), (np.float16, np.float32, np.float32), 1e-6), ((2, 2, 0), (np.float16, np.float16, np.float32), 2e-3),
         ((3, 10, 10), (np.int8, np.int32, np.int32), 0)]
PATTERN = 0x5B


def turned(matrix: np.ndarray, operation: int) -> np.ndarray:
    return (matrix, matrix.T, matrix.conj().T)[operation]


class Case:
    def __init__(self, draw: random.Random, noise: np.random.Generator, kind: str) -> None:
        self.draw, self.noise, self.kind = draw, noise, kind
        mixed = MIXED if kind in ("SpMV", "SpMM") else []
        self.codes, types, self.tolerance = draw.choice(TYPES + mixed)
        if kind in ("Dcsrilu02", "Dnnz", "Dcsrgeam2"):
            self.codes, types, self.tolerance = TYPES[1]
        self.type, self.result_type, self.compute_type = types
        self.rows, self.cols = (draw.choice((0, 1, 2, 5, 16, 31, 64)) for _ in range(2))
        if kind in ("SpSV", "SpSM", "Dcsrilu02"):
            self.cols = self.rows
        self.inner = draw.choice((1, 3, 8, 17))
        legacy = kind[0] in "XD" and kind != "DenseToSparse" or kind == "Csr2cscEx2"
        self.base, self.index_type = draw.choice((0, 1)), 2 if legacy else draw.choice((2, 3))
        self.index = np.int32 if self.index_type == 2 else np.int64
        self.format = draw.choice((CSR, COO, CSC)) if kind in ("SpMV", "SpMM", "SparseToDense", "DenseToSparse") else CSR
        if kind in ("SpSV", "SpSM"):
            self.format = draw.choice((CSR, COO))
        self.op_a, self.op_b = (draw.choice((0, 0, 1, 2)) for _ in range(2))
        self.alpha, self.beta = self.scalar(), draw.choice((np.zeros((), self.compute_type), self.scalar()))
        self.arrays = {name: np.zeros(0, np.uint8) for name in ARRAYS}
        self.wanted: dict[str, tuple[np.ndarray, np.ndarray]] = {}  # of an array: values, and where they stand
        self.order_b, self.order_c = (draw.choice((BY_COLUMNS, BY_ROWS)) for _ in range(2))
        self.b_shape, self.c_shape, self.ldb, self.ldc, self.batches, self.count3 = (1, 1), (1, 1), 1, 1, 1, 0
        self.fill, self.unit = draw.choice((0, 1)), draw.choice((0, 1))
        self.a = self.sparse(self.rows, self.cols)
        getattr(self, f"draw_{kind.lower()}")()
        self.arrays["alpha"], self.arrays["beta"] = (np.array([s], self.compute_type) for s in (self.alpha, self.beta))

    # --- numbers ---
    def numbers(self, *shape: int, dtype: type | None = None) -> np.ndarray:
        kind = np.dtype(dtype or self.type)
        if kind.kind == "i":
            return self.noise.integers(-4, 5, shape).astype(kind)
        values = self.noise.standard_normal(shape)
        if kind.kind == "c":
            values = values + 1j * self.noise.standard_normal(shape)
        return values.astype(kind)

    def scalar(self) -> np.ndarray:
        return self.numbers(dtype=self.compute_type)

    def sparse(self, rows: int, cols: int, density: float = 0.3) -> np.ndarray:
        matrix = self.numbers(rows, cols)
        matrix[self.noise.random((rows, cols)) > self.draw.choice((density, 0.05))] = 0
        return matrix

    def wide(self, matrix: np.ndarray) -> np.ndarray:
        return matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64)

    # --- arrays ---
    def compressed(self, matrix: np.ndarray, layout: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        lines = matrix.T if layout == CSC else matrix
        major, minor = np.nonzero(lines)
        starts = major if layout == COO else np.concatenate(([0], np.cumsum(np.count_nonzero(lines, axis=1))))
        return ((starts + self.base).astype(self.index), (minor + self.base).astype(self.index), lines[major, minor])

    def give_sparse(self, matrix: np.ndarray, suffix: str = "") -> int:
        for name, values in zip(("starts", "indices", "values"), self.compressed(matrix, self.format), strict=True):
            self.arrays[name + suffix] = values
        return int(np.count_nonzero(matrix))

    def want_sparse(self, matrix: np.ndarray, layout: int, suffix: str = "2") -> None:
        for name, values in zip(("starts", "indices", "values"), self.compressed(matrix, layout), strict=True):
            self.arrays[name + suffix] = np.full(values.nbytes, PATTERN, np.uint8).view(values.dtype)
            self.want(name + suffix, values, np.arange(values.size))

    def give_dense(self, name: str, matrix: np.ndarray, order: int, padded: bool = True) -> int:
        """Batches lie behind each other: the first dimension, where there are three."""
        rows, cols = matrix.shape[-2:]
        lines, length = (rows, cols) if order == BY_ROWS else (cols, rows)
        ld = length + (self.draw.choice((0, 0, 3)) if padded else 0)
        room = np.full(max(1, lines * ld) * matrix.itemsize, PATTERN, np.uint8).view(matrix.dtype)
        whole = np.concatenate([room.copy() for _ in range(self.batches)])
        whole[self.places(matrix.shape[-2:], order, ld)] = matrix if self.batches > 1 else matrix.reshape(1, rows, cols)
        self.arrays[name] = whole
        return ld

    def places(self, shape: tuple[int, ...], order: int, ld: int) -> np.ndarray:
        rows, cols = np.indices(shape)
        one = rows * ld + cols if order == BY_ROWS else rows + cols * ld
        step = max(1, (shape[0] if order == BY_ROWS else shape[1]) * ld)
        return np.stack([one + batch * step for batch in range(self.batches)])

    def want(self, name: str, values: np.ndarray, places: np.ndarray) -> None:
        self.wanted[name] = (values, places)

    def give_result(self, old: np.ndarray, result: np.ndarray, padded: bool = True) -> None:
        self.c_shape = old.shape[-2:]
        self.ldc = self.give_dense("c", old.astype(self.result_type), self.order_c, padded)
        self.want("c", result.reshape(self.batches, *self.c_shape), self.places(self.c_shape, self.order_c, self.ldc))

    # --- kinds ---
    def product(self, cols: int, padded: bool) -> None:
        a = turned(self.wide(self.a), self.op_a)
        b_shape = (a.shape[1], cols) if self.op_b == 0 else (cols, a.shape[1])
        if self.kind == "SpMM" and self.format == CSR and self.codes[0] in (0, 1, 4) and min(*a.shape) > 0:
            self.batches = self.draw.choice((1, 1, 2))
        if self.batches > 1 and self.codes[0] in (0, 1, 4):
            lead: tuple[int, ...] = (self.batches,)
        else:
            self.batches, lead = 1, ()
        b, c = self.numbers(*lead, *b_shape), self.numbers(*lead, a.shape[0], cols, dtype=self.result_type)
        matrices = [self.a]
        self.count = self.give_sparse(self.a)
        for _ in range(self.batches - 1):  # the same pattern, other values
            other = np.where(self.a != 0, self.numbers(*self.a.shape), 0).astype(self.type)
            other[(self.a != 0) & (other == 0)] = 1
            matrices.append(other)
            self.arrays["values"] = np.concatenate((self.arrays["values"], self.compressed(other, CSR)[2]))
            self.arrays["indices"] = np.concatenate((self.arrays["indices"], self.compressed(other, CSR)[1]))
        self.b_shape = b_shape
        self.ldb = self.give_dense("b", b, self.order_b, padded)
        each = zip(matrices, b.reshape(self.batches, *b_shape), c.reshape(self.batches, a.shape[0], cols), strict=True)
        result = np.stack([self.alpha * (turned(self.wide(m), self.op_a) @ turned(self.wide(x), self.op_b)) +
                           (self.beta * self.wide(old) if self.beta != 0 else 0) for m, x, old in each])
        self.give_result(c, result, padded)

    def draw_spmv(self) -> None:
        self.op_b, self.order_b, self.order_c = 0, BY_COLUMNS, BY_COLUMNS
        self.product(1, False)

    def draw_spmm(self) -> None:
        self.product(self.inner, True)

    def triangle(self, cols: int, padded: bool) -> None:
        np.fill_diagonal(self.a, 2 + np.abs(self.a.diagonal()))
        self.a[np.abs(self.a) > 4] = 2
        a = self.wide(self.a) / max(1, self.rows)
        np.fill_diagonal(a, self.a.diagonal())
        self.a = a.astype(self.type)
        self.count = self.give_sparse(self.a)
        half = (np.tril if self.fill == 0 else np.triu)(self.wide(self.a))
        if self.unit == 1:
            np.fill_diagonal(half, 1)
        b = self.numbers(*((self.rows, cols) if self.op_b == 0 else (cols, self.rows)))
        self.b_shape = b.shape
        self.ldb = self.give_dense("b", b, self.order_b, padded)
        result = np.linalg.solve(turned(half, self.op_a), self.alpha * turned(self.wide(b), self.op_b))
        self.tolerance *= 10
        self.give_result(self.numbers(self.rows, cols), result, padded)

    def draw_spsv(self) -> None:
        self.op_b, self.order_b, self.order_c = 0, BY_COLUMNS, BY_COLUMNS
        self.triangle(1, False)

    def draw_spsm(self) -> None:
        self.triangle(self.inner, True)

    def draw_sddmm(self) -> None:
        self.count = self.give_sparse(self.a)
        b = self.numbers(*((self.rows, self.inner) if self.op_a == 0 else (self.inner, self.rows)))
        c = self.numbers(*((self.inner, self.cols) if self.op_b == 0 else (self.cols, self.inner)))
        self.b_shape, self.c_shape = b.shape, c.shape
        self.ldb, self.ldc = self.give_dense("b", b, self.order_b), self.give_dense("c", c, self.order_c)
        product = self.alpha * (turned(self.wide(b), self.op_a) @ turned(self.wide(c), self.op_b)) + self.beta * self.wide(self.a)
        self.want("values", product[np.nonzero(self.a)], np.arange(self.count))

    def draw_sparsetodense(self) -> None:
        self.count = self.give_sparse(self.a)
        self.give_result(self.numbers(self.rows, self.cols), self.a)

    def draw_densetosparse(self) -> None:
        self.count = int(np.count_nonzero(self.a))
        self.b_shape = self.a.shape
        self.ldb = self.give_dense("b", self.a, self.order_b)
        self.want_sparse(self.a, self.format)

    def draw_csr2cscex2(self) -> None:
        self.count = self.give_sparse(self.a)
        self.want_sparse(self.a, CSC)

    def draw_spgemm(self) -> None:
        right = self.sparse(self.cols, self.inner)
        self.op_a, self.beta = 0, np.zeros((), self.compute_type)
        self.count, self.count3 = self.give_sparse(self.a), self.give_sparse(right, "3")
        result = (self.alpha * (self.wide(self.a) @ self.wide(right))).astype(self.type)
        pattern = (self.a != 0).astype(int) @ (right != 0).astype(int) != 0
        result[pattern & (result == 0)] = 1e-30
        self.want_sparse(np.where(pattern, result, 0), CSR)

    def vectors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self.cols = max(1, self.cols)
        self.count = self.draw.randint(0, self.cols)
        places = np.array(self.draw.sample(range(self.cols), self.count), np.int64)
        self.arrays["indices"], x = (places + self.base).astype(self.index), self.numbers(self.count)
        y = self.numbers(self.cols, 1)
        self.arrays["values"] = x
        self.a, self.rows, self.order_c = y, 1, BY_COLUMNS
        return places, self.wide(x), self.wide(y)[:, 0]

    def draw_axpby(self) -> None:
        places, x, y = self.vectors()
        result = self.beta * y
        result[places] += self.alpha * x
        self.give_result(self.a, result, False)

    def draw_gather(self) -> None:
        places, _, y = self.vectors()
        self.give_result(self.a, y, False)
        self.want("values", y[places], np.arange(self.count))

    def draw_scatter(self) -> None:
        places, x, y = self.vectors()
        y[places] = x
        self.give_result(self.a, y, False)

    def draw_rot(self) -> None:
        places, x, y = self.vectors()
        left, right = x.copy(), y[places]
        y[places] = self.alpha * right - self.beta * left
        self.want("values", self.alpha * left + self.beta * right, np.arange(self.count))
        self.give_result(self.a, y, False)

    def draw_spvv(self) -> None:
        places, x, y = self.vectors()
        self.give_result(self.a, y, False)
        self.arrays["b"] = self.numbers(1)
        self.want("b", np.array([np.sum((x.conj() if self.op_a == 2 else x) * y[places])]), np.arange(1))

    def draw_xcoo2csr(self) -> None:
        self.format = COO
        self.count = self.give_sparse(self.a)
        self.want_sparse(self.a, CSR)
        self.format = CSR
        self.keep_starts_alone()

    def draw_xcsr2coo(self) -> None:
        self.count = self.give_sparse(self.a)
        self.want_sparse(self.a, COO)
        self.keep_starts_alone()

    def keep_starts_alone(self) -> None:
        for name in ("indices2", "values2"):
            self.arrays[name] = np.zeros(0, np.uint8)
            del self.wanted[name]

    def draw_xcsrsort(self) -> None:
        self.count = self.give_sparse(self.a)
        sorted_indices, order = self.arrays["indices"], np.arange(self.count)
        ends = self.arrays["starts"] - self.base
        for first, last in zip(ends, ends[1:], strict=False):
            self.noise.shuffle(order[first:last])
        self.arrays["indices"] = sorted_indices[order]
        self.arrays["indices2"] = np.full(self.count * 4, PATTERN, np.uint8).view(np.int32)
        self.want("indices", sorted_indices, np.arange(self.count))
        self.want("indices2", np.argsort(order), np.arange(self.count))

    def draw_dcsrilu02(self) -> None:
        np.fill_diagonal(self.a, 8 + np.abs(self.a.diagonal()))
        self.count = self.give_sparse(self.a)
        pattern, lu = self.a != 0, self.a.copy()
        for row in range(self.rows):
            for k in range(row):
                if pattern[row, k]:
                    lu[row, k] /= lu[k, k]
                    lu[row, k + 1:] -= np.where(pattern[row, k + 1:], lu[row, k] * lu[k, k + 1:], 0)
        self.want("values", lu[pattern], np.arange(self.count))

    def draw_dcsrgeam2(self) -> None:
        other = self.sparse(self.rows, self.cols)
        self.count, self.count3 = self.give_sparse(self.a), self.give_sparse(other, "3")
        result = self.alpha * self.a + self.beta * other
        pattern = (self.a != 0) | (other != 0)
        result[pattern & (result == 0)] = 1e-300
        self.want_sparse(np.where(pattern, result, 0), CSR)

    def draw_dnnz(self) -> None:
        self.order_b, self.b_shape = BY_COLUMNS, self.a.shape
        self.ldb = self.give_dense("b", self.a, BY_COLUMNS)
        self.ldb = max(1, self.ldb)
        self.count = int(np.count_nonzero(self.a))
        counts = np.count_nonzero(self.a, axis=1 - self.unit)
        self.arrays["starts2"] = np.full(counts.size * 4, PATTERN, np.uint8).view(np.int32)
        self.want("starts2", counts, np.arange(counts.size))

    # --- in and out ---
    def line(self) -> str:
        numbers = [KINDS.index(self.kind), self.format, self.rows, self.cols, self.count, self.inner, self.index_type, self.base, *self.codes,
                   self.op_a, self.op_b, self.order_b, self.order_c, int(self.draw.random() < 0.3), self.fill, self.unit,
                   *self.b_shape, self.ldb, *self.c_shape, self.ldc, self.batches, self.count3]
        return " ".join(str(n) for n in [*numbers, *(self.arrays[name].nbytes for name in ARRAYS)])

    def given(self) -> bytes:
        return b"".join(self.arrays[name].tobytes() for name in ARRAYS)

    def wrong(self, written: bytes) -> tuple[str, float]:
        """What is wrong, and the error of the numbers, as a part of what the type lets pass."""
        at, worst = 0, 0.0
        for name in ARRAYS:
            old = self.arrays[name]
            found = np.frombuffer(written[at:at + old.nbytes], old.dtype)
            at += old.nbytes
            values, places = self.wanted.get(name, (np.zeros(0), np.zeros(0, int)))
            beside = np.setdiff1d(np.arange(found.size), places)
            if found[beside].tobytes() != old[beside].tobytes():
                return f"{self.kind} {self.line()}: {name} was written where it must not", worst
            if values.size == 0:
                continue
            error = float(np.abs(found[places] - values).max()) / max(1.0, float(np.abs(values).max()))
            most = 0 if found.dtype.kind == "i" else self.tolerance * max(1, *self.a.shape)
            if not error <= most:
                return f"{self.kind} {self.line()}: {name} differs by {error:.2e}", worst
            worst = max(worst, error)
        return "", worst
