"""Drawn calls of cuSOLVER: what each is given, and what numpy says of what comes out: factors are multiplied together again.

Enters: generators of random numbers. Leaves: for solver.cu a line and the bytes of six arrays each; for test_algebra.py what is wrong with the bytes
that came back.
"""
import random

import numpy as np

KINDS = ("getrf", "getrs", "potrf", "potrs", "potri", "geqrf", "ormqr", "orgqr", "gesvd", "syevd", "syevj", "gesvdj", "geev")
ARRAYS = ("a", "b", "c", "scales", "pivots", "info")
TYPES = {0: np.float32, 1: np.float64, 4: np.complex64, 5: np.complex128}
JOBS = (("A", "A"), ("S", "S"), ("S", "N"), ("N", "A"), ("O", "S"), ("S", "O"), ("N", "N"))  # of gesvd: for U, for V transposed
PATTERN = 0x5B


def turned(matrix: np.ndarray, operation: int) -> np.ndarray:
    return (matrix, matrix.T, matrix.conj().T)[operation]


class Case:
    def __init__(self, draw: random.Random, noise: np.random.Generator, kind: str) -> None:
        self.draw, self.noise, self.kind = draw, noise, kind
        self.code = draw.choice(list(TYPES))
        self.type = np.dtype(TYPES[self.code])
        self.real = np.dtype(self.type.char.lower()) if self.type.kind == "c" else self.type
        self.n, self.k = draw.choice((1, 2, 7, 16, 33)), draw.choice((1, 2, 5))
        self.m = self.n if kind in ("getrs", "potrf", "potrs", "potri", "syevd", "syevj", "geev") else self.n + draw.choice((0, 1, 9))
        if kind in ("getrf", "geqrf") and draw.random() < 0.3:
            self.m = draw.choice((1, 5))
        self.fill, self.side, self.op = draw.choice((0, 1)), draw.choice((0, 1)), draw.choice((0, 1, 2))
        self.job_u, self.job_vt = draw.choice(JOBS) if kind == "gesvd" else (draw.choice((0, 1)), 0)
        self.arrays = {name: np.zeros(0, np.uint8) for name in ARRAYS}
        self.lds = {"a": 1, "b": 1, "c": 1}
        self.shapes: dict[str, tuple[int, int]] = {}
        self.arrays["info"] = np.full(1, 99, np.int32)
        least = min(self.m, self.n)
        if kind == "gesvdj":  # that of many takes no larger ones
            self.m, self.n = draw.choice((1, 2, 7, 16, 32)), draw.choice((1, 2, 7, 16, 32))
            least = min(self.m, self.n)
        number = self.real if kind in ("gesvd", "syevd", "syevj", "gesvdj") else np.result_type(self.type, np.complex64) if kind == "geev" else self.type
        self.arrays["scales"] = np.zeros(least, number)
        self.wide = kind == "geev" or (kind not in ("potri", "ormqr", "orgqr", "syevj", "gesvdj") and draw.random() < 0.4)  # the 64-bit API
        self.arrays["pivots"] = np.zeros(least, np.int64 if self.wide else np.int32)
        a = self.numbers(self.m, self.n)
        if kind in ("potrf", "potrs", "potri"):
            a = a @ a.conj().T + self.n * np.eye(self.n)
        elif kind in ("syevd", "syevj"):
            a = a + a.conj().T
        if kind == "getrf" and draw.random() < 0.4:  # without pivots
            self.k, a = 0, a + 9 * np.eye(self.m, self.n)
        self.a = a.astype(self.type)
        given = self.a.copy()
        if kind in ("potrf", "potrs", "potri", "syevd", "syevj"):  # the other half is not read
            given[np.triu_indices(self.n, 1) if self.fill == 0 else np.tril_indices(self.n, -1)] = np.nan
        self.give("a", given)
        if kind in ("getrs", "potrs"):
            self.b = self.numbers(self.n, self.k)
            self.give("b", self.b)
        elif kind == "ormqr":
            self.op = 0 if self.op == 0 else 2 if self.type.kind == "c" else 1
            self.b = self.numbers(*((self.m, self.k) if self.side == 0 else (self.k, self.m)))
            self.give("b", self.b)
        elif kind == "orgqr":
            self.k = self.draw.choice((self.n, self.m))
            self.give("b", np.zeros((self.m, self.k), self.type))
        elif kind == "geev":
            self.give("b", np.zeros((self.n, self.n), self.type))
        elif kind == "gesvdj":  # `op`: no more columns than there are values
            self.op = 0 if self.side == 1 else min(self.op, 1)
            self.give("b", np.zeros((self.m, least if self.op else self.m), self.type))
            self.give("c", np.zeros((self.n, least if self.op else self.n), self.type))
        elif kind == "gesvd":
            self.give("b", self.numbers(self.m, self.m if self.job_u == "A" else self.n))
            self.give("c", self.numbers(self.n, self.n))

    def numbers(self, *shape: int) -> np.ndarray:
        values = self.noise.standard_normal(shape)
        if self.type.kind == "c":
            values = values + 1j * self.noise.standard_normal(shape)
        return values.astype(self.type)

    def give(self, name: str, matrix: np.ndarray) -> None:
        rows, cols = matrix.shape
        ld = rows + self.draw.choice((0, 0, 2))
        room = np.full(ld * cols * matrix.itemsize, PATTERN, np.uint8).view(matrix.dtype)
        room.reshape(cols, ld)[:, :rows] = matrix.T
        self.arrays[name], self.lds[name], self.shapes[name] = room, ld, matrix.shape

    def line(self) -> str:
        jobs = [ord(job) if isinstance(job, str) else job for job in (self.job_u, self.job_vt)]
        numbers = [KINDS.index(self.kind), self.code, self.m, self.n, self.k, *self.lds.values(), self.fill, self.op, self.side, *jobs, int(self.wide)]
        return " ".join(str(n) for n in [*numbers, *(self.arrays[name].nbytes for name in ARRAYS)])

    def given(self) -> bytes:
        return b"".join(self.arrays[name].tobytes() for name in ARRAYS)

    def wrong(self, written: bytes) -> tuple[str, float]:
        at, found = 0, {}
        for name in ARRAYS:
            old = self.arrays[name]
            found[name] = np.frombuffer(written[at:at + old.nbytes], old.dtype)
            at += old.nbytes
            if name in self.shapes:
                rows, cols = self.shapes[name]
                whole, before = found[name].reshape(cols, self.lds[name]), old.reshape(cols, self.lds[name])
                if whole[:, rows:].tobytes() != before[:, rows:].tobytes():
                    return f"{self.kind} {self.line()}: {name} was written beside the matrix", 0.0
                found[name] = whole[:, :rows].T
        if found["info"][0] != 0:
            return f"{self.kind} {self.line()}: info is {found['info'][0]}", 0.0
        errors = [float(np.abs(left - right).max(initial=0)) / max(1.0, float(np.abs(right).max(initial=0)))
                  for left, right in getattr(self, f"pairs_{self.kind}")(found)]
        worst = max(errors)
        if not worst <= 100 * max(self.m, self.n) * np.finfo(self.real).eps:
            return f"{self.kind} {self.line()}: differs by {errors}", worst
        return "", worst

    # --- pairs that must be equal ---
    def pairs_getrf(self, found: dict) -> list:
        lower, upper = np.tril(found["a"], -1)[:, :self.n] + np.eye(self.m, self.n), np.triu(found["a"])
        least = min(self.m, self.n)
        rows = list(range(self.m))
        for k, row in enumerate(found["pivots"] if self.k else []):
            rows[k], rows[row - 1] = rows[row - 1], rows[k]
        return [(lower[:, :least] @ upper[:least], self.a[rows])]

    def pairs_getrs(self, found: dict) -> list:
        scale = max(1.0, float(np.abs(found["b"]).max()))  # what is small beside the solution is no error
        return [(turned(self.a, self.op) @ found["b"] / scale, self.b / scale)]

    def half(self, matrix: np.ndarray) -> np.ndarray:
        return np.tril(matrix) if self.fill == 0 else np.triu(matrix)

    def unread(self, found: dict) -> tuple:
        """The other half is as it was: not a number."""
        places = np.triu_indices(self.n, 1) if self.fill == 0 else np.tril_indices(self.n, -1)
        return (np.isnan(found["a"][places]).astype(int), np.ones(len(places[0])))

    def pairs_potrf(self, found: dict) -> list:
        factor = self.half(found["a"])
        return [(factor @ factor.conj().T if self.fill == 0 else factor.conj().T @ factor, self.a), self.unread(found)]

    def pairs_potrs(self, found: dict) -> list:
        return [(self.a @ found["b"], self.b), self.unread(found)]

    def pairs_potri(self, found: dict) -> list:
        return [(self.half(found["a"]), self.half(np.linalg.inv(self.a))), self.unread(found)]

    def q(self, found: dict) -> np.ndarray:
        """The product of the reflections that geqrf leaves."""
        q = np.eye(self.m, dtype=self.type)
        for k, scale in enumerate(found["scales"]):
            v = np.concatenate((np.zeros(k), [1], found["a"][k + 1:, k])).astype(self.type)
            q = q - scale * np.outer(q @ v, v.conj())
        return q

    def pairs_geqrf(self, found: dict) -> list:
        return [(self.q(found) @ np.triu(found["a"]), self.a)]

    def pairs_ormqr(self, found: dict) -> list:
        q = turned(self.q(found), self.op)
        return [(found["b"], q @ self.b if self.side == 0 else self.b @ q)]

    def pairs_orgqr(self, found: dict) -> list:
        return [(found["b"], self.q(found)[:, :self.k])]

    def pairs_gesvd(self, found: dict) -> list:
        s, least = found["scales"], self.n
        pairs = [(s, np.linalg.svd(self.a, compute_uv=False))]
        u = {"O": found["a"], "N": None}.get(self.job_u, found["b"])
        vt = {"O": found["a"][:least], "N": None}.get(self.job_vt, found["c"])
        for vectors in (u, None if vt is None else vt.conj().T):
            if vectors is not None:
                pairs.append((vectors.conj().T @ vectors, np.eye(vectors.shape[1])))
        if u is not None and vt is not None:
            pairs.append((u[:, :least] * s @ vt, self.a))
        return pairs

    def pairs_syevd(self, found: dict) -> list:
        pairs = [(found["scales"], np.linalg.eigvalsh(self.a))]
        if self.job_u == 1:
            pairs.append((self.a @ found["a"], found["a"] * found["scales"]))
            pairs.append((found["a"].conj().T @ found["a"], np.eye(self.n)))
        return pairs

    pairs_syevj = pairs_syevd

    def pairs_gesvdj(self, found: dict) -> list:
        s, least = found["scales"], min(self.m, self.n)
        pairs = [(s, np.linalg.svd(self.a, compute_uv=False))]
        if self.job_u == 1:
            pairs += [(vectors.conj().T @ vectors, np.eye(vectors.shape[1])) for vectors in (found["b"], found["c"])]
            pairs.append((found["b"][:, :least] * s @ found["c"][:, :least].conj().T, self.a))
        return pairs

    def pairs_geev(self, found: dict) -> list:
        values, vectors = found["scales"], found["b"].astype(found["scales"].dtype)
        pairs = [(np.sort_complex(values), np.sort_complex(np.linalg.eigvals(self.a).astype(values.dtype)))]
        if self.job_u == 1:
            for k in range(self.n - 1):  # of a pair, the real and the imaginary parts
                if self.type.kind != "c" and values[k].imag > 0:
                    vectors[:, k], vectors[:, k + 1] = vectors[:, k] + 1j * vectors[:, k + 1], vectors[:, k] - 1j * vectors[:, k + 1]
            pairs += [(self.a @ vectors, vectors * values), (np.linalg.norm(vectors, axis=0), np.ones(self.n))]
        return pairs
