"""The page with the native program behind it: what the page itself does can be tried in seconds, without a WebAssembly build.

Enters: LAB_PROGRAM, the built native program. Leaves: `served`, the address of the page on a server of this machine whose runs are those of
the native program, with the files that the page would lay for its own."""
import contextlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/browser"), str(ROOT / "tools")]
import files  # noqa: E402
import lab_page  # noqa: E402

import chapters  # noqa: E402

WORKER = """
const answer = async (place, body) => (await fetch(`${location.origin}/${place}`, {method: 'POST', body})).json();
let turn = Promise.resolve();
self.onmessage = ({data}) => {
  turn = turn.then(async () => self.postMessage(data.program ? {ready: true, files: await answer('files', '')}
                                                             : {id: data.id, ...await answer('run', JSON.stringify(data))}));
};
"""


def lay(folder, texts):
    for place, text in texts.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(words, own, wants):
    """One run in a clone of its own, as worker.js makes it."""
    texts, _ = files.all_files([entry["name"] for entry in chapters.read()])
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        root, began = pathlib.Path(name), time.monotonic()
        lay(root, {**texts, **own})
        left_out = {"LAB_LANG", "LANG", "LC_ALL"}
        env = {**{key: value for key, value in os.environ.items() if key not in left_out}, "LAB_ROOT": name, "HOME": name, "TERM": "dumb"}
        done = subprocess.run([os.environ["LAB_PROGRAM"], "--compiler", "builtin", *words], capture_output=True, text=True, cwd=root, env=env, timeout=200)
        left = {place: (root / place).read_text(encoding="utf-8") for place in wants if (root / place).is_file()}
        return {"status": done.returncode, "out": done.stdout, "err": done.stderr, "files": left, "ms": 1000 * (time.monotonic() - began)}


class Handler(http.server.BaseHTTPRequestHandler):
    page = b""

    def log_message(self, *_):
        pass

    def send(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the page was left meanwhile
            self.wfile.write(body)

    def do_GET(self):
        self.send(self.page, "text/html; charset=utf-8")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/files":
            answer = files.all_files([entry["name"] for entry in chapters.read()])[0]
        else:
            asked = json.loads(body)
            answer = run(asked["words"], asked["files"], asked["wants"])
        self.send(json.dumps(answer).encode(), "application/json")


@contextlib.contextmanager
def served():
    """The address of the page while the server runs."""
    Handler.page = lab_page.assembled(b"", WORKER).encode()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
