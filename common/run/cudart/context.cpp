// The GPUs of the process. See context.h.
#include "common/run/cudart/context.h"
#include "common/run/cudart/call_place.h"
#include "common/run/cudart/capture.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "common/base/host_memory.h"
#include "common/base/text/text.h"
#include "common/run/cudart/guard.h"
#include "common/run/cudart/request.h"
#include "common/run/cudart/schedules.h"

namespace lab::cudart {
namespace {

// A child of fork gets a context that nothing holds.
void before_fork() {
  if (!forks_for_schedules()) context().mutex.lock();
}
void after_fork() {
  if (!forks_for_schedules()) context().mutex.unlock();
}

bool begun = false;  // the program used the GPU

// Output that no synchronising call fetched. A GPU would lose it; here it is shown, and said.
void at_exit() {
  Context& c = context();
  const std::unique_lock lock(c.mutex, std::try_to_lock);
  if (!lock.owns_lock() || c.output.empty()) return;
  c.flush_output();
  std::fflush(stdout);
  say("the program ended without waiting for its last kernels; on a GPU their printf output is lost. Call "
      "cudaDeviceSynchronize() before the end of main.");
}

// What was never freed, when all destructors of the program have run.
__attribute__((destructor)) void report_leaks() {
  if (!begun || !checks_run() || request().no_leaks) return;
  Context& c = context();
  const std::unique_lock lock(c.mutex, std::try_to_lock);
  if (!lock.owns_lock() || c.stuck != Error::Success) return;
  std::uint64_t bytes = 0, count = 0;
  for (const auto& [at, allocated] : c.allocated) {
    bytes += allocated.size_bytes;
    ++count;
  }
  // No finding: a process may leave its memory to its end, and what it computed is right.
  const auto leak = [](const Message& words) { say(msg("{}: {}", std::string("leak"), words)); };
  if (count == 1)
    leak(msg("a buffer of {} bytes was never freed. Call cudaFree for it (cudaFreeHost for pinned memory).",
             big(bytes)));
  if (count > 1)
    leak(
        msg("{} bytes in {} buffers were never freed; the first has {} bytes. Call cudaFree "
            "(cudaFreeHost for pinned memory) for each.",
            big(bytes), count, big(c.allocated.begin()->second.size_bytes)));
  const auto [heap_bytes, heap_count] = c.memory.heap_in_use();
  if (heap_count != 0)
    leak(
        msg("{} bytes in {} buffers that kernels got from malloc were never freed. Call free in a "
            "kernel for each.",
            big(heap_bytes), heap_count));
}

// An unknown name ends the process with a list of those there are: nothing could report it later.
device::GpuData chosen_gpu() {
  try {
    return device::gpu_named(request().gpu);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab: LAB_RUN_GPU: %s.\n", error.what());
    ::_exit(2);
  }
}

}  // namespace

bool checks_run() { return !request().no_check; }

sim::Shortcuts shortcuts() { return request().no_shortcuts ? sim::Shortcuts::Off : sim::Shortcuts::On; }

Error enter(const char* call, Asks asks, base::FunctionView<Error(Context&)> body) {
  Context& c = context();
  if (inside_host_function) {
    explain(call, {Error::NotPermitted, "a function of cudaLaunchHostFunc must not call the CUDA runtime."});
    remember(Error::NotPermitted);
    return Error::NotPermitted;
  }
  const std::lock_guard lock(c.mutex);
  if (!inside_library) {
    c.runtime_used = true;
    if (asks == Asks::Gpu) without_context = false;
  }
  c.memory.use_device(static_cast<std::uint32_t>(current_device()));
  if (c.stuck != Error::Success && asks == Asks::Gpu) {
    remember(c.stuck);
    return c.stuck;
  }
  Error result = Error::Success;
  try {
    result = body(c);
  } catch (const ApiError& error) {
    explain(call, error);
    result = error.code;
  } catch (const std::bad_alloc&) {
    result = Error::MemoryAllocation;
  } catch (const std::logic_error& error) {  // out_of_range and invalid_argument of the simulator's memory
    explain(call, {Error::InvalidValue, text::message_of(error)});
    result = Error::InvalidValue;
  } catch (const std::exception& error) {
    explain(call, {Error::Unknown, text::message_of(error)});
    result = Error::Unknown;
  }
  lab_default_stream_is_per_thread = 0;
  // "Not ready" answers a question: the last error stays as it was (measured on an H200).
  if (result != Error::Success && result != Error::NotReady) remember(result);
  return result;
}

Context::Context() : gpu(chosen_gpu()), timeline(gpu) {
  begun = true;
  for (Device& one : devices) {  // as an H200 has them before a program sets others
    constexpr std::size_t kPrint = 1, kPersisting = 6, kPrintBytesPerMultiprocessor = 64 << 10;
    one.limits[kPrint] = gpu.multiprocessors * kPrintBytesPerMultiprocessor;
    one.limits[kPersisting] = gpu.persisting_l2_bytes() / 10 * 3;
  }
  pthread_atfork(before_fork, after_fork, after_fork);
  std::atexit(at_exit);
  guard_device_addresses();
  keep_freed_memory();
}

Context& context() {
  static Context* const only = new Context;  // outlives every destructor of the program
  return *only;
}

int Context::owner(const void* pointer) const {
  const sim::Allocation* const a = memory.find(address_of(pointer), 1);
  return a == nullptr || a->device == sim::kNoDevice ? -1 : a->device;
}

void Context::flush_output() {
  if (output.empty()) return;
  std::fwrite(output.data(), 1, output.size(), stdout);
  output.clear();
}

void Context::say_once(const std::string& finding, const Message& words) {
  if (said_.insert(finding).second) say(words);
}

void Context::found(std::string_view kind, const std::string& finding, const Message& words) {
  if (!said_.insert(finding).second) return;
  const std::string place = place_of_call();
  const Message named = msg("{}: {}", std::string(kind), words);
  say(place.empty() ? named : msg("{} (called at {})", named, place));
  records.found(kind, words, place);
}

void say(const Message& words) {
  static const bool chosen = (text::set_language(text::language_of_environment()), true);
  (void)chosen;
  std::fflush(stdout);  // the program's own lines come first
  const std::string line = "lab: " + text::translated(words) + "\n";
  const char* at = line.data();
  for (std::size_t left = line.size(); left != 0;) {
    const ssize_t wrote = ::write(STDERR_FILENO, at, left);
    if (wrote <= 0) return;
    at += wrote;
    left -= static_cast<std::size_t>(wrote);
  }
}

void say_with_place(const Message& words) {
  static std::mutex mutex;
  static std::set<std::string>& said = *new std::set<std::string>;
  {
    const std::lock_guard lock(mutex);
    if (!said.insert(words.english()).second) return;
  }
  const std::string place = place_of_call();
  say(place.empty() ? words : msg("{} (called at {})", words, place));
}

// Names are those of the sources, without the header's _v2.
void explain(const char* call, const ApiError& error) {
  if (error.why.empty()) return;
  std::string name = call;
  if (const std::size_t version = name.rfind("_v"); version + 3 == name.size()) name.resize(version);
  say_with_place(msg("{} returns \"{}\": {}", name, std::string(error_text(error.code)), error.why));
}

}  // namespace lab::cudart
