"""Draws classes of a Moodle assignment, and writes their exports by the rules of Moodle's source.

A class is data: people, teams, what was handed in, maximum, blind marking, drafts, extensions. `export` writes the zip of "Download all
submissions" and the grading worksheet as Moodle 4.5 does (mod/assign/classes/downloader.php, gradingtable.php, clean_param); `stored` is
what its importers make of the lab's files (feedback/offline/importgradeslib.php, feedback/file/importziplib.php). So a class can be asked
of Moodle itself (ask.php) or of these rules, and the recorded answers hold the two together."""

import base64
import csv
import datetime
import html
import io
import pathlib
import random
import re
import unicodedata
import zipfile
import zoneinfo

ZONE = zoneinfo.ZoneInfo("Europe/Berlin")
DUE = datetime.datetime(2026, 11, 20, 23, 59, tzinfo=ZONE)
ON_TIME = datetime.datetime(2026, 11, 20, 20, 10, 30, tzinfo=ZONE)
LATE = datetime.datetime(2026, 11, 22, 9, 5, tzinfo=ZONE)
EXTENDED = datetime.datetime(2026, 11, 23, 12, 0, tzinfo=ZONE)
FIRST = [
    "J\u00fcrgen",
    "Zoe\u0308",
    "Se\u00e1n",
    "\u0645\u062d\u0645\u062f",
    "\u5c0f\u9f8d",
    "Max",
    "Jean_Luc",
    "Kim",
    "Lea/Leo",
    "=Sum",
    "Ty%20",
    "Robot",
    "-Dash",
    "\u0418\u0432\u0430\u043d",
    "\u0e01" * 30,
    "Anna",
    "Bo",
    "Mar\u00eda Jos\u00e9",
    "Ng\u1ecdc",
    "A.",
    "\u05d3\u05d5\u05d3",
    "\ud55c\uc194",
]
LAST = [
    "M\u00fcller-L\u00fcdenscheidt",
    "A\u030astro\u0308m",
    "O'Connor-D\u2019Arcy",
    "\u0627\u0644\u0639\u0644\u064a",
    "\u674e",
    "\U0001f680 Rocket",
    "van_der Berg",
    'Smith, Jr. "Kay" & Co',
    "Bold",
    "Formel",
    "100%",
    "4711_0815",
    "@Mail",
    "\u041f\u0435\u0442\u0440\u043e\u0432",
    "\u0e02" * 30,
    "Schmidt",
    "Schmidt",
    "Li",
    "Nguy\u1ec5n",
    "B.",
    "\u05db\u05d4\u05df",
    "\uae40",
    "7",
    "von Hohenlohe-" * 5 + "x",
]
TEAMS = ["Red", "Team Gr\u00fcn", "Team_B 2", "Zw\u00f6lf/Vier, 'x'", "A & B", "7", "Bo Li", "\u961f\u4f0d"]
FILES = ["05_padding.cu", "transpose.cu", "05_padding (1).cu", "my work/05_padding.cu", "p\u00e4dding 05 \U0001f680.cu", "05_assignsubmission_file_1.cu"]


