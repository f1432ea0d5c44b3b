"""What a check, a profile or a run found, as objects.

Enters: the program's JSON (docs/json.md). Leaves: attributes for programs, `_repr_html_` for notebooks, `str()` for terminals. The JSON itself
stays in `json`: what has no attribute is there."""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from transpose_lab import html

Json = dict[str, Any]
Counters = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Finding:
    """A mistake or a waste: its stable code, what happened, what to do, and where."""

    code: str
    message: str
    remedy: str = ""
    file: str = ""
    line: int = 0
    op: str = ""
    block: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()
    figures: tuple[Mapping[str, Any], ...] = ()
    fix: Mapping[str, Any] | None = None  # of a fault, for tools that apply it
    ptx_line: int = 0  # of a launch of PTX

    @staticmethod
    def of(found: Json) -> Finding:
        return Finding(found.get("code") or found["kind"], found["message"], found.get("remedy", ""), found.get("file", ""), found.get("line", 0),
                       found.get("op", ""), tuple(found.get("block") or ()), tuple(found.get("thread") or ()), tuple(found.get("figures", ())),
                       found.get("fix"), found.get("ptx_line", 0))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"PTX line {self.ptx_line}: " if self.ptx_line else ""
        return f"{place}{self.code}: {self.message}" + (f"\n  {self.remedy}" if self.remedy else "")


@dataclass(frozen=True)
class Line:
    """One kind of access of one source line. `cost` are sectors (global, local) or wavefronts (shared); `ideal` the least for the same bytes."""

    file: str
    line: int
    op: str
    requests: int
    cost: int
    ideal: int
    unit: str
    bytes: int

    @staticmethod
    def of(line: Json) -> Line:
        unit = "wavefronts" if "wavefronts" in line else "sectors"
        return Line(line["file"], line["line"], line["op"], line["requests"], line.get(unit, 0), line.get(f"ideal_{unit}", 0), unit, line["bytes"])


def lines_table(lines: list[Line]) -> str:
    if not lines:
        return ""
    return html.table(["line", "access", "requests", "cost", "ideal", ""],
                      [(f"{one.file}:{one.line}", one.op.replace("_", " "), one.requests, one.cost, one.ideal, one.unit) for one in lines])


def findings_list(findings: list[Finding]) -> str:
    items = "".join(f'<li><b>{html.escape(one.code)}</b>{html.escape(f", {one.file}:{one.line}" if one.line else "")}: {html.sentence(one.message)}'
                    f'{f"<br><i>{html.sentence(one.remedy)}</i>" if one.remedy else ""}</li>' for one in findings)
    return f"<ul>{items}</ul>" if findings else ""


@dataclass(frozen=True)
class Page:
    """The step-through page of a kernel: all requests of its first block, one by one."""

    text: str
    height: int = 720

    def _repr_html_(self) -> str:
        return html.frame(self.text, self.height)

    def save(self, path: str) -> None:
        """Writes it to a file that any browser opens, without a network."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)


@dataclass(repr=False)
class Result:
    """What every answer about one launch has."""

    json: Json
    text: str = ""
    _page: Callable[[], str] | None = field(default=None, repr=False)
    below: Page | None = field(default=None, repr=False)  # what a notebook shows below the card

    @property
    def correct(self) -> bool:
        return bool(self.json.get("correct", not self.json["faults"]))

    @property
    def counters(self) -> Counters:
        """By path: counters["global_load"]["sectors"]."""
        return self.json["counters"]

    @property
    def totals(self) -> Counters:
        """By space: totals["global"]["sectors"], totals["shared"]["wavefronts"]."""
        return self.json["totals"]

    @property
    def findings(self) -> list[Finding]:
        found: list[Json] = self.json["findings"] if "findings" in self.json else self.json["faults"]
        return [Finding.of(one) for one in found]

    @property
    def lines(self) -> list[Line]:
        return [Line.of(one) for one in self.json.get("lines", ())]

    @property
    def cost(self) -> Mapping[str, float]:
        """What the answer cost: `work` is the same on every machine, seconds are not."""
        return self.json.get("cost", {})

    @property
    def page(self) -> Page:
        """The step-through page; it runs the kernel once more."""
        if self._page is None:
            raise AttributeError("Only what check and profile return has a page.")
        return Page(self._page())

    def __str__(self) -> str:
        return html.plain(self.text)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html.terminal(self.text) + (self.below._repr_html_() if self.below else "")


@dataclass(repr=False)
class Check(Result):
    """The verdict on a chapter's kernel; shown, it is the card of `lab check`."""

    @property
    def passed(self) -> bool:
        return bool(self.json["passed"])

    @property
    def points(self) -> int:
        return int(self.json["points"])

    @property
    def points_possible(self) -> int:
        return int(self.json["points_possible"])

    @property
    def cases(self) -> list[Json]:
        return [*self.json["cases"]]

    def __bool__(self) -> bool:
        return self.passed


