// The parts of the model of time, alone: what a cache asks of DRAM, what warps wait for, what binds.
//
// Enters: a few accesses made by hand. Leaves: one verdict a case.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "common/gpu/model/assembled.h"
#include "common/gpu/model/l2_cache.h"
#include "common/gpu/model/machine_code.h"
#include "common/gpu/model/occupancy.h"
#include "common/gpu/model/prediction.h"
#include "common/gpu/model/traffic.h"
#include "common/gpu/model/waits.h"
#include "common/sim/analysis/registers.h"
#include "common/sim/memory/memory.h"
#include "common/sim/program/program_data.h"

using namespace lab::model;

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0}, kOneSector = 0xffffffffull, kOneWord = 0xf;

// A cache of one set; this many other pieces push out all it holds.
void push_all_out(L2Cache& cache) {
  for (std::uint64_t k = 1000; k < 1016; ++k) cache.write(k, kAll);
}

}  // namespace

TEST_CASE("a read fetches 64 bytes once") {
  L2Cache cache(1024);
  CHECK_FALSE(cache.read(1, kOneWord));
  CHECK(cache.read(1, kAll));
  CHECK(cache.take().read_bytes == 64);
  CHECK(cache.take().read_bytes == 0);
}

TEST_CASE("a whole sector that is written is never read, and written back once") {
  L2Cache cache(1024);
  cache.write(1, kOneSector);
  CHECK(cache.read(1, kOneWord));
  CHECK(cache.take().read_bytes == 0);
  CHECK(cache.unwritten_bytes() == 32);
  push_all_out(cache);
  const DramTraffic traffic = cache.take();
  CHECK(traffic.write_bytes == 32);
  CHECK(traffic.read_bytes == 0);
}

TEST_CASE("a sector written in part is read when it leaves, unless the rest came before") {
  for (const bool joined : {false, true}) {
    L2Cache cache(1024);
    cache.write(1, kOneWord);
    if (joined) cache.write(1, kOneSector & ~kOneWord);
    push_all_out(cache);
    CHECK(cache.take().read_bytes == (joined ? 0 : 32));
  }
}

TEST_CASE("what does not fit goes, the oldest first") {
  L2Cache cache(1024);  // 16 pieces
  for (std::uint64_t k = 0; k < 17; ++k) CHECK_FALSE(cache.read(k, kAll));
  CHECK(cache.read(16, kAll));
  CHECK_FALSE(cache.read(0, kAll));
}

TEST_CASE("loads side by side are one wait") {
  WarpWaits warp;
  warp.load({0, 1}, 5, true, Reach::L2);
  warp.load({0, 2}, 6, true, Reach::Dram);
  CHECK(warp.end().as_text == Rounds{0, 0, 1});
}

TEST_CASE("what keeps loads apart") {
  const auto after = [](auto&& between, LoadChain second, std::uint32_t pc) {
    WarpWaits warp;
    warp.load({0, 1}, 5, true, Reach::L2);
    between(warp);
    warp.load(second, pc, true, Reach::L2);
    return warp.end().as_text[1];
  };
  const auto nothing = [](WarpWaits&) {};
  CHECK(after(nothing, {0, 2}, 6) == 1);
  CHECK(after(nothing, {1, 2}, 6) == 2);  // its address is what the first loads
  CHECK(after(nothing, {0, 1}, 5) == 2);  // the next turn of a loop
  CHECK(after([](WarpWaits& w) { w.barrier(); }, {0, 2}, 6) == 2);
  CHECK(after([](WarpWaits& w) { w.store(true); }, {0, 2}, 6) == 2);
  CHECK(after([](WarpWaits& w) { w.store(false); }, {0, 2}, 6) == 1);  // other memory
}

TEST_CASE("a load goes past stores that surely go elsewhere, and no further") {
  const auto rounds = [](bool passes, std::uint32_t stretch, bool again) {
    WarpWaits warp;
    warp.load({0, 1}, 5, true, Reach::L2);
    warp.store(true, 1);
    warp.load({0, 2, stretch, passes}, 7, true, Reach::L2);
    if (again) warp.load({0, 4, 1, false}, 8, true, Reach::L2);
    return warp.end().written_out[1];
  };
  CHECK(rounds(true, 1, false) == 1);
  CHECK(rounds(false, 1, false) == 2);
  CHECK(rounds(true, 2, false) == 2);  // a jump lies between
  CHECK(rounds(true, 1, true) == 2);   // the next load may read what was stored
}

