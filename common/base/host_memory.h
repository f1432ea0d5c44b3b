// How this process asks the host for memory.
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#endif

namespace lab {

// For processes that launch kernels again and again: without this glibc hands every launch's memory back to
// the kernel and asks for it anew, up to a third of the whole time. What a check takes comes in huge pages,
// where the system has them.
inline void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TOP_PAD, 16 << 20);
  static const bool wished = [] {
    constexpr std::size_t kBytes = 48 << 20, kHugePage = 2 << 20;
    void* const heap = std::malloc(kBytes);
    const auto first = (reinterpret_cast<std::uintptr_t>(heap) + kHugePage - 1) / kHugePage * kHugePage;
    if (heap != nullptr) madvise(reinterpret_cast<void*>(first), kBytes - kHugePage, MADV_HUGEPAGE);
    std::free(heap);
    return heap != nullptr;
  }();
  (void)wished;
#endif
}

}  // namespace lab
