// libFuzzer target: arbitrary bytes as PTX. Enters: bytes. Leaves: nothing; a crash, a sanitizer's complaint
// or a hang is a find. What it finds becomes a row in tests/sim/test_ptx_errors.cpp.
// Build and run: tests/fuzz/README.md.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/sim/ptx/ptx_module.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)lab::sim::ptx::parse({reinterpret_cast<const char*>(data), size});
  } catch (const lab::sim::ptx::ParseError&) {  // what bad bytes deserve; anything else is a find
  }
  return 0;
}