class Profile(Result):
    """One launch of a transpose, counted."""


@dataclass(repr=False)
class Launch(Result):
    """One launch of any kernel, counted."""

    def __post_init__(self) -> None:
        if not self.text:
            self.text = self._line() + "".join(f"\n{one}" for one in [*self.findings, *(f"note: {note}" for note in self.notes)])

    @property
    def kernel(self) -> str:
        """Its name without parameters, and without the tags that numba adds."""
        return re.sub(r"\[abi:[^]]*\]|\(.*", "", str(self.json["kernel"])).removeprefix("void ")

    def _line(self) -> str:
        g, s = self.totals["global"], self.totals["shared"]
        return (f"{self.kernel}: {html.grouped(g['sectors'])} sectors, {html.grouped(g['ideal_sectors'])} would do; "
                f"{html.grouped(s['wavefronts'])} wavefronts, {html.grouped(s['ideal_wavefronts'])} would do")

    @property
    def notes(self) -> list[str]:
        """What is no mistake and good to know."""
        return [str(note["message"]) for note in self.json.get("notes", ())]

    @property
    def output(self) -> str:
        """What the kernel printed."""
        return str(self.json.get("output", ""))

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>note: {html.sentence(note)}</p>" for note in self.notes)
        return launches_table([self]) + findings_list(self.findings) + notes + lines_table(self.lines)


def launches_table(launches: list[Launch]) -> str:
    def row(number: int, launch: Launch) -> tuple[object, ...]:
        g, s = launch.totals["global"], launch.totals["shared"]
        return (number, launch.kernel, "×".join(map(str, launch.json["grid"])), "×".join(map(str, launch.json["block"])), g["sectors"], g["ideal_sectors"],
                s["wavefronts"], s["ideal_wavefronts"], ", ".join(sorted({one.code for one in launch.findings})) or "–")
    return html.table(["#", "kernel", "grid", "block", "sectors", "ideal", "wavefronts", "ideal", "findings"],
                      [row(number, launch) for number, launch in enumerate(launches, 1)])


@dataclass(repr=False)
class Run:
    """A whole program: what it printed, how it ended, and each of its launches."""

    launches: list[Launch]
    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""

    @property
    def findings(self) -> list[Finding]:
        return [one for launch in self.launches for one in launch.findings]

    @property
    def lines(self) -> list[Line]:
        return [one for launch in self.launches for one in launch.lines]

    @property
    def counters(self) -> Counters:
        """Summed over all launches."""
        total: dict[str, dict[str, int]] = {}
        for launch in self.launches:
            for path, values in launch.counters.items():
                into = total.setdefault(path, {})
                for key, value in values.items():
                    into[key] = into.get(key, 0) + value
        return total

    def __str__(self) -> str:
        return self.stdout + self.stderr + "\n".join(str(launch) for launch in self.launches)

    def __repr__(self) -> str:
        return html.shortened(str(self))

    def _repr_html_(self) -> str:
        said = html.terminal(html.shortened(self.stdout + self.stderr)) if self.stdout + self.stderr else ""
        parts = []
        for number, launch in enumerate(self.launches, 1):
            if launch.lines:
                parts.append(f"<details><summary>{number} · {html.escape(launch.kernel)}: each line</summary>{lines_table(launch.lines)}</details>")
        ended = f"<p>exit code {self.exit_code}</p>" if self.exit_code else ""
        return said + ended + (launches_table(self.launches) if self.launches else "") + findings_list(self.findings) + "".join(parts)
