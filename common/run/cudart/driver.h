// The driver API: calls of the runtime under other names, and what the runtime has no name for.
//
// Enters: calls of programs that use cuda.h, through libcuda.so.1 (make_fronts.py). Leaves: the runtime's own
// work: one memory, one set of streams, events and kernels, whichever API a program asks. Codes of both APIs
// have the same numbers; the few that only the runtime has are translated.
#pragma once

#include <optional>
#include <string>

#include "common/run/cudart/context.h"
#include "common/run/cudart/modules.h"
#include "common/run/cudart/streams.h"

namespace lab::cudart {

// Number, name and sentence of a code, as the driver prints them.
[[nodiscard]] const char* driver_error_name(int code);

// What keeps a call of the driver from working before it is decoded: 0, or the code.
enum class Needs { Nothing, Initialised, Context };
[[nodiscard]] int not_ready(Needs needs);

[[nodiscard]] int driver_code(Error error);

// Calls of the runtime on behalf of the driver: the last error that cudaGetLastError knows stays as it was.
int as_driver(Needs needs, base::FunctionView<Error()> body);
inline int as_driver(base::FunctionView<Error()> body) { return as_driver(Needs::Context, body); }

// A stream that the program made is of a context, whichever is current.
template <class A>
bool brings_context(A value) {
  if constexpr (std::is_same_v<A, StreamHandle>) return reinterpret_cast<std::uintptr_t>(value) > kPerThread;
  return false;
}

// A call of the runtime as one of the driver; the driver's may have further parameters, which mean nothing
// here.
template <class Call>
struct Same;
template <class... A>
struct Same<Error (*)(A...)> {
  template <Needs needs, Error (*call)(A...), class... Further>
  static int run(A... values, Further...) {
    const bool has_stream = (brings_context(values) || ...);
    return as_driver(has_stream ? Needs::Initialised : needs, [&] { return call(values...); });
  }
};
template <Needs needs, auto call, class... Further>
inline constexpr auto same_call = &Same<decltype(call)>::template run<needs, call, Further...>;

// The same with the lock held: `body` gets the Context.
int enter_driver(const char* call, base::FunctionView<Error(Context&)> body, Needs needs = Needs::Context);
inline int enter_driver(Needs needs, base::FunctionView<Error(Context&)> body,
                        const char* call = __builtin_FUNCTION()) {
  return enter_driver(call, body, needs);
}
inline int enter_driver(base::FunctionView<Error(Context&)> body, const char* call = __builtin_FUNCTION()) {
  return enter_driver(call, body);
}

// CUDA_ERROR_...
constexpr int kInvalidValue = 1, kNotInitialised = 3, kInvalidDevice = 101, kInvalidContext = 201;
constexpr int kFileNotFound = 301, kNotFound = 500;
// A file that a program names, whole; none when it cannot be read.
[[nodiscard]] std::optional<std::string> file_bytes(const char* path);
struct DriverContext;
// The GPU of a context; -1: there is no such context.
[[nodiscard]] int device_of(const DriverContext* context);
// The device of a context; without one that of the current context, as an H200 takes it.
[[nodiscard]] int device_or_current(const DriverContext* context);
// cudaSetDevice: its primary context takes the place of the one on top.
void runtime_chose(int device);
// cudaDeviceReset of this GPU.
Error reset_device(int device);

// A function of another library by its name, or null; `version` as in cuGetProcAddress.
[[nodiscard]] void* entry_named(const char* name);  // the name alone; make_fronts.py writes it
[[nodiscard]] void* find_entry(const char* name, int version);

// What linking at run time gives as a "cubin": this, then PTX texts, each with a zero at its end, then one
// more zero (link_api.cpp). A program may copy it and throw the linker away.
constexpr char kLinkedMagic[8] = "lab-lnk";
[[nodiscard]] std::vector<std::string> linked_texts(const char* image);
// Options of the JIT that give something back: its logs, which stay empty, and its time.
void clear_logs(unsigned count, const int* options, void** values);

// A function of the real NVRTC, or null (nvrtc_api.cpp).
[[nodiscard]] void* nvrtc_function(const char* name);

}  // namespace lab::cudart

