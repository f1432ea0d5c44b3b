// Found in place of the CUDA Toolkit's header when NVRTC compiles a kernel: its device names are declared
// before the first line.
#pragma once