def draw_class(seed: int, kernels: dict[str, str]) -> dict:
    """`kernels`: right and wrong, as texts."""
    draw = random.Random(seed)
    people: list[dict] = [
        {
            "first": draw.choice(FIRST),
            "last": draw.choice(LAST),
            "email": f"p{seed}.{i}@example.org",
            "id": draw.choice([f"s{seed}-{i}", f"s{seed}-{i}", ""]),
            "extension": None,
        }
        for i in range(draw.randint(2, 9))
    ]
    teams: list[dict] = []
    if draw.random() < 0.35:
        names = draw.sample(TEAMS, min(len(TEAMS), max(1, len(people) // 2)))
        in_teams = list(range(len(people)))
        draw.shuffle(in_teams)
        teams = [{"name": name, "members": in_teams[2 * i : 2 * i + 2]} for i, name in enumerate(names)]
    work = []
    for owner in [t["members"][0] for t in teams] if teams else range(len(people)):
        kernel = draw.choice(["right", "right", "right", "wrong", "none", "absent"])
        if kernel == "absent":
            continue
        files = {"notes.txt": "sorry"} if kernel == "none" else {draw.choice(FILES): kernels[kernel]}
        if draw.random() < 0.2 and kernel != "none":
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w") as archive:
                archive.writestr("05_padding.cu", kernels[kernel])
            files = {"work.zip": base64.b64encode(packed.getvalue()).decode()}
        else:
            files = {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}
        late = draw.random() < 0.3
        work.append(
            {
                "who": owner,
                "kernel": kernel,
                "files": files,
                "text": draw.choice(["", "", "<p>see <b>file</b></p>"]),
                "draft": draw.random() < 0.15,
                "late": late,
                "time": int((LATE if late else ON_TIME).timestamp()),
            }
        )
        if late and not teams and draw.random() < 0.4:
            people[owner]["extension"] = int(EXTENDED.timestamp())
    return {
        "seed": seed,
        "people": people,
        "teams": teams,
        "work": work,
        "most": draw.choice([10, 13, 13, 100]),
        "blind": not teams and draw.random() < 0.2,
        "workflow": draw.random() < 0.2,
        "folders": draw.random() < 0.5,
        "due": int(DUE.timestamp()),
    }


def truth(drawn: dict, percent: int = 20) -> list[float | None]:
    """Each person's grade on the platform's scale; None where nothing was handed in."""
    grades: list[float | None] = [None] * len(drawn["people"])
    for work in drawn["work"]:
        members = next((t["members"] for t in drawn["teams"] if work["who"] in t["members"]), [work["who"]])
        for who in members:
            late = 2 if work["late"] and not drawn["people"][who]["extension"] else 0
            points = {"right": 13.0, "wrong": 0.0, "none": 0.0}[work["kernel"]] * (100 - percent * late) / 100
            grades[who] = round(points * drawn["most"] / 13 + 1e-9, 2)
    return grades


def clean(name: str) -> str:
    """What clean_param(…, PARAM_FILE) leaves of a name."""
    name = "".join(c for c in name if unicodedata.category(c) != "Cc" and c not in "&<>\"`|':\\/")
    return re.sub(r"\.\.+", "", name)


def english_time(seconds: int, us: bool = False) -> str:
    at = datetime.datetime.fromtimestamp(seconds, ZONE)
    clock = f"{at.hour % 12 or 12}:{at.minute:02} {'AM' if at.hour < 12 else 'PM'}"
    return f"{at:%A}, {at:%B} {at.day}, {at.year}, {clock}" if us else f"{at:%A}, {at.day} {at:%B} {at.year}, {clock}"


class Export:
    """A class in Moodle's words. `numbers`: participants' numbers, drawn anew for each assignment; `groups`: teams' ids."""

    def __init__(self, drawn: dict):
        draw = random.Random(f"numbers {drawn['seed']}")
        self.drawn = drawn
        self.numbers = draw.sample(range(1, 3 * len(drawn["people"]) + 2), len(drawn["people"]))
        self.groups = draw.sample(range(1, 3 * len(drawn["people"]) + 2), len(drawn["teams"]))
        self.us = draw.random() < 0.3

    def full_name(self, who: int) -> str:
        person = self.drawn["people"][who]
        return f"{person['first']} {person['last']}"

    def prefix(self, who: int) -> str:
        for team, group in zip(self.drawn["teams"], self.groups):
            if who in team["members"]:
                return clean(team["name"].replace("&", "&amp;").replace("_", " ") + f"_{group}")
        if self.drawn["teams"]:
            return "Default group"
        name = "Participant" if self.drawn["blind"] else self.full_name(who)
        return clean(name.replace("_", " ") + f"_{self.numbers[who]}")

    def zip(self) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for work in self.drawn["work"]:
                prefix = self.prefix(work["who"])
                for name, content in work["files"].items():
                    data = base64.b64decode(content)
                    flat = name.rsplit("/", 1)[-1]
                    archive.writestr(
                        f"{prefix}_assignsubmission_file/{name}" if self.drawn["folders"] else clean(f"{prefix}_assignsubmission_file_{flat}"), data
                    )
                if work["text"]:
                    archive.writestr(
                        f"{prefix}_assignsubmission_onlinetext/onlinetext.html"
                        if self.drawn["folders"]
                        else f"{prefix}_assignsubmission_onlinetext_onlinetext.html",
                        work["text"],
                    )
        return out.getvalue()

    def sheet(self) -> str:
        drawn, out = self.drawn, io.StringIO()
        rows = csv.writer(out)
        titles = (
            ["Identifier"]
            + ([] if drawn["blind"] else ["Full name", "Email address", "ID number"])
            + ["Status"]
            + (["Group"] if drawn["teams"] else [])
            + ["Grade", "Maximum grade"]
            + (["Marking workflow state"] if drawn["workflow"] else [])
            + ["Grade can be changed", "Last modified (submission)", "Online text", "Last modified (grade)", "Feedback comments"]
        )
        rows.writerow(titles)
        for who, person in enumerate(drawn["people"]):
            team = next((t for t in drawn["teams"] if who in t["members"]), None)
            work = next((w for w in drawn["work"] if w["who"] == who or (team and w["who"] in team["members"])), None)
            status = "No submission" if work is None else "Draft (not submitted)" if work["draft"] else "Submitted for grading"
            if work and work["late"] and not person["extension"]:
                status += " - 1 day 9 hours late"
            if person["extension"]:
                status += f" - Extension granted until: {english_time(person['extension'], self.us)}"
            cells = (
                [f"Participant {self.numbers[who]}"]
                + ([] if drawn["blind"] else [self.full_name(who), person["email"], person["id"]])
                + [status + " -  - "]
            )
            cells += ([team["name"] if team else "Default group"] if drawn["teams"] else []) + ["", f"{drawn['most']}.00"]
            cells += (["Not marked"] if drawn["workflow"] else []) + ["Yes", english_time(work["time"], self.us) if work else "-", "", "-", ""]
            rows.writerow(cells)
        return "\ufeff" + out.getvalue()

    def stored(self, graded: pathlib.Path) -> list[dict]:
        """What Moodle's importers take from the lab's files, by their rules."""
        people: list[dict] = [{"grade": None, "pages": []} for _ in self.drawn["people"]]
        by_number = {number: [who] for who, number in enumerate(self.numbers)}
        for row in csv.DictReader(io.StringIO((graded / "gradebook.csv").read_text(encoding="utf-8-sig"))):
            grade = row["Grade"].strip()
            if {"Identifier", "Grade", "Last modified (grade)"} <= row.keys() and grade and 0 <= float(grade) <= self.drawn["most"]:
                for who in by_number.get(int(row["Identifier"].removeprefix("Participant ")), []):
                    people[who]["grade"] = float(grade)
        if self.drawn["teams"]:
            by_number = {group: team["members"] for team, group in zip(self.drawn["teams"], self.groups)}
        with zipfile.ZipFile(graded / "feedback.zip") as archive:
            for name in archive.namelist():
                parts = name.split("_", 4)
                if len(parts) == 5 and parts[1].isdigit() and parts[2:4] == ["assignfeedback", "file"]:
                    title = re.search(r"<title>([^<]*)", archive.read(name).decode())
                    for who in by_number.get(int(parts[1]), []):
                        people[who]["pages"].append(html.unescape(title.group(1)) if title else "")
        return people
