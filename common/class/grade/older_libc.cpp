// The pip package runs on C libraries that are older than the one it is built with: what libarchive asks of a
// newer one.
//
// Enters: libarchive's wish for random bytes, which glibc knows under this name from 2.36 on. Leaves: bytes
// of the kernel.
#include <unistd.h>

#include <algorithm>
#include <cstddef>

extern "C" void arc4random_buf(void* bytes, std::size_t count) noexcept {
  constexpr std::size_t kMostAtOnce = 256;  // of getentropy
  auto* at = static_cast<std::byte*>(bytes);
  for (std::size_t done = 0; done < count; done += kMostAtOnce)
    (void)::getentropy(at + done, std::min(kMostAtOnce, count - done));
}
