// Drawn programs of everything by which blocks and GPUs can affect each other: the same bytes, counters and
// findings however many host threads run them, with every shortcut and with none.
//
// Enters: a seed. Leaves: kernels made of the rows of one table, each a way to write memory or to see what
// others wrote. The reference runs on one host thread with all shortcuts off. A path that writes memory and
// that no row of the table takes fails the test.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "common/sim/gpu.h"
#include "common/sim/memory/tensor_map.h"
#include "common/sim/memory/texture.h"
#include "common/sim/program/program_data.h"
#include "tests/drawn/draws.h"

using namespace lab::sim;
using lab::drawn::Draws;

namespace {

// Seeds that failed once: bulk reductions whose blocks ran at once.
constexpr std::uint64_t kFailedOnce[] = {458579553, 885830726, 364312192};

constexpr std::uint32_t kThreads = 64, kCells = 64;

// A way to affect others. `text`: what a thread executes. A place in braces is drawn: {op}, {type} and the
// like by the row's own lists, {at} is a cell that all blocks share, {n} a number of the statement.
struct Row {
  std::string name;
  std::vector<std::string> choices;  // each replaces {x}
  std::string text;
  std::vector<Path> paths;
  bool cluster = false;      // only where blocks form clusters
  bool every_block = false;  // a chain of blocks: at most once
};

// %acc gathers what threads saw, as bits; each stores it at the end. %v: a value that no two threads share.
// %cell: the address of a drawn cell of 16 bytes; %own: 16 bytes of global memory of this thread alone.
const std::vector<Row>& rows() {
  using enum Path;
  static const std::vector<Row> all = {
      {"atom 32",
       {"add.u32", "add.s32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "exch.b32", "inc.u32",
        "dec.u32", "min.s32", "max.u32"},
       "atom{order}.global.{x} %r1, [%cell], %v; xor.b32 %acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom generic",
       {"add.u32", "xor.b32", "exch.b32", "max.u32"},
       "atom.{x} %r1, [%cell], %v; xor.b32 %acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom 64",
       {"add.u64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64", "exch.b64"},
       "cvt.u64.u32 %rd1, %v; atom{order}.global.{x} %rd2, [%cell], %rd1; cvt.u32.u64 %r1, %rd2; xor.b32 "
       "%acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom cas",
       {"b32"},
       "ld.volatile.global.u32 %r2, [%cell]; atom.global.cas.{x} %r1, [%cell], %r2, %v; xor.b32 %acc, %acc, "
       "%r1;",
       {GlobalAtomic}},
      {"atom cas of a half",
       {"b16"},
       "cvt.u16.u32 %h1, %v; mov.u16 %h2, 0; atom.global.cas.{x} %h3, [%cell], %h2, %h1; cvt.u32.u16 %r1, "
       "%h3; xor.b32 %acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom float",
       {"global.add.f32", "global.exch.b32", "add.f32"},
       "cvt.rn.f32.u32 %f1, %v; mul.f32 %f1, %f1, 0f3DCCCCCD; mov.b32 %r2, %f1; atom.{x} {to}, [%cell], "
       "{from}; {bits} xor.b32 %acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom double",
       {"add.f64"},
       "cvt.rn.f64.u32 %fd1, %v; mul.f64 %fd1, %fd1, 0d3FB999999999999A; atom.global.{x} %fd2, [%cell], "
       "%fd1; "
       "mov.b64 %rd1, %fd2; cvt.u32.u64 %r1, %rd1; xor.b32 %acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom halves",
       {"add.noftz.f16x2", "add.noftz.bf16x2"},
       "and.b32 %r2, %v, 0x03ff03ff; or.b32 %r2, %r2, 0x3c003c00; atom.global.{x} %r1, [%cell], %r2; xor.b32 "
       "%acc, %acc, %r1;",
       {GlobalAtomic}},
      {"atom vector",
       {"v2.f32"},
       "cvt.rn.f32.u32 %f1, %v; atom.global.{x}.add {%f2, %f3}, [%cell], {%f1, %f1}; mov.b32 %r1, %f2; "
       "xor.b32 "
       "%acc, %acc, %r1;",
       {GlobalAtomic}},
      {"red 32",
       {"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "inc.u32", "dec.u32"},
       "red{order}.global.{x} [%cell], %v;",
       {GlobalAtomic}},
      {"red float",
       {"global.add.f32", "add.f32"},
       "cvt.rn.f32.u32 %f1, %v; mul.f32 %f1, %f1, 0f3DCCCCCD; red.{x} [%cell], %f1;",
       {GlobalAtomic}},
      {"red 64",
       {"add.u64", "max.s64", "xor.b64"},
       "cvt.u64.u32 %rd1, %v; red.global.{x} [%cell], %rd1;",
       {GlobalAtomic}},
      {"bulk reduction of words",
       {"add.u32", "add.s32", "add.u64", "min.u32", "max.s32", "min.s64", "and.b32", "or.b64", "xor.b32",
        "inc.u32", "dec.u32"},
       "bar.sync 0; st.shared.u32 [%mine], %v; fence.proxy.async.shared::cta; bar.sync 0; @%first "
       "cp.reduce.async.bulk.global.shared::cta.bulk_group.{x} [%cells], [%tile], 256; {group}",
       {SharedBulkLoad, GlobalBulkReduce}},
      {"bulk reduction of floats",
       {"add.f32", "add.f64", "add.noftz.f16", "add.noftz.bf16", "min.f16", "max.bf16"},
       "bar.sync 0; and.b32 %r1, %v, 0x00ff00ff; or.b32 %r1, %r1, 0x3c003c00; st.shared.u32 [%mine], %r1; "
       "fence.proxy.async.shared::cta; bar.sync 0; @%first "
       "cp.reduce.async.bulk.global.shared::cta.bulk_group.{x} [%cells], [%tile], 256; {group}",
       {SharedBulkLoad, GlobalBulkReduce}},
      {"tensor reduction",
       {"add", "min", "max", "and", "or", "xor", "inc", "dec"},
       "bar.sync 0; st.shared.u32 [%mine], %v; fence.proxy.async.shared::cta; bar.sync 0; @%first "
       "cp.reduce.async.bulk.tensor.1d.global.shared::cta.{x}.tile.bulk_group [%map, {%zero}], [%tile]; "
       "{group}",
       {SharedBulkLoad, GlobalBulkReduce}},
      {"bulk store and load",
       {"256", "128"},
       "bar.sync 0; st.shared.u32 [%mine], %v; fence.proxy.async.shared::cta; bar.sync 0; @%first "
       "cp.async.bulk.global.shared::cta.bulk_group [%block_own], [%tile], {x}; {group} {load}",
       {SharedBulkLoad, GlobalBulkStore, GlobalBulkLoad, SharedBulkStore}},
      {"volatile mailbox",
       {"u32", "u64"},
       "ld.volatile.global.u32 %r1, [%cell]; xor.b32 %acc, %acc, %r1; st.volatile.global.u32 [%cell], %v;",
       {GlobalLoad, GlobalStore}},
      {"relaxed mailbox",
       {"gpu", "sys"},
       "ld.relaxed.{x}.global.u32 %r1, [%cell]; xor.b32 %acc, %acc, %r1; st.relaxed.{x}.global.u32 [%cell], "
       "%v;",
       {GlobalLoad, GlobalStore}},
      {"acquire, release",
       {"gpu", "sys", "cta"},
       "ld.acquire.{x}.global.u32 %r1, [%cell]; xor.b32 %acc, %acc, %r1; st.release.{x}.global.u32 [%cell], "
       "%v;",
       {GlobalLoad, GlobalStore}},
      {"past the cache",
       {"wt", "wb", "cg"},
       "ld.cv.global.u32 %r1, [%cell]; xor.b32 %acc, %acc, %r1; st.{x}.global.u32 [%own], %r1;",
       {GlobalLoad, GlobalStore}},
      {"flags of a chain",
       {"gpu", "sys"},
       "bar.sync 0; @!%first bra OVER{n}; mul.wide.u32 %rd1, %bid, 4; add.s64 %rd1, %rd1, %flags; "
       "setp.eq.u32 "
       "%p1, %bid, 0; @%p1 bra GO{n}; WAIT{n}: ld.acquire.{x}.global.u32 %r1, [%rd1+-4]; setp.eq.u32 %p1, "
       "%r1, 0; @%p1 bra WAIT{n}; xor.b32 %acc, %acc, %r1; GO{n}: add.u32 %r1, %v, 1; "
       "st.release.{x}.global.u32 [%rd1], %r1; OVER{n}: bar.sync 0;",
       {GlobalLoad, GlobalStore},
       false,
       true},
      {"ticket and fence",
       {"gl", "sys"},
       "st.global.u32 [%own], %v; membar.{x}; atom.global.add.u32 %r1, [%cell], 1; membar.{x}; xor.b32 %acc, "
       "%acc, %r1;",
       {GlobalStore, GlobalAtomic}},
      {"memory of a peer",
       {"add.u32", "xor.b32", "exch.b32"},
       "atom.sys.global.{x} %r1, [%far], %v; xor.b32 %acc, %acc, %r1; st.volatile.global.u32 [%far+32], %v; "
       "ld.volatile.global.u32 %r1, [%far+32]; xor.b32 %acc, %acc, %r1;",
       {GlobalAtomic, LinkAtomic, LinkStore}},
      {"heap",
       {"16", "48"},
       ".param .b64 a{n}; .param .b64 b{n}; .param .b64 c{n}; st.param.b64 [a{n}], {x}; @!%first bra "
       "OVER{n}; call "
       "(b{n}), malloc, (a{n}); ld.param.b64 %rd1, [b{n}]; cvt.u32.u64 %r1, %rd1; xor.b32 %acc, %acc, %r1; "
       "st.param.b64 [c{n}], %rd1; call free, (c{n}); OVER{n}: bar.sync 0;",
       {}},
      {"clocks and places",
       {"%clock64", "%globaltimer"},
       "mov.u64 %rd1, {x}; cvt.u32.u64 %r1, %rd1; xor.b32 %acc, %acc, %r1; mov.u32 %r1, %smid; xor.b32 %acc, "
       "%acc, %r1;",
       {}},
      {"own surface texel",
       {"b32"},
       "sust.b.1d.{x}.zero [%surface, {%byte}], {%v}; suld.b.1d.{x}.zero {%r1}, [%surface, {%byte}]; xor.b32 "
       "%acc, %acc, %r1;",
       {}},
      {"shared memory",
       {"add.u32", "xor.b32"},
       "bar.sync 0; st.shared.u32 [%mine], %v; bar.sync 0; atom.shared.{x} %r1, [%tile], %v; xor.b32 %acc, "
       "%acc, %r1; bar.sync 0; ld.shared.u32 %r1, [%tile]; xor.b32 %acc, %acc, %r1; bar.sync 0;",
       {SharedStore, SharedAtomic}},
      {"matrices",
       {"x1", "x2"},
       "bar.sync 0; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%v}; bar.warp.sync -1; "
       "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%row]; xor.b32 %acc, %acc, %r1; bar.sync 0;",
       {SharedMatrixStore, SharedStore}},
      {"async copy",
       {"ca", "ca"},
       "bar.sync 0; cp.async.{x}.shared.global [%mine], [%own], 4; cp.async.wait_all; ld.shared.u32 %r1, "
       "[%mine]; xor.b32 %acc, %acc, %r1; bar.sync 0;",
       {SharedAsync, SharedStore}},
      {"local memory",
       {"u32"},
       "st.local.{x} [spill+4], %v; ld.local.u32 %r1, [spill+4]; xor.b32 %acc, %acc, %r1;",
       {LocalStore}},
      {"same value by all", {"u32"}, "st.global.{x} [%base+1008], 77;", {GlobalStore}},
      {"a peer's shared memory",
       {"add.u32", "xor.b32"},
       "{meet} mapa.shared::cluster.u32 %r2, %mine, %other; st.shared::cluster.u32 [%r2], %v; {meet} "
       "atom.shared::cluster.{x} %r1, [%r2], %v; xor.b32 %acc, %acc, %r1; {meet}",
       {ClusterStore, ClusterAtomic},
       true},
      {"stores and copies to a peer",
       {"st", "red"},
       "{meet} {init} {expect} {meet} mapa.shared::cluster.u32 %r2, %tile, %other; mapa.shared::cluster.u32 "
       "%r3, %bar, %other; @%first {send}; @%first "
       "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2+1024], [%tile+512], 64, "
       "[%r3]; {wait} ld.shared.u32 %r1, [%tile]; xor.b32 %acc, %acc, %r1; {meet}",
       {ClusterBulkStore},
       true},
  };
  return all;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

struct DrawnProgram {
  std::string body;
  std::set<std::string> rows;
  std::set<Path> paths;
  std::uint32_t blocks = 1, cluster = 1;
};

std::string statement(const Row& row, Draws& draws, std::size_t number) {
  std::string text = row.text;
  const std::string x = draws.among(row.choices), n = std::to_string(number);
  static const std::vector<std::string> kOrders = {"",         ".relaxed.gpu", ".acquire.gpu", ".release.sys",
                                                   ".gpu",     ".acq_rel.gpu", ".sys",         ".cta",
                                                   ".cluster", ".acq_rel.sys"};
  const bool is_bits = x.find("exch") != std::string::npos;
  const std::string wait = "AGAIN" + n +
                           ": mbarrier.try_wait.parity.shared::cta.b64 %p1, [%bar], 0; @!%p1 bra AGAIN" + n +
                           "; bar.sync 0; @%first mbarrier.inval.shared::cta.b64 [%bar]; bar.sync 0;";
  const std::string init =
      "bar.sync 0; @%first mbarrier.init.shared::cta.b64 [%bar], 1; @%first "
      "fence.mbarrier_init.release.cluster; bar.sync 0;";
  const std::vector<std::pair<std::string, std::string>> places = {
      {"{group}", "@%first cp.async.bulk.commit_group; @%first cp.async.bulk.wait_group 0; bar.sync 0;"},
      {"{load}", init + "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], " + x +
                     "; @%first "
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%tile+512], "
                     "[%block_own], " +
                     x + ", [%bar]; " + wait +
                     "ld.shared.u32 %r1, [%tile+512]; xor.b32 %acc, %acc, %r1; bar.sync 0;"},
      {"{meet}", "barrier.cluster.arrive; barrier.cluster.wait;"},
      {"{init}", init},
      {"{expect}", "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 68;"},
      {"{wait}", wait},
      {"{send}", x == "st" ? "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r2], %v, [%r3]"
                           : "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
                             "[%r2], %v, [%r3]"},
      {"{order}", draws.among(kOrders)},
      {"{to}", is_bits ? "%r1" : "%f2"},
      {"{from}", is_bits ? "%r2" : "%f1"},
      {"{bits}", is_bits ? "" : "mov.b32 %r1, %f2;"},
      {"{x}", x},
      {"{n}", n}};
  for (const auto& [from, to] : places) replace_all(text, from, to);
  const std::string cell = std::to_string(16 * draws.below(draws.one_in(2) ? 1 : kCells));
  std::string code = "  add.s64 %cell, %base, " + cell + ";\n  mad.lo.u32 %v, %t, " +
                     std::to_string(2 * draws.below(40) + 1) + ", " + std::to_string(draws.below(1000)) +
                     ";\n";
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find(';', at);
    if (end == std::string::npos) break;
    // Labels stand before the instruction that they name, on its line.
    code += "  " + text.substr(at, end - at) + ";\n";
  }
  return code;
}

DrawnProgram draw(std::uint64_t seed) {
  Draws draws(seed);
  DrawnProgram program;
  program.cluster = draws.one_in(4) ? std::uint32_t{2} << draws.below(2) : 1;
  program.blocks = static_cast<std::uint32_t>(draws.one_in(8) ? 448 : 64 + draws.below(3) * 32);
  const std::size_t statements = 1 + draws.below(5);
  bool chained = false;
  for (std::size_t k = 0; k < statements; ++k) {
    const Row& row = draws.among(rows());
    if ((row.cluster && program.cluster == 1) || (row.every_block && (chained || program.cluster != 1)))
      continue;
    chained |= row.every_block;
    program.rows.insert(row.name);
    program.paths.insert(row.paths.begin(), row.paths.end());
    const bool repeats = !row.every_block && draws.one_in(2);
    const std::string loop = "LOOP" + std::to_string(k), counter = "%i" + std::to_string(k);
    // Labels of a statement are of the function: a loop around it executes them again.
    if (repeats) program.body += "  mov.u32 " + counter + ", 0;\n" + loop + ":\n";
    program.body += statement(row, draws, k);
    if (repeats)
      program.body += "  add.u32 " + counter + ", " + counter + ", 1;\n  setp.lt.u32 %p2, " + counter + ", " +
                      std::to_string(2 + draws.below(4)) + ";\n  @%p2 bra " + loop + ";\n";
  }
  return program;
}

std::string module_of(const DrawnProgram& program) {
  return R"(.version 8.3
.target sm_90
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry test(.param .u64 p_cells, .param .u64 p_own, .param .u64 p_far, .param .u64 p_map, .param .u64 p_surface, .param .u64 p_flags, .param .u64 p_out)
{
  .reg .pred %p<8>, %first;
  .reg .b16 %h<8>;
  .reg .b32 %r<20>, %i<8>, %tid, %bid, %t, %v, %acc, %tile, %mine, %row, %bar, %other, %zero, %byte;
  .reg .b64 %rd<20>, %base, %cells, %cell, %own, %block_own, %far, %map, %surface, %flags, %out;
  .reg .f32 %f<8>;
  .reg .f64 %fd<8>;
  .local .align 8 .b8 spill[16];
  .shared .align 1024 .b8 tile[2048];
  .shared .align 8 .b8 bar[8];
  ld.param.u64 %base, [p_cells];
  ld.param.u64 %own, [p_own];
  ld.param.u64 %far, [p_far];
  ld.param.u64 %map, [p_map];
  ld.param.u64 %surface, [p_surface];
  ld.param.u64 %flags, [p_flags];
  ld.param.u64 %out, [p_out];
  mov.u64 %cells, %base;
  mov.u32 %tid, %tid.x;
  mov.u32 %bid, %ctaid.x;
  mad.lo.u32 %t, %bid, 64, %tid;
  mov.u32 %acc, %t;
  mov.u32 %zero, 0;
  setp.eq.u32 %first, %tid, 0;
  mul.wide.u32 %rd1, %bid, 1024;
  add.s64 %block_own, %own, %rd1;
  mul.wide.u32 %rd1, %tid, 16;
  add.s64 %own, %block_own, %rd1;
  st.global.u32 [%own], %t;
  mov.u32 %tile, tile;
  mov.u32 %bar, bar;
  shl.b32 %mine, %tid, 2;
  add.u32 %mine, %mine, %tile;
  and.b32 %row, %tid, 7;
  mad.lo.u32 %row, %row, 16, %tile;
  shr.u32 %r1, %tid, 5;
  mad.lo.u32 %row, %r1, 128, %row;
  shl.b32 %byte, %t, 2;
  mov.u32 %other, %cluster_ctarank;
  xor.b32 %other, %other, 1;
  mov.u32 %r5, 0;
CLEAR:
  mad.lo.u32 %r6, %tid, 4, %tile;
  add.u32 %r6, %r6, %r5;
  st.shared.u32 [%r6], %tid;
  add.u32 %r5, %r5, 256;
  setp.lt.u32 %p1, %r5, 2048;
  @%p1 bra CLEAR;
  bar.sync 0;
)" + program.body +
         R"(  bar.sync 0;
  mul.wide.u32 %rd1, %t, 4;
  add.s64 %rd1, %rd1, %out;
  st.global.u32 [%rd1], %acc;
  ret;
}
)";
}

