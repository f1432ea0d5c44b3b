#!/usr/bin/env python3
"""`lab workshop serve`: the board of a workshop as a page on the leader's laptop.

Enters: reports of laptops in the local network. Leaves: the page and board.json, for this laptop alone. Requests from other networks are
refused, and so is a page of another site that a browser here would load under our address."""
import argparse
import contextlib
import http.server
import json
import pathlib
import socket
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
import board  # noqa: E402

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
           "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"}
FILES = {"/": ("board.html", "text/html"), "/board.js": ("board.js", "text/javascript"), "/board.css": ("board.css", "text/css")}


class Handler(http.server.BaseHTTPRequestHandler):
    server: "Server"
    timeout = 10  # a connection that says nothing

    def answer(self, status, text=b"", kind="text/plain"):
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def is_stranger(self):
        return not board.is_local(self.client_address[0], self.server.own)

    def outside_address(self):
        """Whose places are counted: a machine of the room; on this laptop the leader tries things out."""
        address = self.client_address[0]
        return "" if address in ("127.0.0.1", "::1") else address

    def do_GET(self):
        """For the leader alone: asked by this laptop, and by its own name."""
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        if self.client_address[0] not in ("127.0.0.1", "::1") or host not in ("127.0.0.1", "localhost", "[::1]"):
            return self.answer(403, b"The board is for the leader's own browser.\n")
        if self.path == "/board.json":
            return self.answer(200, json.dumps(self.server.board.shown()).encode(), "application/json")
        if self.path in FILES:
            name, kind = FILES[self.path]
            return self.answer(200, (HERE / name).read_bytes(), kind)
        return self.answer(404)

    def do_POST(self):
        if self.is_stranger():
            return self.answer(403)
        # No form of a page can send this type without asking first, and we never allow it.
        if self.path != "/report" or self.headers.get("Content-Type") != "application/json":
            return self.answer(404)
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > board.MOST_BYTES:
            return self.answer(413)
        try:
            self.server.board.report(json.loads(self.rfile.read(int(length))), self.outside_address())
        except (board.BadReport, ValueError, RecursionError) as error:
            return self.answer(400, f"{error}\n".encode(errors="replace"))
        return self.answer(204)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port, shown):
        super().__init__(("0.0.0.0", port), Handler)
        self.board, self.own = shown, board.own_networks()


def own_address(networks):
    """As others of this network reach it: by the way out, or, in a room that has none, in a network of its own. No packet is sent."""
    for towards in ("10.255.255.255", *(str(net[min(1, net.num_addresses - 1)]) for net in networks)):
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((towards, 1))
            return probe.getsockname()[0]
    return "127.0.0.1"


def main():
    parser = argparse.ArgumentParser(prog="lab workshop serve", add_help=False)
    parser.add_argument("--port", type=int, default=8642)
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--laptops", type=int, default=0)
    options = parser.parse_args()
    try:
        server = Server(options.port, board.Board(board.chapter_names(), options.names, expected=max(0, options.laptops)))
    except (OSError, OverflowError) as error:
        advice = board.tr("Choose another with --port.", "请用 --port 换一个。")
        print(f"lab: port {options.port}: {error}. {advice}", file=sys.stderr)
        return 3
    port = server.server_address[1]
    yours, rooms, end = board.tr(("your board     ", "for the room   ", "Ctrl-C ends it; nothing is kept."),
                                 ("你的看板   ", "给大家     ", "Ctrl-C 结束；什么都不保存。"))
    address = own_address(server.own)
    if address == "127.0.0.1" or not board.is_local(address, server.own):
        print(board.tr(f"lab: {address} is no address of a local network: no other machine gets through there. Join the room's network first.",
                       f"lab：{address} 不是本地网络的地址：别的机器从那里进不来。请先连上教室的网络。"), file=sys.stderr)
    print(f"{yours}http://localhost:{port}\n{rooms}./lab workshop join {address}:{port}\n{end}", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
