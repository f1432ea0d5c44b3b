// Found in place of the C library's header when NVRTC compiles a kernel: malloc and free of the device are
// known already.
#pragma once
