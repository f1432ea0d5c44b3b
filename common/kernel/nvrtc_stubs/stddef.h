// Found in place of the C library's header when NVRTC compiles a kernel: size_t is known already.
#pragma once

typedef decltype(nullptr) nullptr_t;
#ifndef NULL
#define NULL __null
#endif
#ifndef offsetof
#define offsetof(type, member) (reinterpret_cast<size_t>(&static_cast<type*>(nullptr)->member))
#endif
