// A CUDA driver without a GPU: the functions that the lab calls, on top of the simulator.
//
// Enters: FAKE_CUDA, what shall go wrong, separated by semicolons: cuInit=100 (this function returns this code;
// cuMemAlloc_v2=2@3: from its third call on), count=2 cc=80 version=11040 name=Fake memory=1000000 (what the driver
// reports), hang (a launch never ends), crash=cuMemAlloc_v2 (this call kills the process), peers=0 (no GPU reaches
// another), wrong (every byte that is read back has one bit changed; launches do that).
// Leaves: results of real kernels; a clock for each GPU that counts instructions and bytes, so that times are the
// same everywhere. Faults come as on a GPU: late, as a code, and they stay.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/device/fake_state.h"

using namespace lab::test;
using lab::device::Address;

extern "C" {

int cuInit(unsigned) {
  ENTER;
  return 0;
}
int cuDriverGetVersion(int* version) {
  *version = std::atoi(setting("version", "13000").c_str());
  return 0;
}
int cuGetErrorName(int code, const char** name) {
  static const std::map<int, const char*> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {304, "CUDA_ERROR_OPERATING_SYSTEM"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},   {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
  const auto known = names.find(code);
  if (known == names.end()) return 1;
  *name = known->second;
  return 0;
}
int cuDeviceGetCount(int* count) {
  ENTER;
  *count = std::atoi(setting("count", "1").c_str());
  return 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  ENTER;
  std::snprintf(name, static_cast<std::size_t>(size), "%s %d", setting("name", "Fake GPU").c_str(), device);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER;
  const int cc = std::atoi(setting("cc", "90").c_str());
  *value = attribute == 75 ? cc / 10 : attribute == 76 ? cc % 10 : attribute == 38 ? 1 << 20 : 16;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  ENTER;
  *bytes = static_cast<std::size_t>(std::atoll(setting("memory", "2097152").c_str()));
  return 0;
}
// A context is the place of the GPU's clock.
int cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER;
  const auto at = static_cast<std::size_t>(device);
  state().opened[at] = true;
  *context = &state().clocks[at];
  return 0;
}
int cuCtxSetCurrent(void* context) {
  ENTER;
  const int gpu = static_cast<int>(static_cast<double*>(context) - state().clocks.data());
  if (gpu != state().gpu) state().simulator->use_gpu(gpu);
  state().gpu = gpu;
  return 0;
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  ENTER;
  *can = std::atoi(setting("peers", "1").c_str());
  return 0;
}
int cuCtxEnablePeerAccess(void* context, unsigned) {
  ENTER;
  const auto whose = static_cast<std::size_t>(static_cast<double*>(context) - state().clocks.data());
  bool& let = state().let[static_cast<std::size_t>(state().gpu)][whose];
  if (let) return 704;
  let = true;
  return 0;
}
int cuCtxSynchronize() {
  ENTER;
  return 0;
}
int cuMemAlloc_v2(Address* base, std::size_t bytes) {
  ENTER;
  try {
    *base = state().simulator->allocate(bytes, lab::device::Content::Data, "buffer");
    state().owners[*base] = state().gpu;
  } catch (const std::bad_alloc&) {
    return 2;
  }
  return 0;
}
int cuMemFree_v2(Address base) {
  ENTER;
  state().simulator->release(base);
  return 0;
}
int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  ENTER;
  state().simulator->write(to, {static_cast<const std::byte*>(from), bytes});
  return 0;
}
int cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  ENTER;
  auto* first = static_cast<std::byte*>(to);
  state().simulator->read(from, {first, bytes});
  if (state().turned && !setting("wrong").empty() && bytes > 64) first[bytes / 2] ^= std::byte{1};
  return 0;
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void* stream) {
  ENTER;
  if (const int code = wrong_stream(stream); code != 0) return code;
  std::vector<std::byte> copy(bytes);
  state().simulator->read(from, copy);
  state().simulator->write(to, copy);
  // Without a stream of its own, a copy between two GPUs begins when both are idle and keeps both from work.
  double &one = state().clock_of(to), &other = state().clock_of(from);
  const double seconds = 1e-6 + double(bytes) * 2e-12;
  if (&one != &other && stream == nullptr)
    one = other = std::max(one, other) + seconds;
  else
    state().clock() += seconds;
  return 0;
}
int cuMemsetD8_v2(Address base, unsigned char value, std::size_t bytes) {
  ENTER;
  const std::vector<std::byte> filled(bytes, std::byte{value});
  state().simulator->write(base, filled);
  return 0;
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned options, int* names, void** values) {
  ENTER;
  const auto* text = static_cast<const char*>(image);
  if (std::memcmp(text, "\177ELF", 4) == 0) return 209;  // there is no machine code for a simulator
  try {
    auto loaded = std::make_unique<Module>();
    loaded->module = state().simulator->load(std::string(text));
    *module = loaded.release();
    return 0;
  } catch (const lab::device::LoadError& error) {
    for (unsigned i = 0; i < options; ++i) {
      if (names[i] == 5) std::snprintf(static_cast<char*>(values[i]), 1000, "%s", error.what());
    }
    return 218;
  }
}
int cuModuleUnload(void* module) {
  ENTER;
  delete static_cast<Module*>(module);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  ENTER;
  try {
    const auto& from = static_cast<Module*>(module)->module;
    *function = new Function{state().gpu, from, from->kernel(name)};  // as long as its process
  } catch (const lab::device::LoadError&) {
    return 500;
  }
  return 0;
}
int cuModuleGetGlobal_v2(Address* at, std::size_t* size, void* module, const char* name) {
  ENTER;
  auto& m = *static_cast<Module*>(module);
  const auto bytes = m.module->constant(name);
  if (!bytes) return 500;
  Address& copy = m.variables[name];
  if (copy == 0) {
    copy = state().simulator->allocate(bytes->size(), lab::device::Content::Data, name);
    state().simulator->write(copy, *bytes);
  }
  *at = copy;
  *size = bytes->size();
  return 0;
}
int cuFuncGetAttribute(int* value, int, void* function) {
  ENTER;
  *value = static_cast<int>(static_cast<Function*>(function)->kernel->static_shared_bytes());
  return 0;
}
int cuFuncSetAttribute(void*, int, int) {
  ENTER;
  return 0;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void* stream, void** arguments, void**) {
  ENTER;
  if (const int code = wrong_stream(stream); code != 0) return code;
  if (!setting("hang").empty()) {
    for (;;) sleep(1);
  }
  if (static_cast<Function*>(function)->gpu != state().gpu) return 400;  // it belongs to another context
  if (!all_reach_each_other()) return 719;
  lab::device::Launch launch;
  launch.grid = {gx, gy, gz};
  launch.block = {bx, by, bz};
  launch.dynamic_shared_bytes = shared;
  launch.count = launch.check = false;
  launch.host_threads = 1;
  launch.budget_work = 50'000'000;
  std::size_t index = 0;
  for (const lab::device::Parameter& p : static_cast<Function*>(function)->kernel->parameters()) {
    launch.parameters.resize(p.offset_bytes + p.size_bytes);
    std::memcpy(launch.parameters.data() + p.offset_bytes, arguments[index++], p.size_bytes);
  }
  const auto outcome = state().simulator->launch(*static_cast<Function*>(function)->kernel, launch);
  std::fputs(outcome.output.c_str(), stdout);
  // Long enough that few turns fill a sample: each is computed.
  state().clock() += 4e-5 + double(outcome.lane_instructions) * 1e-12;
  state().turned = true;
  if (outcome.faults.empty()) return 0;
  const int code = code_of(outcome.faults.front());
  if (code == 1) return code;
  state().sticky = code;  // returned by the next call
  return 0;
}

int cuEventCreate(void** event, unsigned) {
  ENTER;
  *event = new Event{.gpu = state().gpu};
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  ENTER;
  *stream = &state().clock();
  return 0;
}
int cuEventRecord(void* event, void* stream) {
  ENTER;
  if (const int code = wrong_stream(stream); code != 0) return code;
  auto& recorded = *static_cast<Event*>(event);
  if (recorded.gpu != state().gpu) return 400;
  recorded.time = state().clock();
  return 0;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  ENTER;
  if (const int code = wrong_stream(stream); code != 0) return code;
  state().clock() = std::max(state().clock(), static_cast<Event*>(event)->time);
  return 0;
}
int cuEventSynchronize(void*) {
  ENTER;
  return 0;
}
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  ENTER;
  const auto &first = *static_cast<Event*>(from), &last = *static_cast<Event*>(to);
  if (first.gpu != last.gpu) return 400;  // no clock is common to two GPUs
  *milliseconds = static_cast<float>((last.time - first.time) * 1000);
  return 0;
}
}  // extern "C"
