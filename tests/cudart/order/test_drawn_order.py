"""Drawn programs of streams, events and waits of the host: a right one, and the same without one of the steps that order it.

Place in the flow: enters the built `lab` (LAB_PROGRAM) and drawn_order.cu, compiled once. The reference knows of each piece of work the set of
those that come before it, by CUDA's rules and nothing else. Leaves: exit 0 when `lab run` reports a stream-race where two pieces of work touch
one buffer and neither comes before the other, a host-race where the host touches managed memory that work may still use, a host-buffer where
a graph copies from memory of the host that is gone, and nothing where there is none of these; and the same bytes and words on one host thread
and on several; 77 without nvcc.
"""
import os
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

HERE = Path(__file__).resolve().parent
LAB = os.environ.get("LAB_PROGRAM", str(HERE.parents[2] / "build" / "common" / "cli" / "lab"))
FAILED_ONCE: list[int] = []
BLOCKING = (1, 2)  # streams that the default one waits for, and that wait for it
LETTERS = "abcdefghijklmnop"
HOST = 5  # in the place of a stream
PINNED, STATIC, LOCAL = 2, 3, 4  # kinds of host memory that a graph copies from; 0 and 1 are the heap's


class Order:
    """What comes before what."""

    def __init__(self) -> None:
        self.streams: dict[int, set[int]] = {k: set() for k in range(5)}
        self.host: set[int] = set()
        self.events: dict[int, set[int]] = {}
        self.touched: list[tuple[int, int, str, int]] = []  # work, buffer, how (read, write, add: by atomics), stream
        self.works = 0
        self.graphs: dict[int, tuple[int, int]] = {}  # kind of host memory, buffer
        self.launched: dict[int, set[int]] = {}  # what comes before the next launch of a graph: its last one, and what that knew
        self.gone: set[int] = set()  # graphs whose host memory is
        self.lost = False  # one of them was launched
        self.asked: set[int] = set()  # events of which a query said that they are not done
        self.late: set[int] = set()  # copies from pageable memory: the host sees them done, other streams may not
        self.races: list[tuple[int, int]] = []  # the earlier piece's stream, and the present one's

    def begin(self, stream: int) -> set[int]:
        known = self.streams[stream]
        known |= self.host
        for other in BLOCKING if stream == 0 else (0,) if stream in BLOCKING else ():
            known |= self.streams[other]
        return known

    def work(self, stream: int, *touches: tuple[str, int]) -> None:
        known = self.begin(stream)
        for how, buffer in touches:
            self.races += [(there, stream) for work, other, before, there in self.touched
                           if other == buffer and not how == before != "write" and work not in known]
        self.touched += [(self.works, buffer, how, stream) for how, buffer in touches]
        known.add(self.works)
        self.works += 1

    def touch(self, buffer: int, writes: bool) -> None:
        """By the host. It is done before later work is submitted."""
        self.races += [(there, HOST) for work, other, how, there in self.touched
                       if other == buffer and (writes or how != "read") and work not in self.host | self.late]

    def step(self, word: str) -> None:
        n = [ord(letter) - ord("a") for letter in word[1:]]
        match word[0]:
            case "K" | "C":
                self.work(n[0], ("read", n[1]), ("write", n[2]))
            case "A":
                self.work(n[0], ("read", n[1]), ("add", n[2]))
            case "M":
                self.work(n[0], ("write", n[1]))
            case "H":  # returns before the data has arrived
                self.work(0, ("write", n[0]))
                self.late.add(self.works - 1)
                self.host |= self.streams[0] - {self.works - 1}
            case "D":
                self.work(0, ("read", n[0]))
                self.host |= self.streams[0]
            case "G":
                self.graphs[n[0]] = (n[1], n[2])
                if n[1] == LOCAL:
                    self.gone.add(n[0])
            case "F":
                if self.graphs[n[0]][0] != STATIC:
                    self.gone.add(n[0])
            case "L":
                kind, buffer = self.graphs[n[1]]
                self.lost |= n[1] in self.gone
                self.streams[n[0]] |= self.launched.get(n[1], set())
                if n[1] in self.gone and kind == PINNED:  # nothing is left that could be copied
                    self.work(n[0])
                else:
                    self.work(n[0], ("write", buffer))
                self.launched[n[1]] = set(self.streams[n[0]])
            case "R":
                self.events[n[1]] = set(self.begin(n[0]))
                self.asked -= {n[1]}
            case "W":
                self.streams[n[0]] |= self.begin(n[0]) | self.events.get(n[1], set())
            case "T" | "U":
                self.touch(n[0], word[0] == "U")
            case "I" if not self.events.get(n[0], set()) <= self.host and n[0] not in self.asked:  # a query whose answer is not read
                self.asked.add(n[0])
            case "Q" | "P" | "I":
                self.asked -= {n[0]}
                self.host |= self.events.get(n[0], set())
            case "S":
                self.host |= self.begin(n[0]) if n[0] == 0 else self.streams[n[0]]
            case "Y":
                self.host |= set().union(*self.streams.values())


