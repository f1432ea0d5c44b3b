// The caller's line. See call_place.h.
#include "common/run/cudart/call_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace lab::cudart {
namespace {

// A function and its line, as addr2line prints them.
struct SourceFrame {
  std::string function, place;
};

// Spawned and not forked: handlers of fork would wait for the lock that the call holds. Nothing of ours is loaded into it.
std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  char* environment[] = {nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  char part[4096];
  for (ssize_t n = 0; failed == 0 && (n = ::read(ends[0], part, sizeof part)) > 0;)
    output.append(part, static_cast<std::size_t>(n));
  ::close(ends[0]);
  if (failed == 0) ::waitpid(child, nullptr, 0);
  return output;
}

// "main.cu:12" of a file of this machine, and not "??:0" or a file of the C library's.
bool is_there(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  return colon != std::string::npos && place.substr(colon) != ":0" &&
         ::access(place.substr(0, colon).c_str(), R_OK) == 0;
}

// What stands at this address, the innermost first: calls may be inlined. `back`: 1 behind a call, to be inside of it.
std::vector<SourceFrame> frames_at(const Dl_info& object, const void* address, std::uintptr_t back) {
  const bool moves = static_cast<const Elf64_Ehdr*>(object.dli_fbase)->e_type == ET_DYN;
  const std::uintptr_t start = moves ? reinterpret_cast<std::uintptr_t>(object.dli_fbase) : 0;
  char offset[32];
  std::snprintf(offset, sizeof offset, "0x%zx", reinterpret_cast<std::uintptr_t>(address) - start - back);
  // A name that is not whole is the program's own, as it was started.
  const std::string file =
      object.dli_fname[0] == '/' ? object.dli_fname : "/proc/" + std::to_string(::getpid()) + "/exe";
  const std::string text = output_of({"addr2line", "-f", "-i", "-e", file, offset});
  std::vector<SourceFrame> frames;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t middle = text.find('\n', at), end = text.find('\n', middle + 1);
    if (middle == std::string::npos || end == std::string::npos) break;
    std::string place = text.substr(middle + 1, end - middle - 1);
    if (const std::size_t more = place.find(" (discriminator"); more != std::string::npos) place.resize(more);
    frames.push_back({text.substr(at, middle - at), std::move(place)});
    at = end + 1;
  }
  return frames;
}

}  // namespace

std::string place_of_call() {
  void* addresses[32];
  const int count = ::backtrace(addresses, 32);
  Dl_info own{};
  Dl_info system{};  // the C library: between us and an access that stopped (guard.cpp) it alone stands
  if (::dladdr(reinterpret_cast<void*>(&place_of_call), &own) == 0 ||
      ::dladdr(reinterpret_cast<void*>(&::abort), &system) == 0)
    return "";
  bool behind_system = false;
  int skipped = 0;  // a launch comes through the kernel's stub and through a function with the kernel's name
  for (int k = 0, asked = 0; k < count && asked < 4; ++k) {
    Dl_info object{};
    if (::dladdr(addresses[k], &object) == 0 || object.dli_fname == nullptr ||
        object.dli_fbase == own.dli_fbase)
      continue;
    const bool stopped = asked == 1 && behind_system;
    behind_system = object.dli_fbase == system.dli_fbase;
    ++asked;
    for (const SourceFrame& frame : frames_at(object, addresses[k], stopped ? 0 : 1)) {
      if (frame.function.find("__device_stub") != std::string::npos) {
        skipped = 1;
      } else if (skipped > 0) {
        --skipped;
      } else if (frame.place.find("/include/") == std::string::npos && is_there(frame.place)) {
        return frame.place;
      }
    }
  }
  return "";
}

}  // namespace lab::cudart
