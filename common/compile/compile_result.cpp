// What a compiler made, for its reader: also where no compiler runs, as in the browser. See compile.h.
#include "common/base/text/message.h"
#include "common/base/text/text.h"
#include "common/compile/compile.h"

namespace lab::compile {

std::string CompileResult::log_for_reader() const {
  return refusal.empty() ? text::translated_log(log) : translated(refused) + "\n";
}

}  // namespace lab::compile
