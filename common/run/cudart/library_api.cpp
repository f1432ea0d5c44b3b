// Kernels that a program loads at run time by the runtime's calls.
//
// Enters: PTX text or fat binaries, at run time or as files. Leaves: what the driver's calls make of them
// (driver_module_api.cpp): a kernel's handle goes to cudaLaunchKernel.
#include "common/run/cudart/driver.h"

using namespace lab::cudart;

extern "C" {
int cuLibraryLoadData(Binary**, const void*, int*, void**, unsigned, int*, void**, unsigned);
int cuLibraryLoadFromFile(Binary**, const char*, int*, void**, unsigned, int*, void**, unsigned);
int cuLibraryUnload(Binary*);
int cuLibraryGetKernel(Function**, Binary*, const char*);
int cuLibraryGetGlobal(void**, std::size_t*, Binary*, const char*);
}

namespace {

// The driver's codes are the runtime's. The first call of the runtime makes a context.
template <class Body>
Error by_driver(const char* call, const Body& body) {
  if (const Error e = enter(call, [](Context&) {}); e != Error::Success) return e;
  const int code = body();
  return enter(call, [&](Context&) { return static_cast<Error>(code); });
}

}  // namespace

LAB_API Error cudaLibraryLoadData(Binary** library, const void* image, int* jit, void** values,
                                  unsigned count, int* options, void** more, unsigned more_count) {
  return by_driver("cudaLibraryLoadData", [&] {
    return cuLibraryLoadData(library, image, jit, values, count, options, more, more_count);
  });
}
LAB_API Error cudaLibraryLoadFromFile(Binary** library, const char* path, int* jit, void** values,
                                      unsigned count, int* options, void** more, unsigned more_count) {
  return by_driver("cudaLibraryLoadFromFile", [&] {
    return cuLibraryLoadFromFile(library, path, jit, values, count, options, more, more_count);
  });
}
LAB_API Error cudaLibraryUnload(Binary* library) {
  return by_driver("cudaLibraryUnload", [&] { return cuLibraryUnload(library); });
}
LAB_API Error cudaLibraryGetKernel(Function** kernel, Binary* library, const char* name) {
  return by_driver("cudaLibraryGetKernel", [&] { return cuLibraryGetKernel(kernel, library, name); });
}
LAB_API Error cudaLibraryGetGlobal(void** at, std::size_t* size_bytes, Binary* library, const char* name) {
  return by_driver("cudaLibraryGetGlobal", [&] { return cuLibraryGetGlobal(at, size_bytes, library, name); });
}