struct Outcome {
  LaunchResult result;
  std::vector<std::byte> memory;  // of all buffers, one behind the other
};

struct Way {
  unsigned host_threads = 1;
  Shortcuts shortcuts = Shortcuts::On;
  FirstTouch zeroes = FirstTouch::System;
};

Outcome run(const DrawnProgram& program, const std::string& text, const Way& way) {
  Outcome made;
  try {
    Memory memory(way.zeroes);
    const auto image = load_module(ptx::parse(text), memory);
    const auto decoded = decode(*image, "test", way.shortcuts);
    const std::uint64_t threads = std::uint64_t{program.blocks} * kThreads;
    std::vector<std::pair<DeviceAddress, std::uint64_t>> buffers;
    const auto buffer = [&](std::uint64_t bytes, const char* name) {
      buffers.emplace_back(memory.allocate(bytes, Fill::Written, name, false, true), bytes);
      return buffers.back().first;
    };
    memory.use_device(1);
    const DeviceAddress far = buffer(64, "far");
    memory.use_device(0);
    memory.let(0, 1, true);
    const DeviceAddress cells = buffer(kCells * 16, "cells"), own = buffer(threads * 16, "own"),
                        map_at = memory.allocate(kTensorMapBytes, Fill::Written, "map"),
                        texels = buffer(threads * 4, "texels"), flags = buffer(program.blocks * 4, "flags"),
                        out = buffer(threads * 4, "out");
    TensorMap map;
    map.type = TensorType::U32;
    map.address = cells;
    map.dims = {kCells * 4, 1, 1, 1, 1};
    map.box = {64, 1, 1, 1, 1};
    REQUIRE_FALSE(refusal(map).has_value());
    memory.write(map_at, encoded(map));
    Texture surface;
    surface.is_surface = true;
    surface.image.base = texels;
    surface.image.width = static_cast<std::uint32_t>(threads);
    surface.image.kind = TexelKind::Unsigned;
    surface.image.pitch_bytes = surface.image.plane_bytes = threads * 4;
    const std::uint64_t parameters[] = {cells, own, far, map_at, make_texture(memory, surface), flags, out};
    LaunchConfig config;
    config.grid = {program.blocks, 1, 1};
    config.block = {kThreads, 1, 1};
    if (program.cluster != 1) config.cluster = {program.cluster, 1, 1};
    LaunchOptions options;
    options.host_threads = way.host_threads;
    options.checks_stop = false;
    made.result = launch(memory, *decoded, config, std::as_bytes(std::span(parameters)), options);
    for (const auto& [at, bytes] : buffers) {
      const std::size_t from = made.memory.size();
      made.memory.resize(from + bytes);
      memory.read(at, std::span(made.memory).subspan(from));
    }
  } catch (const FaultError& error) {
    made.result.faults.push_back(error.fault);
  } catch (const ptx::ParseError& error) {
    Fault& fault = made.result.faults.emplace_back();
    fault.kind = FaultKind::BadPtx;
    fault.message = error.what();
  }
  return made;
}

