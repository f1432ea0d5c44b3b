// libFuzzer target: arbitrary bytes as a rubric. Enters: bytes. Leaves: nothing. A list of mistakes is what
// bad text deserves.
#include <cstdlib>
#include <string>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/grade/rubric.h"
#include "common/judge/chapter_list.h"
#include "common/judge/checks.h"

// The default rubric and the course are left out: nothing here asks for them.
namespace lab::base {
const std::filesystem::path& project_root() { std::abort(); }
}  // namespace lab::base
namespace lab::judge {
std::vector<const ChapterInfo*> all_chapters() { std::abort(); }
Evaluation not_evaluated(const ChapterInfo&, const Reason&) { std::abort(); }
std::span<const FormerTitle> former_titles() { std::abort(); }
}  // namespace lab::judge

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
