// libFuzzer target: arbitrary bytes as the fat binary of a program that `lab run` starts. Enters: bytes.
// Leaves: nothing. BadFatBinary is what bad bytes deserve.
#include <cstddef>
#include <cstdint>

#include "common/run/cudart/fatbin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    (void)lab::cudart::read_container(std::as_bytes(std::span(data, size)));
  } catch (const lab::cudart::BadFatBinary&) {
  }
  return 0;
}
