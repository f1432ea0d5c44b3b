// How this process asks the host for memory.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace lab {

// For processes that launch kernels again and again: without this glibc hands every launch's memory back to
// the kernel and asks for it anew, up to a third of the whole time.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
#endif
}

}  // namespace lab
