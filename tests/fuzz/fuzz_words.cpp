// libFuzzer target: arbitrary bytes as everything small that a person or a kernel says: an access pattern, a
// launch shape, predictions, a file of directives, a name, a message. Enters: a byte that says which, and
// bytes. Leaves: nothing.
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "common/base/errors.h"
#include "common/base/printable.h"
#include "common/class/grade/submission.h"
#include "common/compile/source_rules.h"
#include "common/course/explore/pattern_input.h"
#include "common/course/judge/subject.h"

namespace {

void read(int which, std::string_view text) {
  using namespace lab;
  const auto bytes = std::as_bytes(std::span(text));
  switch (which) {
    case 0:
      (void)explore::pattern_from_list("load", 4, text);
      return;
    case 1:
      (void)explore::pattern_from_line(text);
      return;
    case 2:
      (void)judge::read_launch_shape(bytes);
      return;
    case 3:
      (void)judge::read_predictions(bytes);
      return;
    case 4:
      (void)compile::refuse_source(text);
      return;
    case 5:
      if (const std::string name = grade::safe_name(text); name.empty() || name.size() > 255) std::abort();
      (void)grade::safe_path(text);
      return;
    default:
      if (base::printable(base::printable(text)) != base::printable(text)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(data[0] % 7, {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const lab::base::UsageError&) {
  } catch (const lab::judge::ShapeError&) {
  }
  return 0;
}
