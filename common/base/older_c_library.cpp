// arc4random, which C libraries have since 2.36: the C++ library that the pip package carries asks for it
// (std::random_device), and the package runs on 2.35.
//
// Linked into the package's own programs alone, and seen by none but them.
#include "common/base/random.h"

extern "C" __attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  return lab::base::random_number();
}
