// What the compiler's start-up code calls before main: kernels and variables of each file.
//
// Enters: wrappers, host addresses, names. Leaves: rows in Modules. Nothing is loaded yet, so that start-up
// costs next to nothing. The code before main is not ready for failure, so problems wait for the first use.
#include "common/run/cudart/modules.h"

using namespace lab::cudart;

// NOLINTBEGIN(bugprone-reserved-identifier): the names that nvcc's code calls
LAB_API void** __cudaRegisterFatBinary(void* wrapper) {
  const std::lock_guard lock(context().mutex);
  return reinterpret_cast<void**>(modules().add(static_cast<const FatBinaryWrapper*>(wrapper)));
}

LAB_API void __cudaRegisterFatBinaryEnd(void** /*binary*/) {}

LAB_API void __cudaUnregisterFatBinary(void** binary) {
  const std::lock_guard lock(context().mutex);
  modules().remove(reinterpret_cast<Binary*>(binary));
}

LAB_API void __cudaRegisterFunction(void** binary, const char* host, char* /*device*/, const char* name,
                                    int /*thread_limit*/, void* /*thread*/, void* /*block*/,
                                    void* /*block_size*/, void* /*grid_size*/, int* /*warp_size*/) {
  const std::lock_guard lock(context().mutex);
  modules().add_function(reinterpret_cast<Binary*>(binary), host, name);
}

LAB_API void __cudaRegisterVar(void** binary, char* host, char* /*device*/, const char* name,
                               int /*is_extern*/, std::size_t size_bytes, int /*constant*/, int /*global*/) {
  const std::lock_guard lock(context().mutex);
  modules().add_variable(reinterpret_cast<Binary*>(binary), host, name, size_bytes, nullptr);
}

LAB_API void __cudaRegisterManagedVar(void** binary, void** host, char* device, const char* name,
                                      int /*is_extern*/, std::size_t size_bytes, int /*constant*/,
                                      int /*global*/) {
  const std::lock_guard lock(context().mutex);
  modules().add_variable(reinterpret_cast<Binary*>(binary), host, name, size_bytes, host);
  (void)device;
}

LAB_API char __cudaInitModule(void** binary) {
  return static_cast<char>(
      enter([&](Context& c) { Modules::place_managed(c, *reinterpret_cast<Binary*>(binary)); }));
}

LAB_API Error __cudaGetKernel(Function** kernel, const void* host) {
  return enter("cudaGetKernel", Asks::HostFirst, [&](Context& c) {
    need(kernel);
    *kernel = modules().function(host);
    if (*kernel == nullptr) throw ApiError{Error::InvalidDeviceFunction};
    c.reach_gpu();
  });
}

LAB_API Error cudaGetKernel(Function** kernel, const void* host) { return __cudaGetKernel(kernel, host); }
LAB_API Error cudaGetFuncBySymbol(Function** function, const void* host) {
  return __cudaGetKernel(function, host);
}
// NOLINTEND(bugprone-reserved-identifier)
