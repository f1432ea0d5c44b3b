#!/usr/bin/env python3
"""`lab workshop join ADDRESS`: reports to the board of a workshop where this laptop is, until Ctrl-C.

Enters: .lab/progress.json, whenever it changes; the Enter key, which asks for help and takes it back. Leaves: reports to the leader's
laptop: chapter, code of the last diagnosis, chapters passed, hints taken. No kernel, no file, no name but one that is given here."""
import argparse
import http.client
import json
import pathlib
import secrets
import sys
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import board  # noqa: E402

BEAT_SECONDS = 20  # so that the board knows who is still here


def progress(root):
    try:
        known = json.loads((root / ".lab/progress.json").read_text(encoding="utf-8"))["chapters"]
        return {name: entry for name, entry in known.items() if isinstance(entry, dict)}
    except (OSError, ValueError, KeyError, AttributeError, RecursionError):
        return {}


def state(names, now, before, chapter):
    """What is reported. `chapter`: the last known; it is the one whose entry changed, or at first the first that is not passed."""
    changed = [name for name in names if now.get(name) != before.get(name)] if before is not None else []
    passed = [name for name in names if now.get(name, {}).get("passed") is True]
    if changed:
        chapter = changed[-1]
    elif not chapter:
        chapter = next((name for name in names if name not in passed), names[-1])
    entry = now.get(chapter, {})
    hints = [one.get("hints", 0) for one in now.values()]
    return {"chapter": chapter, "diagnosis": "" if entry.get("passed") else str(entry.get("diagnosis", "")), "passed": passed,
            "hints": min(1000, sum(count for count in hints if isinstance(count, int)))}


def send(address, report):
    """The status, or None: no board answers."""
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=3)
    try:
        connection.request("POST", "/report", json.dumps(report), {"Content-Type": "application/json"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class Help:
    """Whether this laptop asks for help. Passing a chapter takes it back, and so does asking again."""

    def __init__(self):
        self.wanted = False

    def listen(self):
        for _ in sys.stdin:
            self.turn()

    def turn(self):
        self.wanted = not self.wanted
        print(board.tr(("help is no longer asked for", "the leader sees that you need help; Enter takes it back"),
                       ("不再请求帮助", "主持人看到你需要帮助了；再按回车收回"))[self.wanted], flush=True)


def follow(address, root, who, name, asks):
    names, before, chapter, sent, last = board.chapter_names(), None, "", None, 0.0
    there: bool | None = True
    while True:
        now = progress(root)
        report = state(names, now, before, chapter)
        if asks.wanted and sent and report["passed"] != sent["passed"]:
            asks.turn()
        report["help"] = asks.wanted
        before, chapter = now, report["chapter"]
        if report != sent or time.monotonic() - last > BEAT_SECONDS:
            status = send(address, {"id": who, "name": name, **report})
            if there != (now_there := None if status is None else status == 204):
                there = now_there
                said = {True: board.tr("is there again", "又有回应了"), None: board.tr("does not answer; I go on trying", "没有回应；我继续试"),
                        False: board.tr("refuses this laptop: it takes machines of its network, 20 of one address or as many as `serve --laptops N` says",
                                        "拒绝这台电脑：它只收自己网络里的机器，一个地址 20 台，或者 `serve --laptops N` 说的台数")}[there]
                print(f"lab: {address} {said}", file=sys.stderr, flush=True)
            sent, last = report if status == 204 else None, time.monotonic()
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser(prog="lab workshop join", add_help=False)
    parser.add_argument("address")
    parser.add_argument("--name", default="")
    parser.add_argument("--ask", action="store_true", help="read the Enter key although standard input is no terminal")
    options = parser.parse_args()
    address = options.address.removeprefix("http://").rstrip("/")
    if not address.rpartition(":")[0] or not address.rpartition(":")[2].isdigit():
        said = board.tr("write ADDRESS:PORT, as the leader's laptop shows it.", "请写 地址:端口，和主持人的电脑上显示的一样。")
        print(f"lab: {options.address}: {said}", file=sys.stderr)
        return 2
    who, asks = secrets.token_hex(16), Help()
    print(board.tr(f"reporting to {address} which chapter you are in and what the check says; never a kernel. Ctrl-C ends it.",
                   f"向 {address} 报告你在哪一章、检查说什么；从不报告核函数。Ctrl-C 结束。"), flush=True)
    if sys.stdin.isatty() or options.ask:
        print(board.tr("Enter: ask the leader for help.", "回车：请主持人来帮忙。"), flush=True)
        threading.Thread(target=asks.listen, daemon=True).start()
    try:
        follow(address, board.ROOT, who, options.name, asks)
    except KeyboardInterrupt:
        send(address, {"id": who, "leaves": True})
    return 0


if __name__ == "__main__":
    sys.exit(main())