std::string findings_of(const LaunchResult& result) {
  std::string text;
  for (const auto* const list : {&result.faults, &result.findings, &result.notes})
    for (const Fault& one : *list)
      text += std::string(code(one.kind)) + " block " + std::to_string(one.block_index) + " " +
              std::to_string(one.count) + " times: " + one.sentence().english() + "\n";
  return text + result.output;
}

// "" when nothing differs.
std::string difference(const Outcome& one, const Outcome& other) {
  if (findings_of(one.result) != findings_of(other.result))
    return "findings: " + findings_of(one.result) + "against " + findings_of(other.result);
  if (!(one.result.counters == other.result.counters)) return "counters";
  if (one.result.warp_instructions != other.result.warp_instructions) return "warp instructions";
  if (one.result.lane_instructions != other.result.lane_instructions) return "lane instructions";
  if (one.result.work != other.result.work) return "work";
  const auto [here, there] = std::mismatch(one.memory.begin(), one.memory.end(), other.memory.begin());
  if (here != one.memory.end()) return "byte " + std::to_string(here - one.memory.begin()) + " of its memory";
  return {};
}

// Keeps the machine busy: host threads then lose their turns at odd moments.
class OtherLoad {
 public:
  OtherLoad() : thread_([this] { work(); }) {}
  ~OtherLoad() {
    done_ = true;
    thread_.join();
  }