TEST_CASE("the block that waits longest bounds the launch") {
  const lab::device::GpuData gpu = lab::device::gpu_named("h200");
  Work work;
  work.blocks = 32, work.warps_per_block = 4, work.resident_blocks = 16;
  work.traffic.written_out = {3584, 768, 0};
  const double even = predict(work, gpu).kernel;
  work.traffic.longest = {3584, 512, 0};  // all in one block, as a sum over all by its first thread
  CHECK(even < 20e-6);
  CHECK(predict(work, gpu).kernel > 120e-6);
  work.traffic.longest = {100, 20, 0};  // no more than each
  CHECK(predict(work, gpu).kernel < 20e-6);
}

TEST_CASE("turns of a loop that is written out load side by side, four at a time") {
  WarpWaits warp;
  for (int turn = 0; turn < 8; ++turn) warp.load({0, 1}, 5, true, Reach::L2, {.written_out = true});
  const WarpWaits::Both rounds = warp.end();
  CHECK(rounds.as_text[1] == 8);
  CHECK(rounds.written_out[1] <= 3);
}

TEST_CASE("a warp waits for what it uses before a jump, and only then comes to the loads behind") {
  const auto rounds = [](bool used, std::uint32_t pc, const LoadPlace& second) {
    WarpWaits warp;
    warp.load({0, 1}, 5, true, Reach::L2, {.region = 1, .used = used, .is_loop = second.is_loop});
    warp.load({0, pc == 5 ? 1u : 2u}, pc, true, Reach::L2, second);
    return warp.end().written_out[1];
  };
  CHECK(rounds(true, 9, {.region = 1}) == 1);
  CHECK(rounds(true, 9, {.region = 8}) == 2);
  CHECK(rounds(false, 9, {.region = 8}) == 1);
  CHECK(rounds(true, 5, {.region = 1, .written_out = true, .is_loop = true}) == 1);
  CHECK(rounds(true, 5, {.region = 1, .written_out = true}) == 2);  // a part of a loop that is written out
}

TEST_CASE("few blocks leave a GPU idle: nothing is busy there, whatever takes longest") {
  const lab::device::GpuData gpu = lab::device::gpu_named("h200");
  Work work;
  work.blocks = 4, work.warps_per_block = 8, work.resident_blocks = 8, work.wavefronts = 1'000'000;
  const Prediction few = predict(work, gpu);
  CHECK(few.bound == static_cast<std::size_t>(Part::Waits));
  CHECK(few.busy[static_cast<std::size_t>(Part::L1)] < 4);
  work.blocks = 132, work.wavefronts *= 33;
  CHECK(predict(work, gpu).bound == static_cast<std::size_t>(Part::L1));
}

TEST_CASE("a word that all blocks try to change until no other was faster takes the time of all tries") {
  const lab::device::GpuData gpu = lab::device::gpu_named("h200");
  Work work;
  work.blocks = 3907, work.warps_per_block = 8, work.resident_blocks = 8;
  work.traffic.updates = work.traffic.updating_blocks = 3907;  // a GPU takes 1.9 ms
  CHECK(predict(work, gpu).total == doctest::Approx(2.1e-3).epsilon(0.1));
  work.traffic.hops = 3906;  // and when each waits for the one before
  CHECK(predict(work, gpu).seconds[static_cast<std::size_t>(Part::Waits)] > 2.5e-3);
}

