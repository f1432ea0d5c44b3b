// Found in place of the C library's header when NVRTC compiles a kernel: assert of the device is known
// already.
#pragma once
