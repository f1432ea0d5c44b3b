"""The board of a workshop, with 40 simulated students and with those who are none.

Enters: tools/workshop. Leaves: one unittest verdict."""
import collections
import concurrent.futures
import http.client
import json
import subprocess
import sys
import unittest

import room
from room import board


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
                self.assertEqual(set(pool.map(lambda student: student.tells(address), students)), {204})
            got = room.shown(address)
            here = collections.Counter(student.chapter for student in students)
            self.assertEqual({row["chapter"]: row["here"] for row in got["chapters"] if row["here"]}, dict(here))
            passed = collections.Counter(name for student in students for name in student.report["passed"])
            self.assertEqual({row["chapter"]: row["passed"] for row in got["chapters"] if row["passed"]}, dict(passed))
            told = collections.Counter((student.chapter, student.report["diagnosis"]) for student in students)
            self.assertEqual({(row["chapter"], row["diagnosis"]): len(row["laptops"]) for row in got["diagnoses"]}, dict(told))
            self.assertEqual(sorted(got["diagnoses"], key=lambda row: -len(row["laptops"])), got["diagnoses"])
            self.assertEqual(sorted(one["number"] for one in got["laptops"]), list(range(1, 41)))
            self.assertNotIn("Ada", json.dumps(got))
            self.then_one_passes(address, students)

    def then_one_passes(self, address, students):
        one, chapter = students[0], students[0].chapter
        one.checks(chapter, "")
        self.assertEqual(one.tells(address), 204)
        got = room.shown(address)
        self.assertEqual(next(row["passed"] for row in got["chapters"] if row["chapter"] == chapter),
                         sum(chapter in student.report["passed"] for student in students))
        self.assertEqual(sum(len(row["laptops"]) for row in got["diagnoses"]), 39)
        self.assertEqual(len(got["laptops"]), 40)

    def test_names_only_where_the_leader_asks_for_them(self):
        for words, wanted in (((), ""), (("--names",), "Ada 0")):
            with room.server(*words) as address, room.students(1) as students:
                students[0].checks("05_padding", "bank-conflict")
                students[0].tells(address)
                self.assertEqual(room.shown(address)["laptops"][0]["name"], wanted)

    def test_who_leaves_is_gone(self):
        with room.server() as address:
            post(address, json.dumps(good()))
            self.assertEqual(post(address, json.dumps({"id": good()["id"], "leaves": True})), 204)
            self.assertEqual(room.shown(address)["laptops"], [])


class Strangers(unittest.TestCase):
    def test_what_no_laptop_sends(self):
        with room.server() as address:
            for wrong in ([], 1, None, {}, good(id="x"), good(chapter="../etc"), good(diagnosis="<b>"), good(passed="05_padding"),
                          good(passed=[1]), good(hints=-1), good(hints=True), good(name=1)):
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

    def test_who_is_silent_is_not_shown(self):
        self.board.report(good(1))
        self.now = 50
        self.board.report(good(2))
        self.now = 70
        self.assertEqual([one["number"] for one in self.board.shown()["laptops"]], [2])

    def test_a_crowd_is_bounded(self):
        for number in range(board.MOST_LAPTOPS):
            self.board.report(good(number))
        with self.assertRaises(board.BadReport):
            self.board.report(good(board.MOST_LAPTOPS))


class CommandLine(unittest.TestCase):
    def test_an_address_without_port_is_named(self):
        for address in ("localhost", "http://x", ":80"):
            done = subprocess.run([sys.executable, str(room.ROOT / "tools/workshop/join.py"), address], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(f"lab: {address}"))


if __name__ == "__main__":
    unittest.main()