 private:
  void work() const {
    using namespace std::chrono_literals;
    while (!done_) {
      for (const auto end = std::chrono::steady_clock::now() + 1ms; std::chrono::steady_clock::now() < end;) {
      }
      std::this_thread::sleep_for(1ms);
    }
  }
  std::atomic<bool> done_{false};
  std::thread thread_;
};

bool same_in_all_ways(std::uint64_t seed) {
  const DrawnProgram program = draw(seed);
  const std::string text = module_of(program);
  const Outcome reference = run(program, text, {1, Shortcuts::Off});
  CAPTURE(seed);
  CAPTURE(program.body);
  if (!reference.result.faults.empty()) {
    CHECK_MESSAGE(false, "a program that should run: " << findings_of(reference.result));
    return false;
  }
  const std::vector<Way> others = {
      {1}, {2}, {3}, {3, Shortcuts::Off}, {3, Shortcuts::On, FirstTouch::Memory}};
  for (const Way& way : {Way{8, Shortcuts::On, FirstTouch::Memory}, others[seed % others.size()]}) {
    const std::string what = difference(reference, run(program, text, way));
    CHECK_MESSAGE(what.empty(), way.host_threads << " host threads: other " << what);
    if (!what.empty()) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("drawn meetings") {
  TEST_CASE("each row runs, and every path that writes memory is in one of them") {
    std::set<Path> moved;
    for (const Row& row : rows()) {
      DrawnProgram program;
      Draws draws(1);
      program.cluster = row.cluster ? 2 : 1;
      program.blocks = 4;
      program.body = statement(row, draws, 0);
      const Outcome one = run(program, module_of(program), {});
      CAPTURE(row.name);
      CHECK_MESSAGE(one.result.faults.empty(), findings_of(one.result));
      for (const Path path : row.paths) CHECK(one.result.counters[path].requests != 0);
      moved.insert(row.paths.begin(), row.paths.end());
    }
    for (const PathInfo& path : kPathTable)
      if (writes(path.path)) CHECK_MESSAGE(moved.contains(path.path), "no row writes by: " << path.name);
  }

  TEST_CASE("what failed once") {
    for (const std::uint64_t seed : kFailedOnce) same_in_all_ways(seed);
  }

  TEST_CASE("the same result on any number of host threads") {
    Draws draws(lab::drawn::seed_of_run("drawn meetings"));
    const OtherLoad load;
    const std::size_t most = lab::drawn::draws_of_run(20);
    std::size_t done = 0;  // begun; some programs are many times as long as others: the clock ends it too
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(250 * most);
    while (done++ < most && std::chrono::steady_clock::now() < end)
      if (!same_in_all_ways(draws.next() % 1'000'000'007u)) break;
    MESSAGE(std::min(done, most) << " programs");
  }
}
