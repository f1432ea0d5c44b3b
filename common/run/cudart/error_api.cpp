// Errors: what the codes are called, and the last one of each thread.
//
// Enters: codes. Leaves: names and sentences, word for word those of the real runtime (programs print them
// and people search for them), and the semantics of "sticky": an error of the launch itself is forgotten once
// it was read; a fault inside a kernel is reported by the first call that could know, and by every later one
// that needs the GPU, for the rest of the process.
#include <algorithm>
#include <iterator>

#include "common/run/cudart/context.h"

namespace lab::cudart {
namespace {

struct ErrorRow {
  int code;
  const char* name;
  const char* text;
};

constexpr ErrorRow kErrors[] = {
#define LAB_ERROR(code, name, text) {code, "cudaError" #name, text},
#include "common/run/cudart/errors.inc"
#undef LAB_ERROR
};

const ErrorRow* find(Error error) {
  const int code = static_cast<int>(error);
  const auto* const at = std::lower_bound(std::begin(kErrors), std::end(kErrors), code,
                                          [](const ErrorRow& row, int wanted) { return row.code < wanted; });
  return at != std::end(kErrors) && at->code == code ? at : nullptr;
}

thread_local Error last_of_thread = Error::Success;

}  // namespace

void note_seen(Error error) {
  Context& c = context();
  const std::lock_guard lock(c.mutex);
  if (c.failed_codes.erase(error) != 0) c.records.note(RunNote::SawFault);
}

void remember(Error error) { last_of_thread = error; }
Error remembered() { return last_of_thread; }

Error last_error(bool forget) {
  const Error result = last_of_thread;
  if (forget) last_of_thread = Error::Success;
  note_seen(result);
  return result;
}

const char* error_name(Error error) {
  if (error == Error::Success) return "cudaSuccess";
  const ErrorRow* row = find(error);
  return row == nullptr ? "unrecognized error code" : row->name;
}

const char* error_text(Error error) {
  const ErrorRow* row = find(error);
  return row == nullptr ? "unrecognized error code" : row->text;
}

}  // namespace lab::cudart

using namespace lab::cudart;

LAB_API Error cudaGetLastError() { return last_error(true); }
LAB_API Error cudaPeekAtLastError() { return last_error(false); }
LAB_API const char* cudaGetErrorName(Error error) {
  note_seen(error);
  return error_name(error);
}
LAB_API const char* cudaGetErrorString(Error error) {
  note_seen(error);
  return error_text(error);
}
