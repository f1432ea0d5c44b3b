// Launching kernels.
//
// Enters: host addresses or handles of kernels, shapes, pointers to arguments. Leaves: codes.
// `kernel<<<…>>>(…)` becomes a push of its configuration, a call of the stub, and there a pop and a launch.
#include <vector>

#include "common/run/cudart/capture.h"
#include "common/run/cudart/launch.h"

using namespace lab::cudart;

namespace {

struct Configuration {
  Dim3 grid, block;
  std::size_t shared_bytes;
  StreamHandle stream;
};
thread_local std::vector<Configuration> configurations;

Error launch_with(Context& c, const void* host, const LaunchShape& shape, void** arguments,
                  StreamHandle stream) {
  if (host != nullptr) (void)usable(stream);  // a capture's word comes before that of the kernel
  return submit_launch(c, stream, kernel_at(host), shape, arguments, const_cast<void*>(host));
}

Error launch_any(const char* call, const void* host, const LaunchShape& shape, void** arguments,
                 StreamHandle stream) {
  return enter(call, [&](Context& c) { return launch_with(c, host, shape, arguments, stream); });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names that nvcc's code calls
LAB_API unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes,
                                             StreamHandle stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

LAB_API Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes, void* stream) {
  if (configurations.empty()) return Error::MissingConfiguration;
  const Configuration& last = configurations.back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<StreamHandle*>(stream) = last.stream;
  configurations.pop_back();
  return Error::Success;
}

LAB_API Error cudaLaunchKernel(const void* host, Dim3 grid, Dim3 block, void** arguments,
                               std::size_t shared_bytes, StreamHandle stream) {
  return launch_any("kernel launch", host, {grid, block, shared_bytes, false, {}}, arguments, stream);
}

LAB_API Error __cudaLaunchKernel(Function* kernel, Dim3 grid, Dim3 block, void** arguments,
                                 std::size_t shared_bytes, StreamHandle stream) {
  return launch_any("kernel launch", kernel, {grid, block, shared_bytes, false, {}}, arguments, stream);
}
// NOLINTEND(bugprone-reserved-identifier)

LAB_API Error cudaLaunchCooperativeKernel(const void* host, Dim3 grid, Dim3 block, void** arguments,
                                          std::size_t shared_bytes, StreamHandle stream) {
  return launch_any("cudaLaunchCooperativeKernel", host, {grid, block, shared_bytes, true, {}}, arguments,
                    stream);
}

LAB_API Error cudaLaunchKernelExC(const LaunchRequest* request, const void* host, void** arguments) {
  return enter([&](Context& c) {
    const LaunchShape shape = launch_shape_of(given(request));
    return launch_with(c, host, shape, arguments, request->stream);
  });
}
