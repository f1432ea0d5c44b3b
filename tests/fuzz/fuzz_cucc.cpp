// libFuzzer target: arbitrary bytes as a kernel file for the built-in compiler. Enters: bytes. Leaves:
// nothing; PTX or a message is what they deserve.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "common/cucc/compiler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lab::cucc::Request request;
  request.file = {"transpose.cu", std::string(reinterpret_cast<const char*>(data), size)};
  request.find_header = [](const auto&...) { return std::nullopt; };
  (void)lab::cucc::compile(request);
  return 0;
}
