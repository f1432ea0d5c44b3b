// libFuzzer target: arbitrary bytes as a rubric. Enters: bytes. Leaves: nothing. A list of mistakes is what
// bad text deserves.
#include <cstdint>
#include <string>

#include "common/base/errors.h"
#include "common/class/grade/rubric.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    (void)lab::grade::Rubric::parse(
        text, "rubric.toml",
        {{"05_padding", {{"conflict-free", {"conflict-free"}}, {"whole-sectors", {"whole sectors"}}}}});
  } catch (const lab::base::UsageError&) {
  }
  return 0;
}
