// See ptx_run.h.
#include "tests/sim/ptx_run.h"

#include <cstring>
#include <span>

#include "common/sim/program/program_data.h"

namespace lab::sim {

PtxRun run_module(const std::string& text, const PtxKernel& kernel) {
  PtxRun run;
  try {
    Memory memory;
    const auto image = load_module(ptx::parse(text), memory);
    const auto program = decode(*image, "test", kernel.shortcuts);
    run.out.assign(kernel.out_words, 0);
    std::vector<std::uint32_t> in = kernel.in;
    if (in.empty()) in.assign(64, 0);
    const DeviceAddress out_at = memory.allocate(4 * run.out.size(), kernel.fill, "out");
    const DeviceAddress in_at = memory.allocate(4 * in.size(), kernel.fill, "in");
    memory.write(in_at, std::as_bytes(std::span(in)));
    if (kernel.fills_out) memory.fill(out_at, std::byte{0}, 4 * run.out.size());
    struct {
      std::uint64_t out, in;
      std::uint32_t n;
    } parameters{out_at, in_at, kernel.n != 0 ? kernel.n : static_cast<std::uint32_t>(run.out.size())};
    LaunchConfig config;
    config.grid = kernel.grid;
    config.block = kernel.block;
    config.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
    config.cooperative = kernel.cooperative;
    const auto bytes = std::as_bytes(std::span(&parameters, 1)).first(20);
    run.result = launch(memory, *program, config, bytes, kernel.options);
    memory.read(out_at, std::as_writable_bytes(std::span(run.out)));
  } catch (const FaultError& error) {
    run.result.faults.push_back(error.fault);
  } catch (const ptx::ParseError& error) {
    Fault fault;
    fault.kind = FaultKind::BadPtx;
    fault.message = lab::text::message_of(error);
    run.result.faults.push_back(fault);
  }
  return run;
}

PtxRun run_ptx(const PtxKernel& kernel) {
  const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
)" + kernel.declarations + R"(
.visible .entry test(.param .u64 p_out, .param .u64 p_in, .param .u32 p_n)
{
  .reg .pred %p<20>;
  .reg .b16 %h<20>;
  .reg .b32 %r<40>, %tid, %t, %bid;
  .reg .b64 %rd<40>, %o, %i, %base_out, %base_in, %off;
  .reg .f32 %f<20>;
  .shared .align 16 .b8 tile[4096];
  ld.param.u64 %base_out, [p_out];
  ld.param.u64 %base_in, [p_in];
  mov.u32 %tid, %tid.x;
  mov.u32 %bid, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mad.lo.s32 %t, %bid, %t, %tid;
  mul.wide.u32 %off, %t, 4;
  add.s64 %o, %base_out, %off;
  add.s64 %i, %base_in, %off;
)" + kernel.body + "\n  ret;\n}\n";
  return run_module(text, kernel);
}

}  // namespace lab::sim
