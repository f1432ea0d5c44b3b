"""The board of a workshop, with 40 simulated students and with those who are none.

Enters: tools/workshop. Leaves: one unittest verdict."""
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

import room
from room import board

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawn.draws import drawn, draws_of_run  # noqa: E402


def post(address, body, kind="application/json", path="/report"):
    connection = http.client.HTTPConnection(address, timeout=20)
    connection.request("POST", path, body, {"Content-Type": kind})
    status = connection.getresponse().status
    connection.close()
    return status


def get(address, path="/board.json", **headers):
    connection = http.client.HTTPConnection(address, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def good(number=1, **changes):
    return {"id": f"{number:032x}", "chapter": "05_padding", "diagnosis": "bank-conflict", "passed": [], "hints": 0, **changes}


class Room(unittest.TestCase):
    def test_forty_students_at_once(self):
        with room.server() as address, room.students(40) as students:
            for number, student in enumerate(students):
                room.work(student, number)
            with concurrent.futures.ThreadPoolExecutor(40) as pool:
                self.assertEqual(set(pool.map(lambda student: student.reports_to(address), students)), {204})
            got = room.shown(address)
            here = collections.Counter(student.chapter for student in students)
            self.assertEqual({row["chapter"]: row["here"] for row in got["chapters"] if row["here"]}, dict(here))
            passed = collections.Counter(name for student in students for name in student.report["passed"])
            self.assertEqual({row["chapter"]: row["passed"] for row in got["chapters"] if row["passed"]}, dict(passed))
            counts = collections.Counter((student.chapter, student.report["diagnosis"]) for student in students)
            self.assertEqual({(row["chapter"], row["diagnosis"]): len(row["laptops"]) for row in got["diagnoses"]}, dict(counts))
            self.assertEqual(sorted(got["diagnoses"], key=lambda row: -len(row["laptops"])), got["diagnoses"])
            self.assertEqual(sorted(one["number"] for one in got["laptops"]), list(range(1, 41)))
            self.assertNotIn("Ada", json.dumps(got))
            self.then_one_passes(address, students)

    def then_one_passes(self, address, students):
        one, chapter = students[0], students[0].chapter
        one.checks(chapter, "")
        self.assertEqual(one.reports_to(address), 204)
        got = room.shown(address)
        self.assertEqual(next(row["passed"] for row in got["chapters"] if row["chapter"] == chapter),
                         sum(chapter in student.report["passed"] for student in students))
        self.assertEqual(sum(len(row["laptops"]) for row in got["diagnoses"]), 39)
        self.assertEqual(len(got["laptops"]), 40)

    def test_names_only_where_the_leader_asks_for_them(self):
        for words, wanted in (((), ""), (("--names",), "Ada 0")):
            with room.server(*words) as address, room.students(1) as students:
                students[0].checks("05_padding", "bank-conflict")
                students[0].reports_to(address)
                self.assertEqual(room.shown(address)["laptops"][0]["name"], wanted)

    def test_who_leaves_is_gone(self):
        with room.server() as address:
            post(address, json.dumps(good()))
            self.assertEqual(post(address, json.dumps({"id": good()["id"], "leaves": True})), 204)
            got = room.shown(address)
            self.assertEqual((got["laptops"], got["left"]), ([], 1))


class Strangers(unittest.TestCase):
    def test_what_no_laptop_sends(self):
        with room.server() as address:
            for wrong in ([], 1, None, {}, good(id="x"), good(chapter="../etc"), good(diagnosis="<b>"), good(passed="05_padding"),
                          good(passed=[1]), good(hints=-1), good(hints=True), good(name=1),
                          good(help="yes")):
                self.assertEqual(post(address, json.dumps(wrong)), 400, wrong)
            self.assertEqual(post(address, "[" * 10000), 400)
            self.assertEqual(post(address, b"\xff\xfe"), 400)
            self.assertEqual(post(address, "x" * 20000), 413)
            self.assertEqual(post(address, json.dumps(good()), kind="text/plain"), 404)  # as a form of another page would
            self.assertEqual(post(address, json.dumps(good()), path="/"), 404)
            self.assertEqual(get(address, "/../../README.md")[0], 404)
            self.assertEqual(room.shown(address)["laptops"], [])

    def test_the_board_is_for_the_leaders_own_browser(self):
        with room.server() as address:
            self.assertEqual(get(address)[0], 200)
            self.assertEqual(get(address, Host="evil.example:80")[0], 403)  # another page's name, turned to this address

    def test_local_addresses(self):
        for address in ("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.7.8", "169.254.1.1", "::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1"):
            self.assertTrue(board.is_local(address), address)
        for address in ("8.8.8.8", "172.32.0.1", "192.169.0.1", "2001:db8::1", "::ffff:8.8.8.8", "0.0.0.0"):
            self.assertFalse(board.is_local(address), address)

    def test_a_network_of_public_addresses_is_ones_own(self):
        """A university's laptops may have public addresses: what serve prints, its own board takes."""
        with tempfile.NamedTemporaryFile("w", suffix=".route") as table:
            table.write("Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
                        "eth0\t00000000\t01D8A88D\t0003\t0\t0\t0\t00000000\n"  # the way out, by a gateway
                        "eth0\t00D8A88D\t00000000\t0001\t0\t0\t0\t00FFFFFF\n")  # 141.168.216.0/24, reached directly
            table.flush()
            own = board.own_networks(table.name)
        self.assertEqual([str(net) for net in own], ["141.168.216.0/24"])
        self.assertTrue(board.is_local("141.168.216.7", own))
        self.assertFalse(board.is_local("141.168.217.7", own))

    def test_a_room_without_a_way_out(self):
        """A switch or a hot spot of one's own: serve prints the address in the room's network."""
        alone = "ip link set lo up; ip link add room0 type veth peer name room1; ip addr add 192.168.5.1/24 dev room0; " \
                "ip link set room1 up; ip link set room0 up; exec timeout 5 "
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--net", "sh", "-c", alone + f"{sys.executable} -u tools/workshop/serve.py"],
                              cwd=room.ROOT, capture_output=True, text=True, env={**os.environ, "LAB_LANG": "en"})
        if not done.stdout:
            self.skipTest("no network namespace here: " + done.stderr)
        self.assertIn("join 192.168.5.1:8642", done.stdout + done.stderr)

    def test_a_name_is_a_name(self):
        self.assertEqual(board.plain_name("\u202eA\x1b[2Jda\n" + "x" * 100), "A[2Jda" + "x" * 34)


