// Found in place of the C library's header when NVRTC compiles a kernel: memcpy and memset of the device are
// known already.
#pragma once
