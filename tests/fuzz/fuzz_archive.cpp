// libFuzzer target: arbitrary bytes as an archive that a student handed in. Enters: bytes. Leaves: nothing;
// whatever comes out of the archive must keep within the limits and have a name that is safe to print.
#include <cstdlib>

#include "common/base/printable.h"
#include "common/class/grade/submission.h"
#include "tests/fuzz/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lab::grade;
  const lab::fuzz::FileInMemory file(data, size);
  ReadLimits limits;
  limits.total_bytes = 1 << 20;
  limits.file_bytes = 1 << 16;
  Submission submission;
  read_archive(file.path(), "", limits, submission);
  for (const SourceFile& f : submission.files) {
    if (f.bytes.size() > limits.file_bytes || lab::base::printable_line(f.path) != f.path ||
        !is_kernel_name(f.path))
      std::abort();
  }
  return 0;
}
