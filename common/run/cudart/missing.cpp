// What a call that is not simulated does.
#include "common/run/cudart/missing.h"

#include <string_view>
#include <utility>

#include "common/run/cudart/context.h"

namespace lab::cudart {

int missing(const char* call) {
  return static_cast<int>(enter(call, [&](Context& c) {
    c.say_once(
        msg("{} is not simulated: it returns cudaErrorNotSupported. docs/calls.md lists what is.", call));
    return Error::NotSupported;
  }));
}

}  // namespace lab::cudart

// The same for functions of other libraries, in their own codes.
LAB_ENTRY int labMissing(const char* call) {
  using namespace lab::cudart;
  constexpr std::pair<std::string_view, int> kNotSupported[] = {
      {"cublas", 15}, {"cufft", 14}, {"curand", 999}, {"cusparse", 10}, {"cusolver", 9}};
  const std::string name = call;
  context().say_once(msg("{} is not simulated: it returns an error. docs/calls.md lists what is.", name));
  for (const auto& [library, code] : kNotSupported)
    if (name.starts_with(library)) return code;
  return static_cast<int>(Error::NotSupported);
}
