"""How results look in a notebook: text with colours, tables.

Enters: what the program prints for a terminal, rows of numbers. Leaves: HTML without scripts, styled in place: notebooks keep no style sheets."""
from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

_INKS = {"1": "font-weight:bold", "2": "opacity:.65", "31": "color:#c5221f", "32": "color:#188038", "33": "color:#b06000", "36": "color:#00639b"}
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


MOST_LINES = 1000  # of what a program printed, in a cell


def escape(text: object) -> str:
    return html.escape(str(text))


def sentence(text: str) -> str:
    """Its `code` as code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escape(text))


def shortened(text: str) -> str:
    """A notebook keeps what a cell shows, in two forms: of a flood the first lines and the last."""
    lines = text.split("\n")
    left_out = len(lines) - MOST_LINES
    if left_out <= 0:
        return text
    return "\n".join([*lines[: MOST_LINES // 2], f"… {left_out:,} more lines: all of them are in its `stdout` and `stderr` …", *lines[-MOST_LINES // 2:]])


def plain(text: str) -> str:
    """The text without colours."""
    return _SGR.sub("", text)


def terminal(text: str) -> str:
    """What a terminal would show."""
    out, open_spans, at = [], 0, 0
    for found in _SGR.finditer(text):
        out.append(html.escape(text[at:found.start()]))
        at = found.end()
        styles = [_INKS[code] for code in found[1].split(";") if code in _INKS]
        if styles:
            out.append(f'<span style="{";".join(styles)}">')
            open_spans += 1
        else:
            out.append("</span>" * open_spans)
            open_spans = 0
    out.append(html.escape(text[at:]) + "</span>" * open_spans)
    return f'<pre style="font-family:monospace;line-height:1.35;margin:.4em 0;white-space:pre-wrap">{"".join(out)}</pre>'


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Numbers to the right, in groups of three; text to the left."""
    def cell(value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return f'<td style="text-align:left">{escape(value)}</td>'
        return f'<td style="text-align:right">{grouped(value)}</td>'
    head = "".join(f"<th>{escape(word)}</th>" for word in heads)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    return f'<table style="font-variant-numeric:tabular-nums"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def grouped(number: float) -> str:
    """1048576 as 1 048 576."""
    return f"{number:,}".replace(",", "\u202f")


def frame(page: str, height: int) -> str:
    """A whole page inside of a cell's output."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:{height}px;border:1px solid #8884" loading="lazy"></iframe>'