TEST_CASE("each part binds where it is asked for most, and more work never takes less time") {
  const lab::device::GpuData gpu = lab::device::gpu_named("h200");
  Work little;
  little.blocks = 1056, little.warps_per_block = 8, little.resident_blocks = 8;
  CHECK(predict(little, gpu).bound == kParts);
  CHECK(predict(little, gpu).total == doctest::Approx(gpu.time.launch_seconds));
  std::array<Work, kParts> much;
  much.fill(little);
  const auto of = [](Part part) { return static_cast<std::size_t>(part); };
  much[of(Part::Dram)].traffic.dram.read_bytes = 1'000'000'000;
  much[of(Part::L2)].traffic.l2_read_sectors = 1'000'000'000;
  much[of(Part::Atomics)].traffic.busiest_slice = 10'000'000;
  much[of(Part::L1)].wavefronts = 1'000'000'000;
  much[of(Part::Issue)].traffic.instructions = 10'000'000;
  much[of(Part::Issue)].resident_blocks = 32;
  much[of(Part::Starts)].blocks = 10'000'000;
  much[of(Part::Starts)].resident_blocks = 32;
  much[of(Part::Waits)].traffic.written_out[2] = 10'000'000;
  for (std::size_t part = 0; part < kParts; ++part) {
    if (part != of(Part::Issue)) CHECK(predict(much[part], gpu).bound == part);
    CHECK(predict(much[part], gpu).total > gpu.time.launch_seconds);
  }
}

TEST_CASE(
    "starts hinder nobody; within memory the slowest part counts; waiting and memory hinder each other") {
  const lab::device::GpuData gpu = lab::device::gpu_named("h200");
  Work dram;
  dram.blocks = 1056, dram.warps_per_block = 1, dram.resident_blocks = 32;
  dram.traffic.dram.read_bytes = 1'000'000'000;
  Work l2 = dram, waits = dram, starts = dram;
  l2.traffic.l2_read_sectors = 10'000'000;
  waits.traffic.written_out[2] = 200'000;
  starts.blocks = 200'000, starts.resident_blocks = 32;
  const double alone = predict(dram, gpu).total;
  CHECK(predict(l2, gpu).total == doctest::Approx(alone));
  CHECK(predict(waits, gpu).total > 1.01 * alone);
  const Prediction started = predict(starts, gpu);
  const double of_starts = started.seconds[static_cast<std::size_t>(Part::Starts)];
  CHECK(started.total < gpu.time.begin_seconds + std::max(of_starts, 1.1 * alone));
}

TEST_CASE("floats added to one word take longer than integers") {
  const lab::device::GpuData gpu = lab::device::gpu_named("h100");
  Work integers;
  integers.blocks = 1056, integers.warps_per_block = 8, integers.resident_blocks = 8;
  integers.traffic.busiest_slice = 1'000'000;
  Work floats = integers;
  floats.traffic.busiest_float_sector = 1'000'000;
  CHECK(predict(floats, gpu).total > 2 * predict(integers, gpu).total);
}

TEST_CASE("a GPU that was not measured takes the H200's rates by its data sheet") {
  const lab::device::GpuData h200 = lab::device::gpu_named("h200"), t4 = lab::device::gpu_named("t4");
  CHECK(h200.time_measured);
  CHECK_FALSE(t4.time_measured);
  CHECK(t4.time.block_start_seconds / h200.time.block_start_seconds ==
        doctest::Approx(static_cast<double>(h200.clock_mhz) / static_cast<double>(t4.clock_mhz)));
  CHECK(t4.time.dram_bytes / h200.time.dram_bytes ==
        doctest::Approx(static_cast<double>(t4.bandwidth) / static_cast<double>(h200.bandwidth)));
}

namespace {

// Registers alive in a kernel of these lines.
std::uint32_t alive_in(const std::string& lines) {
  const auto module = lab::sim::ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<4>;\n" +
      lines + "ret;\n}\n");
  return lab::sim::registers_alive(*module.find_function("k"));
}

}  // namespace

