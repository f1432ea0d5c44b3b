// Runs a few lines of PTX on the simulated GPU: what the tests of the interpreter are written with.
//
// Enters: the body of a kernel `test(out, in, n)` over 32-bit words. Leaves: the words of `out` and the
// launch's result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/sim/gpu.h"

namespace lab::sim {

struct PtxRun {
  std::vector<std::uint32_t> out;
  LaunchResult result;
  // The code of the one fault, or "none".
  [[nodiscard]] std::string fault() const {
    return result.faults.empty() ? "none" : std::string(code(result.faults[0].kind));
  }
  [[nodiscard]] std::string message() const {
    return result.faults.empty() ? "" : result.faults[0].sentence().english();
  }
};

struct PtxKernel {
  std::string body;          // instructions; %tid, %out and %in are set up (see ptx_run.cpp)
  std::string declarations;  // module scope: functions, variables
  Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::size_t out_words = 32;
  std::vector<std::uint32_t> in;
  std::uint32_t n = 0;  // the parameter; 0: out_words
  LaunchOptions options;
  bool cooperative = false;
  Shortcuts shortcuts = Shortcuts::On;
  // Of both buffers. Poison: `in` is written as a whole all the same, `out` where `fills_out` says so.
  Fill fill = Fill::Written;
  bool fills_out = false;
};

// %t: global thread number, %tid: in the block, %o: &out[%t], %i: &in[%t], %base_out, %base_in; registers
// %r<40>, %rd<40>, %f<20>, %p<20>, %h<20> are declared. Ends with ret.
[[nodiscard]] PtxRun run_ptx(const PtxKernel& kernel);

// A whole module, entry `test` with the parameters (out, in, n).
[[nodiscard]] PtxRun run_module(const std::string& text, const PtxKernel& kernel);

}  // namespace lab::sim
