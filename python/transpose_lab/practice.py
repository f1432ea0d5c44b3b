"""`lab` where this package has no program of the system (Windows, macOS): the lab as WebAssembly (tools/browser/wasm.py), run by wasmtime.

Enters: the module, a command line, an environment. Leaves: what the program writes, its exit code. Paths in it are those of this system, on
Windows /c/Users for C:\\Users. Real GPUs, other compilers, whole programs and classes are left out."""
from __future__ import annotations

import contextlib
import errno
import importlib.metadata
import importlib.util
import itertools
import os
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from transpose_lab import program
from transpose_lab.judge import missing

# Commands of the lab for Linux that need processes, other compilers or a GPU.
LEFT_OUT = ("bench", "completion", "dap", "dev", "doctor", "grade", "judge", "mcp", "run", "watch")
STACK_BYTES = 2 << 20  # of the module's calls: as much as wasmtime grants
PAGE = 1 << 16
ENVIRONMENT = ("LANG", "TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "HOME")
OPENED = {64: os.O_CREAT, 128: os.O_EXCL, 512: os.O_TRUNC, 1024: os.O_APPEND}  # as the module's C library has them
NOT_THE_TARGET, TERMINAL_SIZE = 256, 21523
# Its numbers of errors are WASI's.
ERRORS = {errno.EACCES: 2, errno.EBADF: 8, errno.EBUSY: 10, errno.EEXIST: 20, errno.EINVAL: 28, errno.EISDIR: 31, errno.EMFILE: 33, errno.ENAMETOOLONG: 37,
          errno.ENOENT: 44, errno.ENOSPC: 51, errno.ENOSYS: 52, errno.ENOTDIR: 54, errno.ENOTEMPTY: 55, errno.ENOTTY: 59, errno.EPERM: 63,
          errno.EPIPE: 64, errno.EROFS: 69, errno.ESPIPE: 70}
IO_ERROR = 29
# What it can do without: pages of files, signals, a time zone, upper halves of 64 bits, and what lies in a folder that it removes.
ANSWERS: dict[str, int | None] = {"munmap_js": -52, "syscall_fcntl64": 0, "syscall_getdents64": 0, "syscall_fchmod": 0, "fd_sync": 0, "call_sighandler": None,
                                  "tzset_js": None, "setTempRet0": None}


def inside(path: str, system: str = os.name) -> str:
    """A path of this system as the program has it."""
    if system != "nt":
        return path
    path = path.replace("\\", "/")
    return f"/{path[0].lower()}{path[2:]}" if path[1:2] == ":" else path


def outside(path: str, system: str = os.name) -> str:
    """A path of the program as this system has it."""
    if system == "nt" and path[:1] == "/" and path[1:2].isalpha() and path[2:3] in ("", "/"):
        return f"{path[1].upper()}:{path[2:] or '/'}"
    return path


class Host:
    """What the module asks of its system. A method has the name of an import, without the underscores before it."""

    def __init__(self, environment: Mapping[str, str], streams: Sequence[BinaryIO]) -> None:
        self._environment = [f"{name}={value}".encode("utf-8", "surrogateescape") + b"\0" for name, value in environment.items()]
        self._streams: dict[int, Any] = dict(enumerate(streams))

    def attach(self, memory: Any, store: Any) -> None:
        self._memory, self._store = memory, store

    # Memory of the program.
    def _read(self, at: int, count: int) -> bytes:
        at &= 0xFFFFFFFF
        return bytes(self._memory.read(self._store, at, at + count))

    def _write(self, at: int, data: bytes) -> int:
        self._memory.write(self._store, data, at & 0xFFFFFFFF)
        return 0

    def _pack(self, at: int, layout: str, *values: int) -> int:
        return self._write(at, struct.pack("<" + layout, *values))

    def _text(self, at: int) -> str:
        text, at = b"", at & 0xFFFFFFFF
        while b"\0" not in text:
            text += self._read(at + len(text), min(256, self._memory.data_len(self._store) - at - len(text)))
        return text[:text.index(b"\0")].decode("utf-8", "surrogateescape")

    def _path(self, at: int) -> str:
        return outside(self._text(at))

    def lay(self, texts: Sequence[bytes], table: int, at: int) -> int:
        """Texts, and a table of where they are."""
        for place, text in enumerate(texts):
            self._pack(table + 4 * place, "I", at)
            self._write(at, text)
            at += len(text)
        return 0

    def environ_sizes_get(self, count: int, size: int) -> int:
        self._pack(count, "I", len(self._environment))
        return self._pack(size, "I", sum(map(len, self._environment)))

    def environ_get(self, table: int, texts: int) -> int:
        return self.lay(self._environment, table, texts)

    # Open files.
    def syscall_open(self, path: int, flags: int, more: int) -> int:
        place, number = self._path(path), next(number for number in itertools.count(3) if number not in self._streams)
        if os.path.isdir(place):
            raise OSError(errno.EISDIR, place)
        way = (os.O_RDONLY, os.O_WRONLY, os.O_RDWR)[flags & 3] | getattr(os, "O_BINARY", 0)
        for bit, own in OPENED.items():
            way |= own if flags & bit else 0
        self._streams[number] = open(os.open(place, way, 0o666), ("rb", "wb", "r+b")[flags & 3], buffering=0)  # noqa: SIM115
        return number

    def fd_close(self, number: int) -> int:
        if number > 2:
            self._streams.pop(number).close()
        return 0

    def _parts(self, parts: int, count: int) -> list[tuple[int, int]]:
        return [struct.unpack("<II", self._read(parts + 8 * place, 8)) for place in range(count)]

    def fd_write(self, number: int, parts: int, count: int, written: int) -> int:
        data = b"".join(self._read(at, size) for at, size in self._parts(parts, count))
        done = 0
        while done < len(data):
            done += self._streams[number].write(data[done:])
        if number in (1, 2):
            self._streams[number].flush()
        return self._pack(written, "I", len(data))

    def fd_read(self, number: int, parts: int, count: int, read: int) -> int:
        total = 0
        for at, size in self._parts(parts, count):
            data = self._streams[number].read(size) or b""
            self._write(at, data)
            total += len(data)
            if len(data) < size:
                break
        return self._pack(read, "I", total)

    def fd_seek(self, number: int, low: int, high: int, whence: int, reached: int) -> int:
        if number < 3:
            raise OSError(errno.ESPIPE, "")
        return self._pack(reached, "q", self._streams[number].seek((low & 0xFFFFFFFF) | high << 32, whence))

    def fd_fdstat_get(self, number: int, into: int) -> int:
        return self._write(into, bytes([2 if self._streams[number].isatty() else 4]) + bytes(23))

    def syscall_ioctl(self, number: int, command: int, more: int) -> int:
        stream = self._streams[number]
        if not stream.isatty():
            raise OSError(errno.ENOTTY, "")
        if command == TERMINAL_SIZE:
            size = os.get_terminal_size(stream.fileno())
            self._pack(struct.unpack("<I", self._read(more, 4))[0], "4H", size.lines, size.columns, 0, 0)
        return 0

    def syscall_ftruncate64(self, number: int, low: int, high: int) -> int:
        self._streams[number].truncate((low & 0xFFFFFFFF) | high << 32)
        return 0

    # What lies at a path.
    def _stat(self, found: os.stat_result, into: int) -> int:
        times = [number for at in (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns) for number in divmod(at, 10**9)]
        node = found.st_ino & 0x7FFFFFFFFFFFFFFF
        return self._pack(into, "IiIIIIIIiqiiiiiiiiq", found.st_dev & 0xFFFFFFFF, 0, node & 0xFFFFFFFF, found.st_mode, found.st_nlink & 0xFFFFFFFF, 0, 0, 0, 0,
                          found.st_size, 4096, (found.st_size + 511) // 512 & 0x7FFFFFFF, *times, node)

    def syscall_stat64(self, path: int, into: int) -> int:
        return self._stat(os.stat(self._path(path)), into)

    def syscall_lstat64(self, path: int, into: int) -> int:
        return self._stat(os.lstat(self._path(path)), into)

    def syscall_fstat64(self, number: int, into: int) -> int:
        return self._stat(os.fstat(self._streams[number].fileno()), into)

    def syscall_fstatat64(self, folder: int, path: int, into: int, flags: int) -> int:
        return self._stat(os.stat(self._path(path), follow_symlinks=not flags & NOT_THE_TARGET), into)

    def syscall_faccessat(self, folder: int, path: int, mode: int, flags: int) -> int:
        os.stat(self._path(path))
        if not os.access(self._path(path), mode):
            raise OSError(errno.EACCES, "")
        return 0

    def syscall_readlink(self, path: int, into: int, size: int) -> int:
        text = inside(os.readlink(self._path(path))).encode()[:size]
        self._write(into, text)
        return len(text)

    # Changes.
    def syscall_mkdir(self, path: int, mode: int) -> int:
        os.mkdir(self._path(path))
        return 0

    def syscall_rmdir(self, path: int) -> int:
        os.rmdir(self._path(path))
        return 0

    def syscall_unlink(self, path: int) -> int:
        os.unlink(self._path(path))
        return 0

    def syscall_rename(self, old: int, new: int) -> int:
        os.replace(self._path(old), self._path(new))
        return 0

    def syscall_chmod(self, path: int, mode: int) -> int:
        os.chmod(self._path(path), mode)
        return 0

    def syscall_getcwd(self, into: int, size: int) -> int:
        text = inside(os.getcwd()).encode() + b"\0"
        self._write(into, text)
        return len(text)

    # Memory, time, chance, ends.
    def emscripten_get_heap_max(self) -> int:
        return -PAGE  # 4 GiB less a page, as 32 bits

    def emscripten_resize_heap(self, wanted: int) -> int:
        now = self._memory.data_len(self._store)
        for bytes_ in (max(wanted & 0xFFFFFFFF, now + (now >> 2)), wanted & 0xFFFFFFFF):
            try:
                self._memory.grow(self._store, (min(bytes_, (1 << 32) - PAGE) - now + PAGE - 1) // PAGE)
                return 1
            except Exception:  # wasmtime's, for a machine without that much
                continue
        return 0

    def clock_gettime(self, clock: int, into: int) -> int:
        return self._pack(into, "ii", *divmod(time.time_ns() if clock == 0 else time.perf_counter_ns(), 10**9))

    def gettimeofday(self, into: int, zone: int) -> int:
        seconds, rest = divmod(time.time_ns(), 10**9)
        return self._pack(into, "ii", seconds, rest // 1000)

    def time(self, into: int) -> int:
        if into:
            self._pack(into, "i", int(time.time()))
        return int(time.time())

    def gmtime_js(self, seconds: int, into: int) -> None:
        at = time.gmtime(struct.unpack("<i", self._read(seconds, 4))[0])
        self._pack(into, "9i", at.tm_sec, at.tm_min, at.tm_hour, at.tm_mday, at.tm_mon - 1, at.tm_year - 1900, (at.tm_wday + 1) % 7, at.tm_yday - 1, 0)

    def strftime(self, into: int, size: int, form: int, at: int, *locale: int) -> int:
        second, minute, hour, day, month, year, weekday, day_of_year, _ = struct.unpack("<9i", self._read(at, 36))
        spelled = self._text(form)
        text = time.strftime(spelled, (year + 1900, month + 1, day, hour, minute, second, (weekday - 1) % 7, day_of_year + 1, -1)).encode()
        if len(text) >= size:
            return 0
        self._write(into, text + b"\0")
        return len(text)

    strftime_l = strftime

    def getentropy(self, into: int, size: int) -> int:
        return self._write(into, os.urandom(size))

    def abort(self) -> None:
        raise RuntimeError("the program has stopped itself")

    def assert_fail(self, what: int, file: int, line: int, function: int) -> None:
        raise RuntimeError(f"{self._text(file)}:{line}: {self._text(what)}")

    def call(self, name: str) -> Callable[..., Any]:
        """What an import of this name does. A failure is its number: negative of a call of the system, as it is of WASI."""
        name, sign = name.lstrip("_"), -1 if "syscall" in name else 1
        if name in ANSWERS:
            return lambda *_: ANSWERS[name]
        method = getattr(self, name)

        def answer(*values: int) -> Any:
            try:
                return method(*values)
            except BrokenPipeError:  # `lab list | head`: its reader has read enough
                os._exit(141)
            except OSError as error:
                return sign * ERRORS.get(error.errno or 0, IO_ERROR)
            except KeyError:  # a descriptor that is not open
                return sign * ERRORS[errno.EBADF]
        return answer


def _compiled(module: Path) -> Any:
    """The module as this machine's code, which is kept: compiling takes seconds. Returned with its engine."""
    import wasmtime
    config = wasmtime.Config()
    config.wasm_exceptions = True
    config.max_wasm_stack = STACK_BYTES
    engine = wasmtime.Engine(config)
    about = module.stat()
    kept = program.cache() / f"lab-{about.st_size}-{about.st_mtime_ns}-{importlib.metadata.version('wasmtime')}.cwasm"
    with contextlib.suppress(wasmtime.WasmtimeError, OSError):
        return engine, wasmtime.Module.deserialize_file(engine, str(kept))
    print("lab: the first start compiles the lab for this machine, some seconds long.", file=sys.stderr, flush=True)
    code = wasmtime.Module.from_file(engine, str(module))
    with contextlib.suppress(OSError):  # a folder that takes no file: next time again
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_bytes(code.serialize())
        part.replace(kept)
    return engine, code


def run(module: Path, words: list[str], environment: Mapping[str, str], streams: Sequence[BinaryIO]) -> int:
    """Runs one command line; its exit code."""
    import wasmtime
    engine, code = _compiled(module)
    store = wasmtime.Store(engine)
    host = Host(environment, streams)
    imports: list[Any] = []
    for wanted in code.imports:
        if isinstance(wanted.type, wasmtime.MemoryType):
            memory = wasmtime.Memory(store, wanted.type)
            host.attach(memory, store)
            imports.append(memory)
        else:
            imports.append(wasmtime.Func(store, wanted.type, host.call(wanted.name)))
    exports = wasmtime.Instance(store, code, imports).exports(store)
    exports["__wasm_call_ctors"](store)
    texts = [word.encode("utf-8", "surrogateescape") + b"\0" for word in words]
    table = exports["malloc"](store, 4 * len(texts) + sum(map(len, texts)))
    host.lay(texts, table, table + 4 * len(texts))
    status = exports["main"](store, len(texts), table)
    exports["__funcs_on_exit"](store)
    exports["__stdio_exit"](store)
    return status


def _environment() -> dict[str, str]:
    """That of the program on Linux, with its paths."""
    chosen = {name: value for name, value in program.environment().items() if name.startswith(("LAB_", "LC_")) or name in ENVIRONMENT}
    chosen.update({name: inside(chosen[name]) for name in ("LAB_ROOT", "LAB_CACHE_DIR") if name in chosen})
    if sys.platform == "win32":
        import ctypes
        import locale
        chosen.setdefault("TERM", "xterm-256color")
        chosen.setdefault("LANG", locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), ""))
        os.system("")  # its terminal reads colours from then on
    return {**chosen, "TMPDIR": inside(tempfile.gettempdir())}


def main(module: Path, arguments: list[str]) -> int:
    """The command `lab`, with these words behind it."""
    if arguments[:1] and arguments[0] in LEFT_OUT:
        print(f"lab: {arguments[0]} is left out on {sys.platform}: this package has the commands of the course. "
              "The whole lab runs on Linux, and in WSL.", file=sys.stderr)
        return 2
    if importlib.util.find_spec("wasmtime") is None:
        print(f"lab: {missing('wasmtime').message}\n{missing('wasmtime').remedy}", file=sys.stderr)
        return 3
    ended: list[int] = []
    words, streams = ["lab", *map(inside, arguments)], (sys.stdin.buffer, sys.stdout.buffer, sys.stderr.buffer)
    threading.stack_size(4 * STACK_BYTES)  # a system's first thread may have less
    thread = threading.Thread(target=lambda: ended.append(run(module, words, _environment(), streams)), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.5)  # on Windows Ctrl-C waits for this
    except KeyboardInterrupt:
        os._exit(130)
    return ended[0] if ended else 3