TEST_CASE("a register is alive from the instruction that makes it to the last that reads it") {
  const std::string address = "ld.param.u64 %rd1, [p];\n";
  CHECK(alive_in(address) == 2);  // of 64 bits: two
  CHECK(alive_in(address + "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\n") == 3);
  // One after the other, or side by side.
  CHECK(alive_in(address + "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\n"
                           "ld.global.u32 %r2, [%rd1+4];\nst.global.u32 [%rd1+4], %r2;\n") == 3);
  CHECK(alive_in(address + "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\n"
                           "st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\n") == 4);
  CHECK(alive_in(address + "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                           "st.global.v4.u32 [%rd1], {%r4, %r3, %r2, %r1};\n") == 6);
}

TEST_CASE("what a loop reads at its beginning is alive at its end; predicates take no register") {
  const std::string loop =
      "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\nmov.u32 %r2, 7;\n$again:\nadd.u32 %r1, %r1, %r2;\n"
      "mov.u32 %r3, 5;\nadd.u32 %r1, %r1, %r3;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra $again;\n"
      "st.global.u32 [%rd1], %r1;\n";
  CHECK(alive_in(loop) == 5);  // the address, the sum, what is added each turn, and the 5
}

TEST_CASE("atomics that a warp adds up first: integers at a place that is the same for all lanes") {
  const auto kinds = [](const std::string& lines) {
    lab::sim::Memory memory;
    const auto image = lab::sim::load_module(
        lab::sim::ptx::parse(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
            ".reg .b32 %r<9>;\n.reg .f32 %f<2>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\n"
            "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n" +
            lines + "ret;\n}\n"),
        memory);
    const auto program = lab::sim::decode(*image, "k");
    return atomic_kinds(program->data());
  };
  const auto any = [](const std::vector<AtomicKind>& all, bool AtomicKind::*what) {
    return std::any_of(all.begin(), all.end(), [&](const AtomicKind& one) { return one.*what; });
  };
  const auto how = [&](const std::string& lines) { return any(kinds(lines), &AtomicKind::added_up_first); };
  CHECK(how("atom.global.add.u32 %r3, [%rd2], 1;\n"));
  CHECK(how("red.global.max.s32 [%rd2+8], %r1;\n"));
  CHECK_FALSE(how("mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nred.global.add.u32 [%rd4], 1;\n"));
  CHECK_FALSE(how("ld.global.u64 %rd3, [%rd2];\nred.global.add.u32 [%rd3], 1;\n"));
  CHECK_FALSE(how("red.global.add.f32 [%rd2], %f1;\n"));
  CHECK_FALSE(how("atom.global.cas.b32 %r3, [%rd2], 0, 1;\n"));
  CHECK(any(kinds("red.global.add.f32 [%rd2], %f1;\n"), &AtomicKind::of_floats));
  CHECK_FALSE(any(kinds("red.global.add.u32 [%rd2], 1;\n"), &AtomicKind::of_floats));
}

namespace {

lab::sim::Path path_of(std::string_view text) {
  using lab::sim::Path;
  if (text.starts_with("red")) return Path::GlobalAtomic;
  if (text.starts_with("st.local")) return Path::LocalStore;
  if (text.starts_with("ld.local")) return Path::LocalLoad;
  return text.starts_with("st") ? Path::GlobalStore : Path::GlobalLoad;
}

// What one block of one warp asks for: the instructions of `lines` that touch memory, lane i at `address` + i
// * `step`; a barrier behind each.
Traffic traffic_of(const std::string& lines, std::uint64_t step) {
  lab::sim::Memory memory;
  const auto image = lab::sim::load_module(
      lab::sim::ptx::parse(
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
          ".reg .b32 %r<9>;\n.reg .f32 %f<2>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd2, [p];\n"
          "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd2, %rd3;\n" +
          lines + "ret;\n}\n"),
      memory);
  const auto program = lab::sim::decode(*image, "k");
  L2Cache cache(1 << 20);
  TrafficObserver observer(cache);
  lab::sim::LaunchInfo info;
  info.program = program.get();
  observer.launch_begin(info);
  const lab::sim::WarpPlace place{};
  observer.block_begin(0, place);
  std::array<std::uint64_t, 32> address;
  for (std::uint64_t lane = 0; lane < 32; ++lane) address[lane] = 65536 + lane * step;
  const lab::sim::ProgramData& data = program->data();
  for (std::uint32_t pc = 0; pc < data.code.size(); ++pc) {
    const std::string text = data.text(pc).full_opcode();
    if (text.find("global") == text.npos && text.find("local") == text.npos) continue;
    lab::sim::Access access;
    access.pc = pc, access.path = path_of(text), access.mask = ~lab::sim::Mask{0};
    if (text.ends_with("u8")) access.width_bytes = 1;
    access.address = address.data(), access.place = &place;
    observer.access(0, access);
    observer.barrier(0);
  }
  observer.block_end(0, place);
  return observer.result();
}

}  // namespace

TEST_CASE("a load behind a store to its sector waits as for L2, once, and asks L2 for nothing") {
  const std::string load = "ld.global.u32 %r2, [%rd2];\n", store = "st.global.u32 [%rd2], %r2;\n";
  CHECK(traffic_of(load + load, 4).rounds == Rounds{1, 0, 1});
  const Traffic behind = traffic_of(load + store + load + load, 4);
  CHECK(behind.rounds == Rounds{1, 1, 1});
  CHECK(behind.l2_read_sectors == 4);
}

TEST_CASE("a load goes past a store of the same register at another offset") {
  const auto passes = [](const std::string& between) {
    lab::sim::Memory memory;
    const auto image = lab::sim::load_module(
        lab::sim::ptx::parse(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n"
                             "{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" +
                             between + "ld.global.u32 %r2, [%rd2+8];\nret;\n}\n"),
        memory);
    const auto program = lab::sim::decode(*image, "k");
    const std::vector<LoadChain> chains = load_chains(program->data());
    return std::find_if(chains.rbegin(), chains.rend(), [](const LoadChain& one) { return one.own != 0; })
        ->passes_stores;
  };
  CHECK(passes(""));
  CHECK(passes("st.global.u32 [%rd2+4], %r1;\n"));
  CHECK_FALSE(passes("st.global.u64 [%rd2+4], %rd1;\n"));  // a half of it
  CHECK_FALSE(passes("st.global.u32 [%rd3+4], %r1;\n"));
  CHECK_FALSE(passes("st.global.u32 [%rd2+4], %r1;\nadd.u64 %rd2, %rd2, %rd3;\n"));
}

TEST_CASE("stores to local memory go through to L2, a word of every lane side by side") {
  CHECK(traffic_of("st.local.u32 [%r1], %r1;\n", 0).l2_write_sectors == 4);
  CHECK(traffic_of("st.local.u32 [%r1], %r1;\n", 0).l2_partial_sectors == 0);
  CHECK(traffic_of("st.local.u8 [%r1], %r1;\n", 0).l2_write_sectors == 4);
  CHECK(traffic_of("st.local.u8 [%r1], %r1;\n", 0).l2_partial_sectors == 4);
}

TEST_CASE("stores one behind the other fill up a sector; with a load between them each goes out") {
  const std::string load = "ld.global.u32 %r2, [%rd2];\n", store = "st.global.u32 [%rd2], %r2;\n";
  const Traffic one = traffic_of(store, 8), three = traffic_of(store + store + store, 8);
  CHECK(one.l2_write_sectors == 8);
  CHECK(one.l2_partial_sectors == 8);
  CHECK(one.l2_requests == 2);
  CHECK(three.l2_write_sectors == 8);
  CHECK(three.l2_requests == 2);
  CHECK(traffic_of(store + load + store, 8).l2_write_sectors == 16);
}

TEST_CASE("what ptxas makes of jumps and loops") {
  lab::sim::Memory memory;
  const auto read = [&](const std::string& lines) {
    const auto image = lab::sim::load_module(
        lab::sim::ptx::parse(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n"
            "{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n"
            ".shared .b8 s[64];\nld.param.u64 %rd2, [p];\nmov.u32 %r1, %tid.x;\n" +
            lines + "ret;\n}\n"),
        memory);
    const auto program = lab::sim::decode(*image, "k");
    return assembled(program->data());
  };
  const auto guarded = [&](const std::string& body) {
    return read("setp.lt.u32 %p1, %r1, 3;\n@%p1 bra $L1;\n" + body + "$L1:\n").sums.back()[kGuarded];
  };
  const std::string add = "ld.shared.f32 %f1, [s];\nadd.f32 %f1, %f1, %f2;\nst.shared.f32 [s], %f1;\n";
  CHECK(guarded(add) == 3);
  CHECK(guarded(add + add) == 6);
  CHECK(guarded(add + add + add) == 0);  // too many
  CHECK(guarded("ld.global.f32 %f1, [%rd2];\n" + add) == 0);
  CHECK(guarded("bar.sync 0;\n") == 0);
  const auto written_out = [&](const std::string& step) {
    const std::vector<LoadPlace> loads = read("mov.u32 %r2, 0;\n$L1:\nld.global.f32 %f1, [%rd2];\n" + step +
                                              "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra $L1;\n")
                                             .loads;
    return std::any_of(loads.begin(), loads.end(), [](const LoadPlace& one) { return one.written_out; });
  };
  CHECK(written_out("add.u32 %r2, %r2, 4;\n"));
  CHECK_FALSE(written_out("add.u32 %r2, %r2, %r1;\n"));
  CHECK_FALSE(written_out("shl.b32 %r2, %r2, 1;\n"));
  // Two bodies that are jumped over, each with a load and what is before and behind it.
  const auto places = [&](const std::string& before, const std::string& behind) {
    std::string text = "setp.lt.u32 %p1, %r1, 3;\n";
    for (const std::string label : {"$L1", "$L2"})
      text.append("@%p1 bra " + label + ";\n" + before + "ld.global.f32 %f1, [%rd2];\n" + behind + label +
                  ":\n");
    const std::vector<LoadPlace> all = read(text).loads;
    std::set<std::uint32_t> regions;
    for (const LoadPlace& one : all) regions.insert(one.region);
    return regions.size();
  };
  const std::string product = "mad.lo.s64 %rd3, %rd3, %rd4, %rd5;\n", store = "st.shared.f32 [s], %f1;\n";
  CHECK(places(product, store) == 2);  // the text, and what is behind `ret`
  CHECK(places(product + product + product + product + product, store) == 6);
  CHECK(places("bar.sync 0;\n", store) > 2);
  const auto repeats = [&](const std::string& access) {
    const std::vector<Repeats> all =
        read("$L1:\n" + access + "setp.ne.u32 %p1, %r2, 7;\n@%p1 bra $L1;\n").repeats;
    return *std::max_element(all.begin(), all.end());
  };
  CHECK(repeats("atom.global.cas.b32 %r2, [%rd2], 7, %r1;\n") == Repeats::Update);
  CHECK(repeats("atom.global.add.u32 %r2, [%rd2], 0;\n") == Repeats::Poll);
  CHECK(repeats("atom.global.add.u32 %r2, [%rd2], 1;\n") == Repeats::No);  // a ticket
  CHECK(repeats("ld.volatile.global.u32 %r2, [%rd2];\n") == Repeats::No);
}

namespace {
// Of a kernel that has these lines: all instructions, and how many go through each unit.
MachineCount counted(const std::string& lines) {
  const auto module = lab::sim::ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.reg .b64 %rd<9>;\n" +
      lines + "ret;\n}\n");
  constexpr std::uint32_t kBegin = 2, kReturn = 1;
  MachineCount all{};
  for (const MachineCount& each : machine_counts(module.functions.front()))
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += each[k];
  all[0] -= kBegin + kReturn;
  return all;
}
}  // namespace

TEST_CASE("PTX is counted as ptxas 13.0 makes it for sm_90") {
  const auto count = [](const std::string& lines) { return counted(lines)[0]; };
  CHECK(count("add.s32 %r1, %r2, %r3;\n") == 1);
  CHECK(counted("rcp.approx.f32.ftz %f1, %f2;\n") == counted("rcp.approx.ftz.f32 %f1, %f2;\n"));
  CHECK(count("add.s64 %rd1, %rd2, %rd3;\n") == 2);
  CHECK(count("ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n") == 0);
  CHECK(count("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %r1;\n") == 1);
  CHECK(count("mul.wide.s32 %rd1, %r1, 4;\nadd.s64 %rd3, %rd2, %rd1;\nld.global.f32 %f1, [%rd3];\n") == 2);
  CHECK(count("xor.b32 %r1, %r2, %r3;\nand.b32 %r4, %r1, %r5;\n") == 1);
  CHECK(count("shl.b32 %r1, %r2, 3;\nadd.s32 %r3, %r1, %r4;\n") == 1);
  CHECK(count("div.s32 %r1, %r2, %r3;\n") == 26);
  CHECK(count("div.rn.f32 %f1, %f2, %f3;\n") == 10);
  CHECK(count("ex2.approx.ftz.f32 %f1, %f2;\nex2.approx.f32 %f3, %f1;\n") == 5);
  CHECK(count("fma.rn.f64 %d1, %d2, %d3, %d4;\n") == 1);
  CHECK(count("setp.lt.s64 %p1, %rd1, %rd2;\n") == 2);
}

TEST_CASE("each instruction goes through the unit that ptxas gives it to") {
  const auto units = [](const std::string& lines) {
    const MachineCount all =
        counted("ld.param.u64 %rd8, [p];\n" + lines);  // what sets a kernel up goes with its first
    return std::array{all[1], all[2], all[3], all[4], all[5]};
  };
  using Units = std::array<std::uint32_t, 5>;  // whole numbers, their sums, floats, doubles, functions
  CHECK(units("xor.b32 %r1, %r2, %r3;\n") == Units{1, 0, 0, 0, 0});
  CHECK(units("setp.lt.f32 %p1, %f1, %f2;\n") == Units{1, 0, 0, 0, 0});
  CHECK(units("add.s64 %rd1, %rd2, %rd3;\n") == Units{0, 2, 0, 0, 0});
  CHECK(units("mul.lo.s32 %r1, %r2, %r3;\n") == Units{0, 0, 2, 0, 0});
  CHECK(units("fma.rn.f32 %f1, %f2, %f3, %f4;\n") == Units{0, 0, 1, 0, 0});
  CHECK(units("fma.rn.f64 %d1, %d2, %d3, %d4;\n") == Units{0, 0, 0, 1, 0});
  CHECK(units("ex2.approx.ftz.f32 %f1, %f2;\n") == Units{0, 0, 0, 0, 1});
  CHECK(units("popc.b32 %r1, %r2;\n") == Units{0, 0, 0, 0, 1});
}

TEST_CASE("atomics: 512 bytes share a slice, their neighbours have others; floats are a kind of their own") {
  const std::string integers = "red.global.add.u32 [%rd2], 1;\n",
                    floats = "red.global.add.f32 [%rd2], %f1;\n";
  CHECK(traffic_of(integers, 512).busiest_slice == 1);
  CHECK(traffic_of(integers, 128).busiest_slice == 4);
  CHECK(traffic_of(integers, 0).busiest_slice == 32);
  CHECK(traffic_of(integers, 0).busiest_float_sector == 0);
  CHECK(traffic_of(floats, 0).busiest_float_sector == 32);
}

TEST_CASE("an H100 was measured too") {
  CHECK(lab::device::gpu_named("h100").time_measured);
  CHECK(lab::device::gpu_named("h100").time.dram_bytes < lab::device::gpu_named("h200").time.dram_bytes);
}

TEST_CASE("as many clusters fit as the runtime says on an H100 and on an H200") {
  std::ifstream file(LAB_GOLDEN_DIR "/cluster_occupancy.csv");
  std::string line, gpu;
  std::getline(file, line);  // names of the columns
  int answers = 0;
  while (std::getline(file, line)) {
    CAPTURE(line);
    std::istringstream row(line);
    std::getline(row, gpu, ',');
    std::uint64_t threads = 0, bytes = 0, blocks = 0, cluster = 0;
    int clusters = 0;
    char comma = 0;
    row >> threads >> comma >> bytes >> comma >> blocks;
    const bool h200 = gpu == "NVIDIA H200";
    while (row >> comma >> clusters) {
      CHECK(active_clusters(lab::device::gpu_named(h200 ? "h200" : "h100"), blocks, ++cluster) == clusters);
      ++answers;
    }
  }
  CHECK(answers == 896);
  CHECK(active_clusters(lab::device::gpu_named("h200"), 0, 4) == 0);
}
