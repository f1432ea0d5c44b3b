// libFuzzer target: arbitrary bytes as the program that `lab run` is asked to start. Enters: bytes. Leaves:
// nothing. UsageError is what bad bytes deserve.
#include "common/base/errors.h"
#include "common/run/programs/run_build.h"
#include "tests/fuzz/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lab::fuzz::FileInMemory file(data, size);
  try {
    (void)lab::programs::check_binary(file.path());
  } catch (const lab::base::UsageError&) {
  }
  return 0;
}
