"""Who is where, for the leader of a workshop: what the laptops of a room report, and what the board shows of it.

Enters: reports, as join.py sends them. Leaves: one object for the page. Nothing is kept on a disk. A report holds chapters and codes of
diagnoses, never a kernel; a name only where the leader asked for names."""
import dataclasses
import ipaddress
import os
import pathlib
import re
import statistics
import threading
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_LAPTOPS = 500
MOST_OF_ONE_ADDRESS = 20  # laptops behind one machine: no more of the room's places, but where as many are expected
MOST_BYTES = 16 * 1024
GONE_SECONDS = 60  # join.py reports at least every 20 seconds
ID = re.compile(r"[0-9a-f]{32}")
CODE = re.compile(r"[a-z-]{0,64}")
PRIVATE = [ipaddress.ip_network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")]


class BadReport(ValueError):
    pass


def tr(english, chinese):
    """In the language of LAB_LANG or the system."""
    said = next(filter(None, (os.environ.get(name) for name in ("LAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return chinese if said.startswith("zh") else english


def own_networks(table: str = "/proc/net/route") -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """The networks that this machine is in, private or not: those that it reaches without a gateway."""
    networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
    try:
        rows = [line.split() for line in pathlib.Path(table).read_text().splitlines()[1:]]
    except OSError:
        return networks
    for row in rows:
        if len(row) < 8 or int(row[2], 16) != 0 or int(row[7], 16) == 0:
            continue
        target, mask = (ipaddress.ip_address(int(text, 16).to_bytes(4, "little")) for text in (row[1], row[7]))
        networks.append(ipaddress.ip_network(f"{target}/{mask}", strict=False))
    return networks


def is_local(address, own=()):
    """A machine of this network: loopback, private, link-local, or in one of `own`."""
    one = ipaddress.ip_address(address.split("%")[0])
    one = getattr(one, "ipv4_mapped", None) or one
    return one.is_loopback or one.is_link_local or any(one.version == net.version and one in net for net in (*PRIVATE, *own))


def chapter_names():
    with open(ROOT / "chapters/chapters.toml", "rb") as file:
        return list(tomllib.load(file))


@dataclasses.dataclass
class Laptop:
    number: int
    chapter: str = ""
    diagnosis: str = ""
    passed: frozenset = frozenset()
    hints: int = 0
    name: str = ""
    since: float = 0  # of the last change
    seen: float = 0
    help_since: float | None = None  # it asks for help
    left: bool = False  # it said so
    address: str = ""
    spent: dict = dataclasses.field(default_factory=dict)  # seconds by chapter, while it was here


def plain_name(text):
    return "".join(c for c in text if c.isprintable())[:40].strip()


class Board:
    def __init__(self, chapters, with_names=False, clock=time.monotonic, expected=0):
        self.chapters, self.with_names, self.clock, self.expected = list(chapters), with_names, clock, expected
        self.laptops, self.lock, self.joined = {}, threading.Lock(), 0

    def report(self, given, address=""):
        """Throws BadReport for what no laptop of ours sends."""
        if not isinstance(given, dict) or not isinstance(given.get("id"), str) or not ID.fullmatch(given["id"]):
            raise BadReport("id")
        if given.get("leaves") is True:
            with self.lock:
                if laptop := self.laptops.get(given["id"]):
                    laptop.left, laptop.help_since = True, None
            return
        chapter, diagnosis, passed, hints = (given.get(key) for key in ("chapter", "diagnosis", "passed", "hints"))
        if chapter not in self.chapters or not isinstance(diagnosis, str) or not CODE.fullmatch(diagnosis):
            raise BadReport("chapter or diagnosis")
        if not isinstance(passed, list) or not all(one in self.chapters for one in passed):
            raise BadReport("passed")
        if not isinstance(hints, int) or isinstance(hints, bool) or not 0 <= hints <= 1000:
            raise BadReport("hints")
        name, needs_help = given.get("name", ""), given.get("help", False)
        if not isinstance(name, str) or not isinstance(needs_help, bool):
            raise BadReport("name or help")
        with self.lock:
            laptop = self.take(given["id"], chapter, diagnosis, frozenset(passed), hints, plain_name(name) if self.with_names else "", address)
            if not needs_help:
                laptop.help_since = None
            elif laptop.help_since is None:
                laptop.help_since = laptop.seen

    def take(self, who, chapter, diagnosis, passed, hints, name, address=""):
        now = self.clock()
        laptop = self.laptops.get(who)
        if laptop is None:
            if len(self.laptops) >= MOST_LAPTOPS:
                raise BadReport("too many laptops")
            if address and sum(one.address == address for one in self.laptops.values()) >= max(MOST_OF_ONE_ADDRESS, self.expected):
                raise BadReport("too many laptops of one address")
            self.joined += 1
            laptop = self.laptops[who] = Laptop(self.joined, since=now, address=address)
        elif now - laptop.seen < GONE_SECONDS:
            laptop.spent[laptop.chapter] = laptop.spent.get(laptop.chapter, 0) + now - laptop.seen
        laptop.left = False
        if (laptop.chapter, laptop.diagnosis, laptop.passed) != (chapter, diagnosis, passed):
            laptop.since = now
        laptop.chapter, laptop.diagnosis, laptop.passed, laptop.hints, laptop.name, laptop.seen = chapter, diagnosis, passed, hints, name, now
        return laptop

    def shown(self):
        with self.lock:
            now = self.clock()
            here = [one for one in self.laptops.values() if not one.left and now - one.seen < GONE_SECONDS]
            gone = [one for one in self.laptops.values() if not one.left and now - one.seen >= GONE_SECONDS]
            chapters = [{"chapter": name, "here": sum(one.chapter == name for one in here), "passed": sum(name in one.passed for one in self.laptops.values()),
                         "minutes": self.minutes(name)} for name in self.chapters]
            stuck: dict[tuple[str, str], list[int]] = {}
            for one in here:
                if one.diagnosis:
                    stuck.setdefault((one.chapter, one.diagnosis), []).append(one.number)
            diagnoses = [{"chapter": chapter, "diagnosis": code, "laptops": sorted(numbers)} for (chapter, code), numbers in stuck.items()]
            laptops = [self.row(one, now) for one in here + gone]
            left = sum(one.left for one in self.laptops.values())
        diagnoses.sort(key=lambda row: (-len(row["laptops"]), row["chapter"], row["diagnosis"]))
        # Who asks for help, the longest first; then who is here, the longest without a change first; then who is gone.
        laptops.sort(key=lambda row: (row["gone"], -1 if row["help_seconds"] is None else -2 - row["help_seconds"], -row["seconds"], row["number"]))
        return {"laptops": laptops, "chapters": [row for row in chapters if row["here"] or row["passed"] or row["minutes"] is not None],
                "diagnoses": diagnoses, "joined": self.joined, "left": left, "expected": self.expected,
                "never_joined": max(0, self.expected - self.joined) if self.expected else None}

    def row(self, one, now):
        gone = now - one.seen >= GONE_SECONDS
        return {"number": one.number, "name": one.name, "chapter": one.chapter, "diagnosis": one.diagnosis, "passed": len(one.passed), "hints": one.hints,
                "seconds": int(now - (one.seen if gone else one.since)), "gone": gone,
                "help_seconds": None if one.help_since is None else int(now - one.help_since)}

    def minutes(self, chapter):
        """The median of the time that laptops were in a chapter; None: none was."""
        spent = [one.spent[chapter] for one in self.laptops.values() if one.spent.get(chapter, 0) >= 1]
        return round(statistics.median(spent) / 60, 1) if spent else None
