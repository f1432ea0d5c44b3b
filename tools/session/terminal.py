"""A terminal that a script types into: bash in tmux.

Enters: commands. Leaves: what stood on the screen, as lines of cells with their colours. Needs tmux."""
import os
import re
import shutil
import subprocess
import tempfile
import time
import unicodedata

COLUMNS, LINES = 140, 50


class Terminal:
    def __init__(self, folder, environment):
        self.socket = os.path.join(tempfile.mkdtemp(), "tmux")
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "COLORTERM": "truecolor", "PAGER": "cat", **environment}
        config = self.socket + ".conf"
        with open(config, "w") as out:  # nothing of the user's own; a bar would be one more thing to look at
            out.write("set -g history-limit 20000\nset -g status off\nset -g default-terminal tmux-256color\n"
                      "set -ga terminal-overrides ',*:Tc'\n")
        self.tmux("-f", config, "new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES), "-c", str(folder), "env", "-i",
                  *(f"{name}={value}" for name, value in env.items()), "TERM=tmux-256color", "bash", "--norc", "--noprofile")
        # Each prompt says that the command before it has ended.
        self.type(f" PS1='$ '; PROMPT_COMMAND='tmux -S {self.socket} wait-for -S prompt'")
        self.wipe()

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], check=True, capture_output=True, text=True, timeout=300).stdout

    def type(self, command, *answers):
        """A command, and what is typed at each question of it; a question ends with a colon and waits."""
        self.tmux("send-keys", "-l", command)
        self.tmux("send-keys", "Enter")
        for answer in answers:
            self.until(lambda: self.cursor_line().endswith(":"))
            self.tmux("send-keys", "-l", answer)
            self.tmux("send-keys", "Enter")
            self.until(lambda: not self.cursor_line().endswith(":" + answer))
        self.tmux("wait-for", "prompt")
        self.until(lambda: self.cursor_line() == "$")  # the signal comes a moment before the prompt

    def cursor_line(self):
        row = int(self.tmux("display-message", "-p", "#{cursor_y}"))
        return self.tmux("capture-pane", "-p").split("\n")[row].rstrip()

    def until(self, ready, seconds=120):
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                raise TimeoutError("the terminal shows:\n" + self.tmux("capture-pane", "-p"))
            time.sleep(0.02)

    def wipe(self):
        self.type(" clear")
        self.tmux("clear-history")

    def screen(self):
        """Everything since the last wipe but the last prompt, with escape sequences."""
        lines = self.tmux("capture-pane", "-p", "-e", "-S", "-").rstrip("\n").split("\n")
        lines = [line.rstrip() for line in lines]
        while lines and plain(lines[-1]).strip() in ("", "$"):
            lines.pop()
        return lines

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        shutil.rmtree(os.path.dirname(self.socket), ignore_errors=True)


def plain(line):
    return re.sub(r"\x1b\[[0-9;:]*m", "", line).rstrip()


def width(text):
    """Columns of a terminal: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def spans(line, style=None):
    """[(text, style)], and the style at the end: colours go on into the next line. A style is what SVG wants to know."""
    style = dict(style or {})
    found = []
    for piece in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if not piece.startswith("\x1b"):
            if piece:
                found.append((piece, dict(style)))
            continue
        codes = [int(c or 0) for c in re.split("[;:]", piece[2:-1])]
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                key = "fill" if code == 38 else "back"
                if codes.pop(0) == 2:
                    style[key] = "#{:02x}{:02x}{:02x}".format(*codes[:3])
                    codes = codes[3:]
                else:
                    style[key] = palette(codes.pop(0))
            elif code == 0:
                style.clear()
            elif code == 1:
                style["bold"] = True
            elif code == 2:
                style["faint"] = True
            elif code in (31, 32):
                style["fill"] = "#ff8f70" if code == 31 else "#7fd88f"
            elif code == 39:
                style.pop("fill", None)
            elif code == 49:
                style.pop("back", None)
    return found, style


def palette(index):
    if index < 16 or index > 231:
        return "#ffffff" if index in (7, 15, 231) else "#888888"
    index -= 16
    return "#" + "".join(f"{0 if v == 0 else 55 + 40 * v:02x}" for v in (index // 36, index // 6 % 6, index % 6))


def pieces(text):
    """(piece, the cell that it begins in): narrow and wide characters apart, and cut where blanks stand side by side."""
    found, at = [], 0
    for piece in re.findall(r"[\u2e80-\u9fff\uff00-\uff60]+|(?:(?!  )[^\u2e80-\u9fff\uff00-\uff60])+| {2,}", text):
        if piece.strip():
            found.append((piece, at))
        at += width(piece)
    return found


def svg(lines, title, columns=COLUMNS):
    """The screen as a picture: light text on dark, every cell in its place; wide characters are as wide as two."""
    wide, high, margin = 8.0, 18, 14
    escape = lambda text: text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    across, height = columns * wide + 2 * margin, len(lines) * high + 2 * margin
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{across:.0f}" height="{height}" viewBox="0 0 {across:.0f} {height}" '
           f'role="img"><title>{escape(title)}</title>',
           "<style>text{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#e6e6e6;white-space:pre}"
           ".b{font-weight:bold}.f{fill:#9aa3ad}.c{fill:#9ecbff;font-weight:bold}.w{font-size:16px}</style>",
           f'<rect width="{across:.0f}" height="{height}" rx="8" fill="#16191d"/>']
    style: dict = {}
    for row, line in enumerate(lines):
        found, style = spans(line, style)
        at, y = 0, margin + row * high
        is_command = plain(line).startswith("$ ")
        for text, look in found:
            x = margin + at * wide
            if "back" in look:
                out.append(f'<rect x="{x:.0f}" y="{y}" width="{width(text) * wide:.0f}" height="{high}" fill="{look["back"]}"/>')
            if text.strip():
                lead = len(text) - len(text.lstrip())
                word = text.strip()
                classes = "c" if is_command else " ".join(n for n, k in (("b", "bold"), ("f", "faint")) if k in look)
                colour = f' style="fill:{look["fill"]}"' if "fill" in look else ""
                for piece, cells in pieces(word):
                    shown = (classes + " w").strip() if width(piece) > len(piece) else classes
                    out.append(f'<text x="{x + (lead + cells) * wide:.0f}" y="{y + 13}" textLength="{width(piece) * wide:.0f}"'
                               f'{f" class={chr(34)}{shown}{chr(34)}" if shown else ""}{colour}>{escape(piece)}</text>')
            at += width(text)
    return "\n".join(out) + "\n</svg>\n"
