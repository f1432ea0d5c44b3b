"""Reads and writes catalogues in the format of GNU gettext (.po), as far as this project uses it.

Enters: the text of a .po file, or entries. Leaves: entries (English form, translation, files that use it), or the text again. Plural
forms and contexts are not used: a sentence that differs for one and for many is two sentences."""
import dataclasses
import re

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


@dataclasses.dataclass
class Entry:
    english: str
    translation: str = ""
    comments: list = dataclasses.field(default_factory=list)  # whole lines, "#, …" and "# …"
    files: list = dataclasses.field(default_factory=list)
    line: int = 0


class PoError(Exception):
    pass


def unquote(text, where):
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise PoError(f"{where}: expected text in quotes, found {text}")
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), text[1:-1])


def read(text, name="catalogue"):
    """(header, entries): the header is the translation of the empty string."""
    entries, entry, field = [], Entry(""), None
    started = False
    for number, line in enumerate(text.split("\n") + [""], 1):
        where = f"{name}:{number}"
        line = line.strip()
        if not line:
            if started:
                entries.append(entry)
            entry, field, started = Entry(""), None, False
        elif line.startswith("#~"):
            raise PoError(f"{where}: an obsolete entry; take it out")
        elif line.startswith("#:"):
            entry.files += line[2:].split()
        elif line.startswith("#"):
            entry.comments.append(line)
        elif line.startswith("msgid ") or line.startswith("msgstr "):
            word, rest = line.split(" ", 1)
            field = "english" if word == "msgid" else "translation"
            if field == "english":
                started, entry.line = True, number
            setattr(entry, field, unquote(rest, where))
        elif line.startswith('"') and field:
            setattr(entry, field, getattr(entry, field) + unquote(line, where))
        else:
            raise PoError(f"{where}: not understood: {line}")
    if not entries or entries[0].english:
        raise PoError(f"{name}: the first entry must be the header, msgid \"\"")
    return entries[0], entries[1:]


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\r", "\\r").replace("\n", "\\n")
    return f'"{escaped}"'


def field_text(word, text):
    pieces = re.findall(r"[^\n]*\n|[^\n]+", text)
    if len(pieces) < 2:
        return f"{word} {quoted(text)}\n"
    return f'{word} ""\n' + "".join(quoted(p) + "\n" for p in pieces)


def write(header, entries):
    blocks = ["".join(c + "\n" for c in header.comments) + field_text("msgid", "") + field_text("msgstr", header.translation)]
    for e in entries:
        blocks.append("".join(c + "\n" for c in e.comments) + "".join(f"#: {f}\n" for f in e.files) +
                      field_text("msgid", e.english) + field_text("msgstr", e.translation))
    return "\n".join(blocks)
