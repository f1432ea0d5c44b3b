// What the fake driver and the fake cuBLAS share: settings, the simulator behind them, the GPUs' clocks.
//
// Enters: FAKE_CUDA (fake_cuda.cpp says what it holds). Leaves: the state of the one process that loads it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "common/gpu/device/device.h"

namespace lab::test {

using lab::device::Address;

inline std::string setting(const std::string& name, const std::string& otherwise = {}) {
  const char* all = std::getenv("FAKE_CUDA");
  std::istringstream list(all == nullptr ? "" : all);
  for (std::string item; std::getline(list, item, ';');) {
    if (item == name) return "1";
    if (item.starts_with(name + "=")) return item.substr(name.size() + 1);
  }
  return otherwise;
}

inline constexpr int kMostGpus = 8;

struct Function {
  int gpu = 0;
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
  int sticky = 0;                          // the code of a fault, once there was one
  int gpu = 0;                             // whose context is current
  std::array<double, kMostGpus> clocks{};  // seconds
  std::array<bool, kMostGpus> opened{};
  std::array<std::array<bool, kMostGpus>, kMostGpus> let{};  // [who][whose memory]
  std::map<Address, int> owners;                             // buffer -> its GPU
  double& clock() { return clocks[static_cast<std::size_t>(gpu)]; }
  double& clock_of(Address at) {
    return clocks[static_cast<std::size_t>(std::prev(owners.upper_bound(at))->second)];
  }
  bool turned = false;  // a launch has happened: read-backs are wrong from now on, when asked for
};
inline State& state() {
  static auto* one = new State;
  return *one;
}

// A stream other than the nameless one is the clock of its GPU.
inline int wrong_stream(const void* stream) {
  return stream == nullptr || stream == &state().clock() ? 0 : 400;
}

struct Event {
  int gpu = 0;  // that made it
  double time = 0;
};

// A kernel on several GPUs wants all of them to reach each other.
inline bool all_reach_each_other() {
  const State& s = state();
  for (std::size_t a = 0; a < kMostGpus; ++a)
    for (std::size_t b = 0; b < kMostGpus; ++b)
      if (a != b && s.opened[a] && s.opened[b] && !s.let[a][b]) return false;
  return true;
}

// What every function does first: the failure that was asked for, or the fault of before.
inline int begin(const char* name) {
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

inline int code_of(const lab::sim::Fault& fault) {
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

}  // namespace lab::test

#define ENTER \
  if (const int failure = begin(__func__); failure != 0) return failure
