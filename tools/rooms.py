"""The rooms of common/, as common/rooms.toml lists them: a room is a folder, and its files are those that lie in no deeper room.

Enters: that table. Leaves: the rooms, lowest floor first, and which one a file is in; for tests/base/test_includes.py and the tools."""
import pathlib
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = tomllib.loads((ROOT / "common/rooms.toml").read_text(encoding="utf-8"))
ROOMS: list[str] = [room for floor in TABLE["floors"] for room in floor]


def room_of(path: str) -> str:
    """The room of a file, "" when it is in none: "common/compile/builtin/lexer.h" is in "compile/builtin", not in "compile"."""
    parts = path.split("/")
    folders = ("/".join(parts[1:end]) for end in range(len(parts) - 1, 1, -1)) if parts[0] == "common" else ()
    return next((folder for folder in folders if folder in ROOMS), "")


def files_of(room: str, ending: str) -> list[pathlib.Path]:
    """The files of a room whose names end so, in the order of their names."""
    return [path for path in sorted((ROOT / "common" / room).rglob(f"*{ending}")) if room_of(path.relative_to(ROOT).as_posix()) == room]