// A call of the driver that is one of the runtime under another name.
#define LAB_SAME(name, call, ...) \
  LAB_ROW(name, (lab::cudart::same_call<lab::cudart::Needs::Context, &call __VA_OPT__(, ) __VA_ARGS__>))
// The same where cuInit is enough, and where what a call is given says the context.
#define LAB_SAME_EARLY(name, call, ...) \
  LAB_ROW(name, (lab::cudart::same_call<lab::cudart::Needs::Initialised, &call __VA_OPT__(, ) __VA_ARGS__>))

// The calls of the runtime that the driver's stand on.
extern "C" {
using lab::cudart::Error, lab::cudart::StreamHandle;
int cuCtxGetCurrent(lab::cudart::DriverContext** context);
Error cudaDeviceSynchronize();
Error cudaDeviceGetAttribute(int* value, int attribute, int device);
Error cudaDeviceGetLimit(std::size_t* value, int limit);
Error cudaDeviceSetLimit(int limit, std::size_t value);
Error cudaDeviceGetPCIBusId(char* text, int length, int device);
Error cudaDeviceGetByPCIBusId(int* device, const char* text);
Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
Error cudaMalloc(void** pointer, std::size_t size_bytes);
Error cudaMallocManaged(void** pointer, std::size_t size_bytes, unsigned flags);
Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width_bytes, std::size_t height);
Error cudaMallocAsync(void** pointer, std::size_t size_bytes, StreamHandle stream);
Error cudaHostAlloc(void** pointer, std::size_t size_bytes, unsigned flags);
Error cudaHostRegister(void* pointer, std::size_t size_bytes, unsigned flags);
Error cudaHostUnregister(void* pointer);
Error cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
Error cudaHostGetFlags(unsigned* flags, void* host);
Error cudaFree(void* pointer);
Error cudaFreeAsync(void* pointer, StreamHandle stream);
Error cudaFreeHost(void* pointer);
Error cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
Error cudaMemcpyAsync(void* to, const void* from, std::size_t count, lab::cudart::CopyKind kind,
                      StreamHandle stream);
Error cudaMemcpy(void* to, const void* from, std::size_t count, lab::cudart::CopyKind kind);
Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                        std::size_t width_bytes, std::size_t height, lab::cudart::CopyKind kind,
                        StreamHandle stream);
Error cudaPointerGetAttributes(lab::cudart::PointerAttributes* attributes, const void* pointer);
Error cudaStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority);
Error cudaStreamDestroy(StreamHandle stream);
Error cudaStreamSynchronize(StreamHandle stream);
Error cudaStreamQuery(StreamHandle stream);
Error cudaStreamWaitEvent(StreamHandle stream, lab::cudart::Event* event, unsigned flags);
Error cudaStreamGetFlags(StreamHandle stream, unsigned* flags);
Error cudaStreamGetPriority(StreamHandle stream, int* priority);
Error cudaLaunchHostFunc(StreamHandle stream, lab::cudart::HostFunction function, void* data);
Error cudaStreamAddCallback(StreamHandle stream, lab::cudart::StreamCallback function, void* data,
                            unsigned flags);
Error cudaEventCreateWithFlags(lab::cudart::Event** event, unsigned flags);
Error cudaEventDestroy(lab::cudart::Event* event);
Error cudaEventRecord(lab::cudart::Event* event, StreamHandle stream);
Error cudaEventSynchronize(lab::cudart::Event* event);
Error cudaEventQuery(lab::cudart::Event* event);
Error cudaEventElapsedTime(float* milliseconds, lab::cudart::Event* start, lab::cudart::Event* end);
Error cudaFuncGetAttributes(lab::cudart::FunctionAttributes* attributes, const void* host);
Error cudaFuncSetAttribute(const void* host, int attribute, int value);
Error cudaFuncGetName(const char** name, const void* host);
Error cudaFuncGetParamInfo(const void* host, std::size_t index, std::size_t* offset, std::size_t* size_bytes);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads,
                                                    std::size_t dynamic_shared_bytes);
Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                int threads);
Error cudaOccupancyMaxActiveClusters(int* clusters, const void* host,
                                     const lab::cudart::LaunchRequest* request);
Error cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* host,
                                           const lab::cudart::LaunchRequest* request);
}
