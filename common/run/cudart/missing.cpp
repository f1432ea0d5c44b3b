// What a call that is not simulated does.
#include "common/run/cudart/missing.h"

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
  constexpr int kCublasNotSupported = 15, kCurandInternal = 999, kCufftNotImplemented = 14;
  const std::string name = call;
  context().say_once(msg("{} is not simulated: it returns an error. docs/calls.md lists what is.", name));
  if (name.starts_with("cublas")) return kCublasNotSupported;
  if (name.starts_with("cufft")) return kCufftNotImplemented;
  return name.starts_with("curand") ? kCurandInternal : static_cast<int>(Error::NotSupported);
}
