"""An environment as libraries for reinforcement learning expect it: reset, step.

Enters: a problem, and kernels as text. Leaves: observations as text, a reward that is a vector by name, never one number.

Sectors and wavefronts are counts, no times: a kernel that touches fewer sectors is not always faster, and one that is trained for counts alone
finds kernels that no one wants to run. Judge what you train on a GPU, too."""
from __future__ import annotations

import random
from typing import Any

from transpose_lab.judge import Judge, LabError
from transpose_lab.problem import Problem, Solved, solve


class KernelEnvironment:
    """One episode: `reset()` says the task, `step(source)` judges a kernel; it ends with one that passes, or after `most_steps`."""

    def __init__(self, problem: Problem, *, most_steps: int = 8, judge: Judge | None = None) -> None:
        self.problem, self.most_steps = problem, most_steps
        self.judge = judge or Judge(sandbox=True)
        self._random = random.Random()
        self._steps, self._ended = 0, True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """The task, and what the kernel is called. The seed draws the sizes of all steps."""
        if seed is not None:
            self._random = random.Random(seed)
        self._steps, self._ended = 0, False
        return self.problem.task, {"entry": self.problem.entry}

    def step(self, action: str) -> tuple[str, dict[str, float], bool, bool, dict[str, Any]]:
        """Observation, reward, terminated, truncated, info. Raises LabError behind the end of an episode."""
        if self._ended:
            raise LabError("bad-request", "No episode has begun, or it has ended.", "Call reset() before step().")
        self._steps += 1
        solved: Solved = solve(self.problem, action, seed=self._random.randrange(1 << 31), judge=self.judge)
        cut = not solved.passed and self._steps >= self.most_steps
        self._ended = solved.passed or cut
        return str(solved), solved.reward, solved.passed, cut, {"solved": solved}

    def close(self) -> None:
        self.judge.close()
