// A CUDA driver without a GPU: the functions that the lab calls, on top of the simulator.
//
// Enters: FAKE_CUDA in the environment, a list with semicolons of what shall go wrong:
//     cuInit=100        this function always returns this code; cuMemAlloc_v2=2@3: from its third call on
//     count=2 cc=80 version=11040 name=Fake memory=1000000   what the driver reports
//     hang              a launch never ends         crash=cuMemAlloc_v2   this call kills the process
//     wrong             every byte that is read back has one bit turned, launches alone do that
// Leaves: results of real kernels, computed by the simulator; a clock that counts instructions and bytes, so
// that times are the same everywhere. Faults come as on a GPU: late, as a code, and they stay.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/device/device.h"

namespace {

using lab::device::Address;

std::string setting(const std::string& name, const std::string& otherwise = {}) {
  const char* all = std::getenv("FAKE_CUDA");
  std::istringstream list(all == nullptr ? "" : all);
  for (std::string item; std::getline(list, item, ';');) {
    if (item == name) return "1";
    if (item.starts_with(name + "=")) return item.substr(name.size() + 1);
  }
  return otherwise;
}

struct Function {
  std::shared_ptr<lab::device::Module> module;
  std::shared_ptr<const lab::device::Kernel> kernel;
};
struct Module {
  std::shared_ptr<lab::device::Module> module;
  std::map<std::string, Address> variables;
};

struct State {
  std::unique_ptr<lab::device::Device> simulator = lab::device::make_simulator();
  std::map<std::string, int> calls;
  int sticky = 0;       // the code of a fault, once there was one
  double clock = 0;     // seconds
  bool turned = false;  // a launch has happened: read-backs are wrong from now on, when asked for
};
State& state() {
  static auto* one = new State;
  return *one;
}

// What every function does first: the failure that was asked for, or the fault of before.
int begin(const char* name) {
  const int call = ++state().calls[name];
  if (setting("crash") == name) std::abort();
  if (const std::string wish = setting(name); !wish.empty()) {
    const std::size_t at = wish.find('@');
    if (at == std::string::npos || call >= std::atoi(wish.c_str() + at + 1)) {
      const int code = std::atoi(wish.c_str());
      if (code >= 700 && code < 800) state().sticky = code;
      return code;
    }
  }
  return state().sticky;
}

int code_of(const lab::sim::Fault& fault) {
  using Kind = lab::sim::FaultKind;
  switch (fault.kind) {
    case Kind::OutOfBounds:
      return 700;
    case Kind::Misaligned:
      return 716;
    case Kind::StackOverflow:
      return 714;
    case Kind::InvalidLaunch:
    case Kind::TooMuchShared:
      return 1;
    case Kind::TooMuchMemory:
      return 2;
    case Kind::BudgetExceeded:
      for (;;) sleep(1);  // as it would on a GPU
    default:
      return 719;
  }
}

}  // namespace

#define ENTER \
  if (const int failure = begin(__func__); failure != 0) return failure

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
int cuDevicePrimaryCtxRetain(void** context, int) {
  ENTER;
  *context = &state();
  return 0;
}
int cuCtxSetCurrent(void*) {
  ENTER;
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
int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, void*) {
  ENTER;
  std::vector<std::byte> copy(bytes);
  state().simulator->read(from, copy);
  state().simulator->write(to, copy);
  state().clock += 1e-6 + double(bytes) * 2e-12;
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
    *function = new Function{from, from->kernel(name)};  // as long as its process
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
                   unsigned bz, unsigned shared, void*, void** arguments, void**) {
  ENTER;
  if (!setting("hang").empty()) {
    for (;;) sleep(1);
  }
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
  state().clock += 2e-6 + double(outcome.lane_instructions) * 1e-12;
  state().turned = true;
  if (outcome.faults.empty()) return 0;
  const int code = code_of(outcome.faults.front());
  if (code == 1) return code;
  state().sticky = code;  // told at the next call
  return 0;
}

int cuEventCreate(void** event, unsigned) {
  ENTER;
  *event = new double(0);
  return 0;
}
int cuEventRecord(void* event, void*) {
  ENTER;
  *static_cast<double*>(event) = state().clock;
  return 0;
}
int cuEventSynchronize(void*) {
  ENTER;
  return 0;
}
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  ENTER;
  *milliseconds = static_cast<float>((*static_cast<double*>(to) - *static_cast<double*>(from)) * 1000);
  return 0;
}

// ---- cuBLAS, from the same file: LAB_CUBLAS names it ----
int cublasCreate_v2(void** handle) {
  ENTER;
  *handle = &state();
  return 0;
}
int cublasGetVersion_v2(void*, int* version) {
  *version = 130100;
  return 0;
}
}  // extern "C"

namespace {

// Column-major, as geam has it: out(i, j) = in(j, i); `out` is m × n.
template <typename T>
int transpose(int m, int n, const T* in, int in_lead, T* out, int out_lead) {
  const std::size_t in_elems = static_cast<std::size_t>(in_lead) * static_cast<std::size_t>(m);
  const std::size_t out_elems = static_cast<std::size_t>(out_lead) * static_cast<std::size_t>(n);
  std::vector<T> from(in_elems), to(out_elems);
  auto& simulator = *state().simulator;
  simulator.read(reinterpret_cast<Address>(in), std::as_writable_bytes(std::span(from)));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i)
      std::memcpy(&to[std::size_t(j) * std::size_t(out_lead) + std::size_t(i)],
                  &from[std::size_t(i) * std::size_t(in_lead) + std::size_t(j)], sizeof(T));
  }
  simulator.write(reinterpret_cast<Address>(out), std::as_bytes(std::span(to)));
  state().clock += 3e-6 + double(in_elems) * sizeof(T) * 3e-12;
  return 0;
}

}  // namespace

#define FAKE_GEAM(NAME, T)                                                                                   \
  extern "C" int NAME(void*, int, int, int m, int n, const T*, const T* a, int lda, const T*, const T*, int, \
                      T* c, int ldc) {                                                                       \
    ENTER;                                                                                                   \
    return transpose(m, n, a, lda, c, ldc);                                                                  \
  }
FAKE_GEAM(cublasSgeam, float)
FAKE_GEAM(cublasDgeam, double)
FAKE_GEAM(cublasZgeam, std::complex<double>)
