"""A client of `lab dap`: frames requests, sorts responses from events.

Enters: LAB_PROGRAM, a Clone. Leaves: responses, and the events that came with them."""
import json
import subprocess

from sandbox import PROGRAM


class Client:
    def __init__(self, clone, words=(PROGRAM, "dap"), **env):
        self.process = subprocess.Popen(words, cwd=clone.root, env=dict(clone.env, LAB_LANG="en", **env), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.seq, self.heard, self.events, self.console = 0, 0, [], ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()

    def send(self, raw):
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def message(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            length = int(line.removeprefix(b"Content-Length: "))
        got = json.loads(self.process.stdout.read(length))
        self.heard += 1
        assert got["seq"] == self.heard, got
        return got

    def ask_raw(self, text):
        """Anything in a frame, and a request behind it that is always refused: what was said before that."""
        body = text if isinstance(text, bytes) else text.encode()
        self.send(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.response()

    def response(self):
        while (got := self.message())["type"] == "event":
            self.events.append(got)
        return got

    def ask(self, command, **arguments):
        """The response; what follows from it comes before the answer to the next request."""
        self.seq += 1
        got = self.ask_raw(json.dumps({"seq": self.seq, "type": "request", "command": command, "arguments": arguments}))
        assert (got["request_seq"], got["command"]) == (self.seq, command), got
        assert got["success"] or got["message"] == got["body"]["error"]["variables"]["said"], got
        return got

    def body(self, command, **arguments):
        got = self.ask(command, **arguments)
        assert got["success"], got
        return got.get("body", {})

    def events_now(self):
        """Those that came since; a request that nothing understands is answered behind them."""
        assert not self.ask("no such request")["success"]
        events, self.events = self.events, []
        return events

    def stop(self, command, **arguments):
        """Where it stops: the event's body; None: the session is over."""
        self.body(command, **arguments)
        events = self.events_now()
        self.console = "".join(event["body"]["output"] for event in events if event["event"] == "output")
        stops = [event for event in events if event["event"] in ("stopped", "terminated")]
        assert len(stops) == 1, stops
        return stops[0]["body"] if stops[0]["event"] == "stopped" else None

    def launch(self, breakpoints=(), filters=("fault", "wrong"), **arguments):
        self.body("initialize", adapterID="transpose-lab")
        self.body("launch", **arguments)
        assert "initialized" in [event["event"] for event in self.events_now()]
        if breakpoints:
            self.body("setBreakpoints", source={"path": breakpoints[0]}, breakpoints=[{"line": line} for line in breakpoints[1:]])
        self.body("setExceptionBreakpoints", filters=list(filters))
        return self.stop("configurationDone")
