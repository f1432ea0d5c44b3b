// What a call that is not simulated does. See make_stubs.py.
#pragma once

namespace lab::cudart {

// Says once that `call` is missing; the code of cudaErrorNotSupported.
int missing(const char* call);

}  // namespace lab::cudart
