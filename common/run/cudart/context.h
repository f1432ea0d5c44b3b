// The GPUs of the process: their memory, their clock, their streams, and the error that they are stuck in.
//
// Enters: calls of the runtime API, from any thread. Leaves: codes, and sentences on standard error where a
// code says too little. One lock serialises all calls; work is done when it is handed over, which is an order
// that streams allow. The state is never destroyed: registration comes before and after everything else of
// the process.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "common/base/function_view.h"
#include "common/gpu/device/gpu_data.h"
#include "common/run/cudart/abi.h"
#include "common/run/cudart/devices.h"
#include "common/run/cudart/records.h"
#include "common/run/cudart/timeline.h"
#include "common/sim/gpu.h"

namespace lab::cudart {

using device::GpuData;

// For the functions of the API, which stand in no namespace.
using lab::big;
using lab::Message;
using lab::msg;

// Ends a call with a code and, unless it is empty, a sentence for the person who reads standard error.
struct ApiError {
  Error code = Error::Unknown;
  Message why{};
  std::optional<sim::Fault> fault = std::nullopt;  // where in the program's source, when that is known
};

// What the program said of managed memory, from an address on to the next that has other words.
struct Hints {
  bool read_mostly = false;
  Place preferred{}, prefetched{};
  std::uint32_t readers = 0;  // bit d: GPU d; the highest: the host
};

struct Allocated {
  MemoryType type = MemoryType::Device;
  std::uint64_t size_bytes = 0;
  unsigned flags = 0;
  Pool* pool = nullptr;
  int device = 0;  // that was the current one
  std::map<sim::DeviceAddress, Hints> hints{};
  bool is_registered = false;  // memory of the program's own, by cudaHostRegister
};

// At the start of a call: throws ApiError when a pointer that it cannot do without is null.
template <class... P>
void need(P... pointers) {
  const bool is_missing = ((pointers == nullptr) || ...);
  if (is_missing) throw ApiError{Error::InvalidValue, "a pointer that this call cannot do without is null."};
}

// What a pointer points to, which may not be null: as `need`.
template <class T>
T& given(T* pointer) {
  need(pointer);
  return *pointer;
}

class Context {
 public:
  Context();

  std::mutex mutex;
  const GpuData gpu;
  sim::Memory memory;
  Timeline timeline;
  Records records;
  std::map<sim::DeviceAddress, Allocated> allocated;  // by the program; variables of modules are not here
  std::map<sim::DeviceAddress, std::uint64_t>
      graph_memory;  // of graphs' own: it stays until the process ends
  std::vector<Device> devices{wanted_devices()};
  [[nodiscard]] Device& device() { return devices[static_cast<std::size_t>(current_device())]; }
  [[nodiscard]] Device& device(int number) { return devices.at(static_cast<std::size_t>(number)); }
  [[nodiscard]] std::uint64_t free_bytes() {  // of the current GPU
    return gpu.memory_bytes - std::min(device().used_bytes, gpu.memory_bytes);
  }
  // Whose memory it is; -1: the host's, managed, or none.
  [[nodiscard]] int owner(const void* pointer) const;

  // --- errors (error_api.cpp) ---
  // A kernel faulted: every later call that needs the GPU returns this.
  Error stuck = Error::Success;
  bool runtime_used = false;     // by a call of the program's own: the driver then has a current context
  std::set<Error> failed_codes;  // of launches that did not end well, until the program asks what one means
  void stick(Error error) {
    if (stuck == Error::Success) stuck = error;
  }
  // Where a call of Asks::HostFirst goes on to the GPU.
  void reach_gpu() const {
    if (stuck != Error::Success) throw ApiError{stuck};
  }

  // --- device printf (context.cpp) ---
  std::string output;  // of kernels that ran, not yet seen by the program
  void flush_output();

  // Says it once a process.
  void say_once(const Message& words) { say_once(words.english(), words); }
  // The same once a `finding`, whose words may differ from launch to launch.
  void say_once(const std::string& finding, const Message& words);
  // A finding of no launch, "KIND: WORDS" with the line of the call that is under way, once a process. `lab run` counts it.
  void found(std::string_view kind, const Message& words) { found(kind, words.english(), words); }
  void found(std::string_view kind, const std::string& finding, const Message& words);

