// The driver: what its codes are called, its functions by name.
//
// Enters: codes and names. Leaves: texts, and addresses of the functions that are marked LAB_ENTRY.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "common/run/cudart/driver.h"

using namespace lab::cudart;

namespace lab::cudart {
namespace {

// The names of the driver's codes, where they are not the runtime's in capitals.
struct Name {
  int code;
  const char* name;
};
constexpr Name kNames[] = {{0, "CUDA_SUCCESS"},
                           {1, "CUDA_ERROR_INVALID_VALUE"},
                           {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                           {3, "CUDA_ERROR_NOT_INITIALIZED"},
                           {4, "CUDA_ERROR_DEINITIALIZED"},
                           {100, "CUDA_ERROR_NO_DEVICE"},
                           {101, "CUDA_ERROR_INVALID_DEVICE"},
                           {200, "CUDA_ERROR_INVALID_IMAGE"},
                           {201, "CUDA_ERROR_INVALID_CONTEXT"},
                           {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                           {215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
                           {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
                           {218, "CUDA_ERROR_INVALID_PTX"},
                           {300, "CUDA_ERROR_INVALID_SOURCE"},
                           {301, "CUDA_ERROR_FILE_NOT_FOUND"},
                           {400, "CUDA_ERROR_INVALID_HANDLE"},
                           {401, "CUDA_ERROR_ILLEGAL_STATE"},
                           {500, "CUDA_ERROR_NOT_FOUND"},
                           {600, "CUDA_ERROR_NOT_READY"},
                           {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                           {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                           {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
                           {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
                           {710, "CUDA_ERROR_ASSERT"},
                           {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
                           {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
                           {714, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
                           {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                           {719, "CUDA_ERROR_LAUNCH_FAILED"},
                           {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
                           {800, "CUDA_ERROR_NOT_PERMITTED"},
                           {801, "CUDA_ERROR_NOT_SUPPORTED"},
                           {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                           {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
                           {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
                           {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
                           {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"},
                           {999, "CUDA_ERROR_UNKNOWN"}};

// A function of the driver that is not simulated, which says so when it is called: the small library has
// them.
void* refusal_of(const std::string& name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || !name.starts_with("cu")) return nullptr;
  for (const char* suffix : {"_v2", ""}) {
    if (void* const found = dlsym(library, (name + suffix).c_str()); found != nullptr) return found;
  }
  return nullptr;
}

// Calls that got other parameters under the same name, and in which version: edges of graphs have data.
bool is_before_its_change(std::string_view name, int version) {
  constexpr std::pair<const char*, int> kChanged[] = {{"cuGraphAddNode", 12030},
                                                      {"cuGraphAddDependencies", 12030},
                                                      {"cuGraphRemoveDependencies", 12030},
                                                      {"cuGraphGetEdges", 12030},
                                                      {"cuGraphNodeGetDependencies", 12030},
                                                      {"cuGraphNodeGetDependentNodes", 12030},
                                                      {"cuStreamUpdateCaptureDependencies", 12030},
                                                      {"cuMemAdvise", 12020},
                                                      {"cuMemPrefetchAsync", 12020},
                                                      {"cuStreamGetCtx", 12050},
                                                      {"cuMemcpyBatchAsync", 13000},
                                                      {"cuMemcpy3DBatchAsync", 13000}};
  return std::any_of(std::begin(kChanged), std::end(kChanged),
                     [&](const auto& one) { return name == one.first && version < one.second; });
}

}  // namespace

const char* driver_error_name(int code) {
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& row) { return row.code == code; });
  return found == std::end(kNames) ? nullptr : found->name;
}

int driver_code(Error error) {
  switch (error) {
    case Error::InvalidConfiguration:
    case Error::InvalidPitchValue:
    case Error::InvalidSymbol:
    case Error::InvalidDevicePointer:
    case Error::InvalidMemcpyDirection:
      return kInvalidValue;
    case Error::InvalidDeviceFunction:
      return static_cast<int>(Error::InvalidResourceHandle);
    default:
      return static_cast<int>(error);
  }
}

void* find_entry(const char* name, int version) {
  if (is_before_its_change(name, version)) return entry_named(name);
  // cuda.h gives the name of a function to its newest version; cuCtxCreate's has changed with CUDA 13.
  for (const char* suffix : {"_v4", "_v3", "_v2", ""}) {
    if (version < 13000 && std::strcmp(suffix, "_v2") > 0) continue;
    if (void* const found = entry_named((std::string(name) + suffix).c_str()); found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace lab::cudart

// What the small libraries ask (make_fronts.py), and no other program.
// NOLINTNEXTLINE(bugprone-reserved-identifier): no program has a name like it
LAB_API void* __cudaLabEntry(const char* name) {
  void* const own = entry_named(name);
  return own == nullptr && std::string_view(name).starts_with("nvrtc") ? nvrtc_function(name) : own;
}

LAB_ENTRY int cuGetErrorName(int code, const char** name) {
  if (name == nullptr) return kInvalidValue;
  *name = driver_error_name(code);
  note_seen(static_cast<Error>(code));
  return *name == nullptr ? kInvalidValue : 0;
}
LAB_ENTRY int cuGetErrorString(int code, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = driver_error_name(code) == nullptr ? nullptr : error_text(static_cast<Error>(code));
  note_seen(static_cast<Error>(code));
  return *text == nullptr ? kInvalidValue : 0;
}

// --- functions by name ---

LAB_ENTRY int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t /*flags*/,
                                  int* status) {
  if (symbol == nullptr || function == nullptr) return kInvalidValue;
  if (*symbol == '\0') {  // only the runtime that is linked into a program or library asks so
    context().say_once(
        "a library of this process carries the CUDA runtime inside it, of another version of CUDA or without "
        "the table of symbols that says where (as NVIDIA's own cuFFT and cuSOLVER), so that the simulator's "
        "cannot take its place; and that runtime wants undocumented tables of the driver. It runs on a GPU "
        "only.");
  }
  *function = std::string_view(symbol).starts_with("cu") ? find_entry(symbol, std::max(version, 1)) : nullptr;
  if (*function == nullptr) *function = refusal_of(symbol);
  if (status != nullptr) *status = *function == nullptr ? 1 : 0;  // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  return *function == nullptr ? kNotFound : 0;
}
LAB_ENTRY int cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
// Tables of what NVIDIA's own libraries share without documentation: there are none here, and they do
// without.
LAB_ENTRY int cuGetExportTable(const void** found, const void* /*id*/) {
  if (found == nullptr) return kInvalidValue;
  *found = nullptr;
  return kNotFound;
}
