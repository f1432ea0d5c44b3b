// What a call that is not simulated does.
#include "common/cudart/missing.h"

#include "common/cudart/context.h"

namespace lab::cudart {

int missing(const char* call) {
  return static_cast<int>(enter(call, [&](Context& c) {
    c.say_once(std::string(call) +
               " is not simulated: it returns cudaErrorNotSupported. docs/run.md lists what is.");
    return Error::NotSupported;
  }));
}

}  // namespace lab::cudart