 private:
  std::set<std::string> said_;
};

[[nodiscard]] Context& context();

// The error that cudaGetLastError of this thread will return.
void remember(Error error);
[[nodiscard]] Error remembered();
// The program looks at the error of a launch: it knows, so `lab run` leaves its exit status alone.
void note_seen(Error error);
[[nodiscard]] Error last_error(bool forget);
[[nodiscard]] const char* error_name(Error error);
[[nodiscard]] const char* error_text(Error error);

// "lab: WORDS" on standard error.
void say(const Message& words);
// The same with the line of the call that is under way, once a text: a mistake in a loop is reported once.
void say_with_place(const Message& words);
// What went wrong in `call`, when there is more to say than the code.
void explain(const char* call, const ApiError& error);

// This thread runs a function of cudaLaunchHostFunc, which must not call the runtime.
inline thread_local bool inside_host_function = false;

// The driver took this thread's context away (cuCtxSetCurrent(nullptr)); a call of the runtime that needs the
// GPU gives it the primary one again.
inline thread_local bool without_context = false;

// This thread is inside a function of another library, which stands on calls of the runtime (driver.h).
inline thread_local bool inside_library = false;

// What a call asks for. Host: it is answered behind a fault of a kernel too. HostFirst: what the runtime library says without
// the driver comes before the fault (both measured: tests/cudart/programs/errors_behind_fault.cu, tests/cudart/calls).
enum class Asks { Gpu, Host, HostFirst };

// Every call of the API goes through here: one at a time, nothing but codes comes out. A body that only an
// ApiError can end early returns nothing.
Error enter(const char* call, Asks asks, base::FunctionView<Error(Context&)> body);
inline Error enter(const char* call, base::FunctionView<Error(Context&)> body) {
  return enter(call, Asks::Gpu, body);
}
// The same in the function that is the call.
inline Error enter(Asks asks, base::FunctionView<Error(Context&)> body,
                   const char* call = __builtin_FUNCTION()) {
  return enter(call, asks, body);
}
inline Error enter(base::FunctionView<Error(Context&)> body, const char* call = __builtin_FUNCTION()) {
  return enter(call, Asks::Gpu, body);
}

// Whether faults are looked for: `lab run` without --no-check.
[[nodiscard]] bool checks_run();
// Off (LAB_RUN_NO_SHORTCUTS): all is watched and computed. Programs must do and see the same.
[[nodiscard]] sim::Shortcuts shortcuts();

inline sim::DeviceAddress address_of(const void* pointer) {
  return static_cast<sim::DeviceAddress>(reinterpret_cast<std::uintptr_t>(pointer));
}
inline void* pointer_to(sim::DeviceAddress address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

}  // namespace lab::cudart

// Every symbol that the library exports and really does something is marked with this; marks.py reads the
// marks, for stubs of the rest and for the table in docs/run.md.
#define LAB_API extern "C" __attribute__((visibility("default")))

// The same function under a second name: of programs compiled with --default-stream per-thread.
#define LAB_ALIAS(name, other)              \
  extern "C"                                \
      __attribute__((visibility("default"), \
                     alias(#name))) decltype(name) other;  // NOLINT(bugprone-macro-parentheses): a name

// A function of another library that stands in this one, so that all share one memory: the driver, cuBLAS. It
// is found by its name, through a small library of that name that hands its calls on (make_fronts.py).
#define LAB_ENTRY extern "C" __attribute__((visibility("hidden")))

// The same without a function of that name: `function` is what a program finds by it (make_fronts.py).
#define LAB_ROW(name, function)                                                                        \
  extern "C" {                                                                                         \
  __attribute__((visibility("hidden"))) extern std::decay_t<decltype(function)> const lab_same_##name; \
  std::decay_t<decltype(function)> const lab_same_##name = function;                                   \
  }                                                                                                    \
  static_assert(true)
