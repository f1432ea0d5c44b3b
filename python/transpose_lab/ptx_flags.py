"""What a C compiler needs to build a program with libtranspose-ptx: cc program.c $(python3 -m transpose_lab.ptx_flags)"""
from transpose_lab import program


def flags() -> list[str]:
    folder = program.built("run/embed")
    return [f"-I{folder}", f"-L{folder}", "-ltranspose-ptx", f"-Wl,-rpath,{folder}", f"-Wl,-rpath-link,{program.built('sim')}"]


if __name__ == "__main__":
    print(*flags())
