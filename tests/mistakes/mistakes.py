"""The table of beginners' mistakes: what is written wrongly, and how each advice is obeyed.

Enters: mistakes.toml. Leaves: rows, and the texts of their kernels."""
import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def load():
    return tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]


def base_text(row):
    if "base" in row:
        return (ROOT / row["base"]).read_text(encoding="utf-8")
    return next(ROOT.glob(f"solutions/{row['id'][:2]}_*/transpose.cu")).read_text(encoding="utf-8")


def patched(text, changes, who):
    for old, new in changes:
        if old not in text:
            raise ValueError(f"{who}: there is no {old!r} to change")
        text = text.replace(old, new)
    return text


def wrong_text(row):
    return patched(base_text(row), row["change"], row["id"])


def mended_text(row):
    """The advice obeyed: other words in the wrong text, or, where the row has none, the mistake taken back."""
    return patched(wrong_text(row), row["mend"], row["id"]) if "mend" in row else base_text(row)