class Time(unittest.TestCase):
    def setUp(self):
        self.now = 0
        self.board = board.Board(board.chapter_names(), clock=lambda: self.now)

    def test_how_long_without_a_change(self):
        for self.now, diagnosis in ((0, "bank-conflict"), (20, "bank-conflict"), (40, "shared-race"), (50, "shared-race")):
            self.board.report(good(diagnosis=diagnosis))
        self.assertEqual(self.board.shown()["laptops"][0]["seconds"], 10)

    def test_a_drawn_day(self):
        """Laptops that report, crash, come back, leave and ask for help: the board says what was drawn."""
        draw = drawn("a day of a workshop")
        for _ in range(draws_of_run(20)):
            self.now = 0
            self.board = board.Board(board.chapter_names(), clock=lambda: self.now, expected=8)
            names, students = board.chapter_names(), {}
            for self.now in range(0, 600, 10):
                for number in range(8):
                    one = students.get(number)
                    if one is None and draw.random() < 0.05:
                        one = students[number] = {"chapter": names[0], "seen": self.now, "help": None, "crashed": False, "left": False, "spent": {}}
                    elif one is None or one["left"] or one["crashed"] and draw.random() < 0.9:
                        continue
                    elif (chance := draw.random()) < 0.02:
                        one["crashed"] = True
                        continue
                    elif chance < 0.03:
                        one["left"] = True
                        self.board.report({"id": good(number)["id"], "leaves": True})
                        continue
                    one["crashed"] = False
                    if self.now - one["seen"] < board.GONE_SECONDS:
                        one["spent"][one["chapter"]] = one["spent"].get(one["chapter"], 0) + self.now - one["seen"]
                    one["chapter"] = draw.choice(names) if draw.random() < 0.1 else one["chapter"]
                    if draw.random() < 0.1:
                        one["help"] = self.now if one["help"] is None else None
                    one["seen"] = self.now
                    self.board.report(good(number, chapter=one["chapter"], help=one["help"] is not None))
                self.compare(names, students)

    def compare(self, names, students):
        got = self.board.shown()
        known = [one for one in students.values() if not one["left"]]
        gone = [one for one in known if self.now - one["seen"] >= board.GONE_SECONDS]
        self.assertEqual([row["gone"] for row in got["laptops"]].count(True), len(gone))
        self.assertEqual(len(got["laptops"]), len(known))
        asking = sorted((self.now - one["help"] for one in known if one["help"] is not None and one not in gone), reverse=True)
        self.assertEqual([row["help_seconds"] for row in got["laptops"] if not row["gone"]][:len(asking)], asking)
        self.assertEqual((got["joined"], got["never_joined"], got["left"]), (len(students), 8 - len(students), len(students) - len(known)))
        for name in names:
            spent = [one["spent"][name] for one in students.values() if one["spent"].get(name)]
            row = next((row for row in got["chapters"] if row["chapter"] == name), {"minutes": None})
            self.assertEqual(row["minutes"], round(statistics.median(spent) / 60, 1) if spent else None)

    def test_a_laptop_that_crashes_stays_on_the_board(self):
        self.board.report(good(1))
        self.now = 50
        self.board.report(good(2))
        self.now = 70
        self.assertEqual([(one["number"], one["gone"]) for one in self.board.shown()["laptops"]], [(2, False), (1, True)])
        self.board.report(good(1))
        self.assertEqual([one["gone"] for one in self.board.shown()["laptops"]], [False, False])

    def test_a_crowd_is_bounded(self):
        for number in range(board.MOST_LAPTOPS):
            self.board.report(good(number))
        with self.assertRaises(board.BadReport):
            self.board.report(good(board.MOST_LAPTOPS))

    def test_one_machine_takes_no_more_than_its_places(self):
        for number in range(board.MOST_OF_ONE_ADDRESS):
            self.board.report(good(number), "10.0.0.5")
        with self.assertRaises(board.BadReport):
            self.board.report(good(board.MOST_OF_ONE_ADDRESS), "10.0.0.5")
        self.board.report(good(3), "10.0.0.5")  # who is there stays
        self.board.report(good(board.MOST_OF_ONE_ADDRESS), "10.0.0.6")
        self.board.expected = board.MOST_OF_ONE_ADDRESS + 1  # a room of so many may sit behind one address
        self.board.report(good(100), "10.0.0.5")


class CommandLine(unittest.TestCase):
    def test_the_enter_key_asks_for_help(self):
        with room.server("--laptops", "3") as address:
            joined = subprocess.Popen([sys.executable, str(room.ROOT / "tools/workshop/join.py"), address, "--ask"], stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, text=True)
            try:
                for wanted in (False, True, False):
                    deadline = time.monotonic() + 20
                    while [one["help_seconds"] is not None for one in room.shown(address)["laptops"]] != [wanted]:
                        self.assertLess(time.monotonic(), deadline)
                        time.sleep(0.2)
                    joined.stdin.write("\n")
                    joined.stdin.flush()
                self.assertEqual(room.shown(address)["never_joined"], 2)
            finally:
                joined.kill()
                joined.communicate()

    def test_an_address_without_port_is_named(self):
        for address in ("localhost", "http://x", ":80"):
            done = subprocess.run([sys.executable, str(room.ROOT / "tools/workshop/join.py"), address], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(f"lab: {address}"))


if __name__ == "__main__":
    unittest.main()
