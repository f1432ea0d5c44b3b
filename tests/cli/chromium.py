"""A headless Chromium, driven over its debugging protocol, for the tests of pages.

Enters: Debian's or PyPI's websocket-client, Chromium. Leaves: `Browser`. Whoever imports this is skipped (exit code 77) when one of the
two is missing. With LAB_SCREENSHOTS=FOLDER it leaves pictures there."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

try:
    import websocket
except ImportError:
    debian = "/usr/bin/python3"  # Debian's packages are for Debian's Python; another one may come first on PATH
    if os.access(debian, os.X_OK) and os.path.realpath(sys.executable) != os.path.realpath(debian):
        os.execv(debian, [debian, *sys.argv])
    print("skipped: no python3-websocket (apt install python3-websocket)")
    sys.exit(77)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    print("skipped: no Chromium (apt install chromium)")
    sys.exit(77)


class Browser:
    """One headless Chromium with one tab; `errors` collects what the console, the script or the network complain about."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port_file = pathlib.Path(folder) / "DevToolsActivePort"
        deadline = time.monotonic() + 60
        while not (port_file.exists() and port_file.read_text().count("\n") >= 1):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("Chromium did not start")
            time.sleep(0.1)
        port = port_file.read_text().split("\n")[0]
        tabs = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=30))
        tab = next(t for t in tabs if t["type"] == "page")
        self.socket = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=60)
        self.number, self.errors, self.requests, self.loaded = 0, [], [], False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def note(self, event):
        method, p = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(p["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(p["args"])[:600])
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def call(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, place):
        """A file's path, or an address."""
        self.loaded = False
        self.call("Page.navigate", url=place if isinstance(place, str) else place.as_uri())
        while not self.loaded:
            self.note(json.loads(self.socket.recv()))

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key):
        code = {" ": 32, "Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Delete": 46}.get(key, ord(key[0].upper()))
        text = {"Enter": "\r", "Tab": "", "Delete": ""}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def click(self, selector):
        """A real click of the mouse in the middle of the element."""
        self.js(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        x, y = self.js(f"(() => {{ const r = document.querySelector({selector!r}).getBoundingClientRect();"
                       " return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, name):
        folder = os.environ.get("LAB_SCREENSHOTS")
        if folder:
            data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
            (pathlib.Path(folder) / name).write_bytes(base64.b64decode(data))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(timeout=30)
