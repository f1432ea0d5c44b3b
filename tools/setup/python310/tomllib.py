"""Python 3.10 has no tomllib: Debian's python3-tomli is the same module. On the path of scripts where ./lab finds Ubuntu 22.04."""
from tomli import TOMLDecodeError, load, loads

__all__ = ["TOMLDecodeError", "load", "loads"]