def order_of(words: list[str]) -> Order:
    order = Order()
    for word in words:
        order.step(word)
    return order


def races_of(words: list[str]) -> list[tuple[int, int]]:
    return order_of(words).races


def drawn_work(draws: random.Random, graphs: int, managed: bool) -> str:
    stream, (a, b) = draws.choice("abcde"), draws.sample("abc", 2)
    if managed and draws.random() < 0.3:
        return draws.choice("TU") + a
    if graphs and draws.random() < 0.3:
        return f"L{stream}{draws.choice(LETTERS[:graphs])}"
    return draws.choice([f"K{stream}{a}{b}", f"A{stream}{a}{b}", f"C{stream}{a}{b}", f"M{stream}{a}", f"H{a}", f"D{a}"])


def right_program(draws: random.Random) -> tuple[list[str], list[int]]:
    """Words, and which of them order what would race without."""
    graphs = draws.randint(0, 2)
    managed = draws.random() < 0.4
    words = ["V"] * managed + [f"G{LETTERS[k]}{draws.choice('abcd')}{draws.choice('abc')}" for k in range(graphs)]
    orders: list[int] = []
    events = iter(LETTERS)
    for _ in range(draws.randint(3, 8)):
        new = drawn_work(draws, graphs, managed)
        while races := races_of(words + [new]):
            there, here = (LETTERS[k] for k in races[0])
            how = draws.randrange(4)
            event = next(events, None) if how < 3 else None
            if event is None:
                added = ["Y"] if draws.random() < 0.5 else ["S" + there]
            else:
                waits = ["Q" + event, "P" + event] + ["W" + here + event] * 3
                added = ["R" + there + event, draws.choice(waits[:2] if races[0][1] == HOST else waits)]
            if not races_of(words + added + [new]) or len(words) < 60:
                orders += range(len(words), len(words) + len(added))
                words += added
            if races_of(words + [new]) and len(words) > 40:
                words.append("Y")
        words.append(new)
    return words, orders


def without_its_memory(draws: random.Random, words: list[str]) -> list[str] | None:
    """The host memory of a graph ends before one of its launches: freed, or a local variable from the start."""
    launches = [k for k, word in enumerate(words) if word[0] == "L"]
    if not launches:
        return None
    at = draws.choice(launches)
    graph = words[at][2]
    if draws.random() < 0.3:
        return [f"G{graph}e{word[3]}" if word[:2] == "G" + graph else word for word in words]
    return words[:at] + ["F" + graph] + words[at:]


def run(words: list[str], threads: int) -> tuple[str, str]:
    """What it said, and what it printed."""
    command = [LAB, "run", "--quiet", "--threads", str(threads), str(HERE / "drawn_order.cu"), "--", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 3:
        print("nvcc is not here, so no CUDA program can be compiled. Run: ./lab setup")
        sys.exit(77)
    said = "\n".join(line for line in done.stderr.splitlines() if line.startswith("lab: "))
    return said + ("" if done.returncode == 0 else f" exit {done.returncode}"), done.stdout


def check(seed: int) -> bool:
    draws = random.Random(seed)
    words, orders = right_program(draws)
    programs = [words]
    if orders:
        gone = draws.choice(orders)
        programs.append(words[:gone] + words[gone + 1:])
        if words[gone][0] in "QP":  # asked, and not waited for
            programs.append(words[:gone] + ["I" + words[gone][1]] + words[gone + 1:])
    if (ended := without_its_memory(draws, words)) is not None:
        programs.append(ended)
    for program in programs:
        order, (said, printed) = order_of(program), run(program, 1)
        races, early = (any((here == HOST) == host for _, here in order.races) for host in (False, True))
        wanted = {"stream-race": races, "host-race": early, "host-buffer": order.lost}
        if any(there != (code in said) for code, there in wanted.items()) or (said and not any(wanted.values())):
            expected = ", ".join(code for code, there in wanted.items() if there) or "nothing"
            print(f"FAILED seed {seed}: {' '.join(program)}: {expected}, and it said: {said or 'nothing'}")
            return False
        again, printed_again = run(program, draws.choice((2, 3, 8)))
        if again != said or (printed_again != printed and not order.lost):  # what is gone has any value
            print(f"FAILED seed {seed}: {' '.join(program)}: another result on several host threads")
            return False
    return True


def main() -> int:
    seeds = FAILED_ONCE + [random.Random(seed_of_run("drawn order")).randrange(10**9)]
    following = random.Random(seeds[-1])
    seeds += [following.randrange(10**9) for _ in range(draws_of_run(8) - 1)]
    failed = [seed for seed in seeds if not check(seed)]
    print(f"{len(seeds) - len(failed)} of {len(seeds)} programs as the reference has them")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
