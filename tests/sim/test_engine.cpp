// The TMA unit, clusters and matrix instructions under the checks: wrong kernels with the finding that names
// each, and right ones without a finding. Results and counters are held to an H200 by tests/cudart
// (tensor_copies, cluster_moves, matrix_moves).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "common/sim/gpu.h"
#include "common/sim/memory/tensor_map.h"
#include "common/sim/program/program_data.h"

using namespace lab::sim;

namespace {

struct Run {
  LaunchResult result;
  std::vector<std::uint32_t> out;
  [[nodiscard]] std::string fault() const {
    return result.faults.empty() ? "none" : std::string(code(result.faults[0].kind));
  }
  [[nodiscard]] std::string message() const {
    return result.faults.empty() ? "" : result.faults[0].sentence().english();
  }
};

// %tid; %bar, %tile: an mbarrier and 4096 bytes behind it; %in: 64 rows of 64 words, %map: a tensor map of
// them, with boxes of 16 × 8; %out: 1024 words; %p0: thread 0.
Run run(const std::string& body, std::uint32_t threads = 64, std::uint32_t cluster = 0,
        std::uint32_t blocks = 1) {
  const std::string text = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry test(.param .u64 p_out, .param .u64 p_in, .param .u64 p_map)
{
  .reg .pred %p<8>;
  .reg .b32 %r<20>, %tid, %bar, %tile, %four;
  .reg .b64 %rd<10>, %out, %in, %map;
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b8 bar[32];
  ld.param.u64 %out, [p_out];
  ld.param.u64 %in, [p_in];
  ld.param.u64 %map, [p_map];
  mov.u32 %tid, %tid.x;
  shl.b32 %four, %tid, 2;
  mov.u32 %tile, tile;
  mov.u32 %bar, bar;
  setp.eq.u32 %p0, %tid, 0;
)" + body + "\n  ret;\n}\n";
  Run made;
  try {
    Memory memory;
    const auto image = load_module(ptx::parse(text), memory);
    const auto program = decode(*image, "test");
    made.out.assign(1024, 0);
    std::vector<std::uint32_t> in(64 * 64);
    for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = k + 1;
    const DeviceAddress out_at = memory.allocate(4 * made.out.size(), Fill::Written, "out"),
                        in_at = memory.allocate(4 * in.size(), Fill::Written, "in"),
                        map_at = memory.allocate(kTensorMapBytes, Fill::Written, "map");
    memory.write(in_at, std::as_bytes(std::span(in)));
    TensorMap map;
    map.type = TensorType::U32;
    map.rank = 2;
    map.address = in_at;
    map.dims = {64, 64, 1, 1, 1};
    map.strides = {256};
    map.box = {16, 8, 1, 1, 1};
    REQUIRE_FALSE(refusal(map).has_value());
    memory.write(map_at, encoded(map));
    const std::uint64_t parameters[] = {out_at, in_at, map_at};
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {threads, 1, 1};
    if (cluster != 0) config.cluster = {cluster, 1, 1};
    LaunchOptions options;
    options.block_budget_instructions = 40'000'000;
    made.result = launch(memory, *program, config, std::as_bytes(std::span(parameters)), options);
    memory.read(out_at, std::as_writable_bytes(std::span(made.out)));
  } catch (const FaultError& error) {
    made.result.faults.push_back(error.fault);
  } catch (const ptx::ParseError& error) {
    Fault& fault = made.result.faults.emplace_back();
    fault.kind = FaultKind::BadPtx;
    fault.message = lab::text::message_of(error);
  }
  return made;
}

const std::string kInit = R"(
  @%p0 mbarrier.init.shared::cta.b64 [%bar], 1;
  @%p0 fence.mbarrier_init.release.cluster;
  bar.sync 0;)";
std::string expect(int bytes) {
  return "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], " + std::to_string(bytes) + ";";
}
std::string load(int bytes = 256, const std::string& to = "%tile", const std::string& from = "%in",
                 const std::string& bar = "%bar") {
  return "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + to + "], [" + from +
         "], " + std::to_string(bytes) + ", [" + bar + "];";
}
std::string wait(int parity, const std::string& guard = "") {
  static int number = 0;
  const std::string label = "AGAIN" + std::to_string(number), over = "OVER" + std::to_string(number++);
  return (guard.empty() ? "" : "@!" + guard + " bra " + over + ";") + label +
         ": mbarrier.try_wait.parity.shared::cta.b64 %p1, [%bar], " + std::to_string(parity) +
         "; @!%p1 bra " + label + ";" + over + ":";
}
const std::string kRead = "add.u32 %r1, %tile, %four; ld.shared.u32 %r2, [%r1];";
const std::string kWrite = "add.u32 %r1, %tile, %four; st.shared.u32 [%r1], %tid;";
const std::string kFence = "fence.proxy.async.shared::cta;";
const std::string kSync = "bar.sync 0;";
const std::string kStore =
    "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%tile], 256;"
    "@%p0 cp.async.bulk.commit_group;";
const std::string kWaitGroup = "@%p0 cp.async.bulk.wait_group.read 0;";
const std::string kLoad = kInit + expect(256) + load();
std::string box(const std::string& x, const std::string& y, const std::string& to = "%tile",
                const std::string& map = "%map") {
  return "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" + to +
         "], [" + map + ", {" + x + ", " + y + "}], [%bar];";
}

struct Wrong {
  const char* what;
  std::string body;
  const char* fault;
  const char* words;  // of the message
};

}  // namespace

TEST_CASE("wrong uses of the TMA unit are named") {
  const std::string ready = kWrite + kFence + kSync;
  const Wrong list[] = {
      {"no wait", kLoad + kRead, "async-early", "still writes"},
      {"read before the wait", kLoad + kRead + wait(0), "async-early", "with the parity of that phase"},
      {"only one thread waits", kLoad + wait(0, "%p0") + kRead, "async-early",
       "has not waited for its barrier"},
      {"write before the wait", kLoad + kWrite + wait(0), "async-early", "writes `tile`"},
      {"wrong parity in the first phase", kLoad + wait(1) + kRead + wait(0), "async-early",
       "0 for the first"},
      {"wrong parity in the second phase",
       kLoad + wait(0) + kRead + kSync + expect(256) + load() + wait(0) + kRead + wait(1), "async-early",
       "still writes"},
      {"a phase too many", kLoad + wait(0) + wait(1), "deadlock", "its parity is 0"},
      {"too much expected", kInit + expect(512) + load() + wait(0), "deadlock",
       "512 bytes were expected and 256 were copied"},
      {"too little expected", kInit + expect(128) + load() + wait(0), "deadlock",
       "128 bytes were expected and 256 were copied"},
      {"nothing expected",
       kInit + "@%p0 mbarrier.arrive.shared::cta.b64 _, [%bar];" + load() + wait(0) + wait(1), "deadlock",
       "whose phase never ends"},
      {"no arrival", kInit + load() + wait(0), "deadlock", "1 of 1 arrivals are missing"},
      {"initialised for two",
       "@%p0 mbarrier.init.shared::cta.b64 [%bar], 2; @%p0 fence.mbarrier_init.release.cluster;" + kSync +
           expect(256) + load() + wait(0),
       "deadlock", "1 of 2 arrivals are missing"},
      {"never initialised", expect(256) + load() + wait(0), "barrier-divergence",
       "no thread has initialised"},
      {"initialised without a fence",
       "@%p0 mbarrier.init.shared::cta.b64 [%bar], 1;" + kSync + expect(256) + load() + wait(0),
       "proxy-fence", "fence.mbarrier_init"},
      {"no fence before a store", kWrite + kSync + kStore + kWaitGroup, "proxy-fence", "fence.proxy.async"},
      {"the fence before the writes", kFence + kWrite + kSync + kStore + kWaitGroup, "proxy-fence",
       "wrote it at"},
      {"the fence of global memory", kWrite + "fence.proxy.async.global;" + kSync + kStore + kWaitGroup,
       "proxy-fence", "may not see"},
      {"only one thread fences, before the barrier", kWrite + "@%p0 " + kFence + kSync + kStore + kWaitGroup,
       "proxy-fence", "thread (1,0)"},
      {"no barrier before a store", kWrite + kFence + kStore + kWaitGroup, "shared-race",
       "no barrier between"},
      {"overwritten while a store reads", ready + kStore + kSync + kWrite, "async-early", "may still read"},
      {"another thread waits for the group",
       ready + kStore + "@!%p0 cp.async.bulk.wait_group.read 0;" + kSync + kWrite, "async-early",
       "may still read"},
      {"the newest group stays open",
       ready + kStore + "@%p0 cp.async.bulk.wait_group.read 1;" + kSync + kWrite, "async-early",
       "wait_group.read 0"},
      {"no barrier behind the wait for the group", ready + kStore + kWaitGroup + kWrite, "async-early",
       "may still read"},
      {"a load into what a store reads", ready + kInit + kStore + expect(256) + load() + wait(0),
       "async-early", "may still read it"},
      {"two loads to one place", kInit + expect(512) + load() + load() + wait(0), "async-early",
       "still writes it"},
      {"read, and loaded again with no barrier", kLoad + wait(0) + kRead + expect(256) + load() + wait(1),
       "shared-race", "read it at"},
      {"written, and loaded with no barrier", kInit + kWrite + expect(256) + load() + wait(0), "shared-race",
       "wrote it at"},
      {"the block ends before a load", kLoad, "async-early", "the block ends"},
      {"the block ends before a store", ready + kStore, "async-early", "the block ends"},
      {"a tile 8 bytes off", kInit + expect(256) + load(256, "%tile+8") + wait(0), "misaligned",
       "multiple of 16"},
      {"a source 8 bytes off", kInit + expect(256) + load(256, "%tile", "%in+8") + wait(0), "misaligned",
       "multiple of 16"},
      {"24 bytes", kInit + expect(24) + load(24) + wait(0), "bad-ptx", "multiple of 16"},
      {"a source past its buffer", kInit + expect(256) + load(256, "%tile", "%in+16256") + wait(0),
       "out-of-bounds", "`in`"},
      {"a tile past shared memory", kInit + expect(256) + load(256, "%tile+4096") + wait(0), "out-of-bounds",
       "4 128 bytes"},
      {"a box 64 bytes off", kInit + expect(512) + box("0", "0", "%tile+64") + wait(0), "misaligned",
       "multiple of 128"},
      {"a box that begins inside 16 bytes", kInit + expect(512) + box("1", "0") + wait(0), "misaligned",
       "innermost coordinate"},
      {"a box read before its phase", kInit + expect(512) + box("0", "0") + kRead + wait(0), "async-early",
       "still writes"},
      {"a box whose edge was left out of the bytes", kInit + expect(256) + box("0", "60") + wait(0),
       "deadlock", "256 bytes were expected and 512 were copied"},
      {"a map that is none", kInit + expect(512) + box("0", "0", "%tile", "%in") + wait(0), "out-of-bounds",
       "cuTensorMapEncodeTiled"},
      {"a map 32 bytes off", kInit + expect(512) + box("0", "0", "%tile", "%map+32") + wait(0), "misaligned",
       "alignas(64)"},
      {"a store below 0",
       ready + "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {0, -1}], [%tile];",
       "out-of-bounds", "not begin below 0"},
      {"three coordinates of a matrix",
       kInit + expect(512) +
           "@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile], "
           "[%map, {0, 0, 0}], "
           "[%bar];" +
           wait(0),
       "bad-ptx", "tensor map of 2"},
      {"im2col",
       kInit + "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%tile], "
               "[%map, "
               "{0, 0, 0}], [%bar], {0};",
       "unsupported", "im2col"},
      {"a matrix of half a warp",
       "setp.lt.u32 %p2, %tid, 16; " + kWrite + kSync +
           "@%p2 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%tile];",
       "warp-sync", "All 32"},
      {"a matrix row 8 bytes off",
       kWrite + kSync + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%tile+8];", "misaligned",
       "multiple of 16"},
  };
  for (const Wrong& wrong : list) {
    CAPTURE(wrong.what);
    const Run r = run(wrong.body);
    CHECK_MESSAGE(r.fault() == wrong.fault, r.message());
    CHECK_MESSAGE(r.message().find(wrong.words) != std::string::npos, r.message());
  }
}

TEST_CASE("right uses of the TMA unit have no finding") {
  const std::string consume =
      "add.u32 %r1, %tile, %four; ld.shared.u32 %r2, [%r1]; cvt.u64.u32 %rd1, %four; add.u64 %rd1, "
      "%rd1, %out; st.global.u32 [%rd1], %r2;";
  const std::string list[] = {
      kLoad + wait(0) + consume,
      kLoad + wait(0, "%p0") + kSync + consume,  // one waits, a barrier holds the others
      kInit + expect(512) + box("0", "0") + wait(0) + consume,
      kInit + expect(512) + box("0", "60") + wait(0) + consume,  // the edge counts
      kLoad + wait(0) + kRead + kSync + expect(256) + load() + wait(1) + consume,
      // Load, change, store: the fence of every writer before the barrier, or of the one that copies behind
      // it.
      kLoad + wait(0) + kRead + "add.u32 %r2, %r2, 5; st.shared.u32 [%r1], %r2;" + kFence + kSync + kStore +
          kWaitGroup + kSync + kWrite,
      kLoad + wait(0) + kWrite + kSync + "@%p0 " + kFence + kStore + kWaitGroup,
      // An observed completion orders the reads that follow: the tile goes out again with no fence.
      kLoad + wait(0) + kStore + kWaitGroup,
      // The barrier initialised with the older fence.
      "@%p0 mbarrier.init.shared::cta.b64 [%bar], 1; @%p0 fence.proxy.async;" + kSync + expect(256) + load() +
          wait(0) + consume,
  };
  for (const std::string& body : list) {
    const Run r = run(body);
    CHECK_MESSAGE(r.fault() == "none", r.message(), body);
  }
  CHECK(run(list[0]).out[5] == 6);
  CHECK(run(list[2]).out[17] == 66);  // row 1, column 1
}

// Looking at each ask made a launch that hangs take minutes.
TEST_CASE("an mbarrier that races is looked at once for each warp that polls it") {
  const Run r = run(R"(
  @%p0 mbarrier.init.shared::cta.b64 [%bar], 1;
  mov.u32 %r10, 0;
AGAIN:
  mbarrier.test_wait.parity.shared::cta.b64 %p1, [%bar], 0;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, 1000;
  @%p2 bra AGAIN;)");
  const auto races = [](const Fault& fault) { return fault.kind == FaultKind::SharedRace; };
  const auto race = std::find_if(r.result.faults.begin(), r.result.faults.end(), races);
  REQUIRE_MESSAGE(race != r.result.faults.end(), r.fault(), r.message());
  CHECK(race->count <= 64);
}

TEST_CASE(
    "a pipeline of full and empty barriers is clean, and one that forgets to wait for empty ones is not") {
  // Warp 0 loads 8 tiles into 2 stages, warp 1 adds them up. full: %bar + 8 stage, empty: %bar + 16 + 8
  // stage.
  const auto pipeline = [](const std::string& until_empty) {
    return R"(
  @!%p0 bra READY;
  mbarrier.init.shared::cta.b64 [%bar], 1;
  mbarrier.init.shared::cta.b64 [%bar+8], 1;
  mbarrier.init.shared::cta.b64 [%bar+16], 32;
  mbarrier.init.shared::cta.b64 [%bar+24], 32;
  fence.mbarrier_init.release.cluster;
READY:
  bar.sync 0;
  mov.u32 %r10, 0;
  mov.u32 %r11, 0;
  setp.ge.u32 %p2, %tid, 32;
  @%p2 bra CONSUME;
  @!%p0 bra DONE;
PRODUCE:
  and.b32 %r12, %r10, 1;
  shl.b32 %r13, %r12, 3;
  add.u32 %r13, %r13, %bar;
  shr.u32 %r14, %r10, 1;
  xor.b32 %r14, %r14, 1;
  and.b32 %r14, %r14, 1;
)" + until_empty +
           R"(
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], 128;
  shl.b32 %r15, %r12, 7;
  add.u32 %r15, %r15, %tile;
  mul.wide.u32 %rd1, %r10, 128;
  add.u64 %rd1, %rd1, %in;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r15], [%rd1], 128, [%r13];
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p3, %r10, 8;
  @%p3 bra PRODUCE;
  bra DONE;
CONSUME:
  and.b32 %r12, %r10, 1;
  shl.b32 %r13, %r12, 3;
  add.u32 %r13, %r13, %bar;
  shr.u32 %r14, %r10, 1;
  and.b32 %r14, %r14, 1;
FULL: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r13], %r14; @!%p1 bra FULL;
  shl.b32 %r15, %r12, 7;
  add.u32 %r15, %r15, %tile;
  add.u32 %r15, %r15, %four;
  ld.shared.u32 %r16, [%r15+-128];
  add.u32 %r11, %r11, %r16;
  mbarrier.arrive.shared::cta.b64 _, [%r13+16];
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p3, %r10, 8;
  @%p3 bra CONSUME;
  cvt.u64.u32 %rd2, %four;
  add.u64 %rd2, %rd2, %out;
  st.global.u32 [%rd2], %r11;
DONE:)";
  };
  const Run right =
      run(pipeline("EMPTY: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r13+16], %r14; @!%p1 bra EMPTY;"));
  REQUIRE_MESSAGE(right.fault() == "none", right.message());
  CHECK(right.out[32] == 8 + 32 * 28);
  const Run wrong = run(pipeline(""));
  CHECK(wrong.fault() != "none");
}

TEST_CASE("blocks of a cluster: what is wrong is named, what is right is not") {
  const std::string peer =
      "mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1; mapa.shared::cluster.u32 %r7, %tile, %r6;"
      "add.u32 %r7, %r7, %four;";
  const std::string both = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;";
  const std::string get = "ld.shared::cluster.u32 %r8, [%r7];";
  const Run right = run(kWrite + both + peer + get + both, 32, 2, 4);
  CHECK_MESSAGE(right.fault() == "none", right.message());
  CHECK(right.result.counters[Path::ClusterLoad].requests == 4);
  const Run gone = run(kWrite + both + peer +
                           "setp.eq.u32 %p3, %r5, 1; @%p3 exit; mov.u32 %r9, 0; SPIN: add.u32 %r9, %r9, 1; "
                           "setp.lt.u32 %p4, %r9, 3000; @%p4 bra SPIN;" +
                           get + both,
                       32, 2, 2);
  CHECK_MESSAGE(gone.fault() == "peer-gone", gone.message());
  const Run none = run(kWrite + both + "mapa.shared::cluster.u32 %r7, %tile, 5;" + get + both, 32, 2, 2);
  CHECK_MESSAGE(none.fault() == "peer-gone", none.message());
  CHECK(none.message().find("which has 2 blocks") != std::string::npos);
  CHECK(run("barrier.cluster.wait.acquire.aligned;", 32, 2, 2).fault() == "barrier-divergence");
  CHECK(run("barrier.cluster.arrive.aligned;" + both, 32, 2, 2).fault() == "barrier-divergence");
  CHECK(run(both, 32, 2, 3).fault() == "invalid-launch");
  CHECK(run(both, 32, 9, 9).fault() == "invalid-launch");
  CHECK(run(both, 32).fault() == "none");  // a block is a cluster of its own
  const std::string send = kInit + both + peer + "mapa.shared::cluster.u32 %r9, %bar, %r6;" +
                           "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;"
                           "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7], %tid, [%r9];";
  const Run sent = run(send + wait(0) + kRead + both, 32, 2, 2);
  CHECK_MESSAGE(sent.fault() == "none", sent.message());
  // A thread's store sees the barrier as threads do: no fence for the TMA unit is missed.
  std::string unfenced = send;
  const std::string fence = "@%p0 fence.mbarrier_init.release.cluster;";
  unfenced.erase(unfenced.find(fence), fence.size());
  CHECK(run(unfenced + wait(0) + kRead + both, 32, 2, 2).fault() == "none");
  const Run early = run(send + both + kRead + wait(0) + both, 32, 2, 2);
  CHECK_MESSAGE(early.fault() == "async-early", early.message());
}

TEST_CASE("products of a warpgroup: what is wrong is named, what is right is not") {
  // A and B are the same 2,048 bytes of the tile, without a swizzle.
  const std::string operands =
      ".reg .b32 %d<4>; .reg .b64 %m; mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;"
      "shr.u32 %r5, %tile, 4; cvt.u64.u32 %m, %r5; or.b64 %m, %m, 0x0000001000080000;";
  const std::string product =
      "wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %m, "
      "%m, 1, 1, 1, "
      "0, 0;";
  const std::string commit = "wgmma.commit_group.sync.aligned;",
                    wait_all = "wgmma.wait_group.sync.aligned 0;";
  const std::string fill =
      "shl.b32 %r6, %tid, 4; add.u32 %r6, %tile, %r6; st.shared.v4.u32 [%r6], {0, 0, 0, 0};";
  const std::string unit = kInit + expect(2048) + load(2048);
  const auto with = [&](const std::string& body, std::uint32_t threads = 128) {
    return run(operands + body, threads);
  };
  const Run right = with(fill + kFence + kSync + product + commit + wait_all);
  CHECK_MESSAGE(right.fault() == "none", right.message());
  CHECK(right.result.counters[Path::SharedProductLoad].cost == 18);
  CHECK(with(unit + wait(0) + product + commit + wait_all).fault() == "none");
  CHECK(with(unit + wait(0) + product + commit + wait_all + kSync + expect(2048) + load(2048) + wait(1))
            .fault() == "none");
  // One of the four waits for all, and gives the tile back to the unit: so pipelines do it.
  const Run given_back =
      with(unit + wait(0) + product + commit + wait_all + expect(2048) + load(2048) + wait(1));
  CHECK_MESSAGE(given_back.fault() == "none", given_back.message());
  const Run refilled = with(fill + kFence + kSync + product + commit + wait_all + fill);
  CHECK_MESSAGE(refilled.fault() == "none", refilled.message());
  const Wrong wrong[] = {
      {"no fence of the proxy", fill + kSync + product + commit + wait_all, "proxy-fence",
       "the tensor cores may not see"},
      {"no barrier before", fill + kFence + product + commit + wait_all, "shared-race",
       "with no barrier between"},
      {"the tile before its phase", unit + product + commit + wait_all + wait(0), "async-early",
       "still writes"},
      {"no wait at the end", fill + kFence + kSync + product + commit, "async-early",
       "its results may not be there yet"},
      {"no commit", fill + kFence + kSync + product + wait_all, "async-early",
       "its results may not be there yet"},
      {"threads write again before the wait",
       fill + kFence + kSync + product + commit + kSync + fill + wait_all, "async-early",
       "let its warps wait (wgmma.wait_group)"},
      {"a warp that never comes",
       fill + kFence + kSync + "setp.gt.u32 %p3, %tid, 95; @%p3 exit;" + product + commit + wait_all,
       "warp-sync", "All four warps of a warpgroup must execute it"},
      {"the unit writes again before the wait",
       unit + wait(0) + product + commit + kSync + expect(2048) + load(2048) + wait(1) + wait_all,
       "async-early", "Put wgmma.wait_group behind the product"},
  };
  for (const Wrong& one : wrong) {
    const auto r = with(one.body);
    CHECK_MESSAGE(r.fault() == one.fault, one.what, ": ", r.message());
    CHECK_MESSAGE(r.message().find(one.words) != std::string::npos, one.what, ": ", r.message());
  }
  CHECK(
      with(fill + kFence + kSync + product + commit + wait_all, 96).message().find("fewer than four warps") !=
      std::string::npos);
  CHECK(with(fill + kFence + kSync + "@%p0 " + product.substr(25) + commit + wait_all).fault() ==
        "warp-sync");
}

TEST_CASE("tensormap.replace changes what copies read, and what no map holds is named") {
  const std::string read =
      kFence + "bar.sync 0;" + expect(16 * 8 * 4) + box("0", "0") + wait(0) + kRead +
      "mul.wide.u32 %rd1, %four, 1; add.u64 %rd1, %out, %rd1; st.global.u32 [%rd1], %r2;";
  // Each lane reads word %tid of the tile, of rows of 16 words.
  const auto first = [&](const std::string& change) { return run(kInit + change + read); };
  const Run plain = first("");
  REQUIRE_MESSAGE(plain.fault() == "none", plain.message());
  CHECK(plain.out[17] == 64 + 1 + 1);
  const Run moved = first(
      "add.u64 %rd2, %in, 1024; @%p0 tensormap.replace.tile.global_address.global.b1024.b64 [%map], %rd2;");
  REQUIRE_MESSAGE(moved.fault() == "none", moved.message());
  CHECK(moved.out[17] == plain.out[17] + 256);
  const Run strided =
      first("mov.u64 %rd2, 512; @%p0 tensormap.replace.tile.global_stride.global.b1024.b64 [%map], 0, %rd2;");
  CHECK(strided.out[17] == 2 * 64 + 1 + 1);
  const Run cut = first("@%p0 tensormap.replace.tile.global_dim.global.b1024.b32 [%map], 1, 1;");
  CHECK(cut.out[15] == 16);
  CHECK(cut.out[17] == 0);
  // In shared memory, and back as a whole.
  std::string through = "@%p0 bra MINE; bra AFTER; MINE: ";
  for (int k = 0; k < 128; k += 8)
    through += "ld.global.u64 %rd3, [%map+" + std::to_string(k) + "]; st.shared.u64 [%tile+" +
               std::to_string(k) + "], %rd3; ";
  through +=
      "add.u64 %rd2, %in, 1024; tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%tile], %rd2; "
      "AFTER: bar.sync 0; "
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%map], "
      "[%tile], 128; bar.sync 0;";
  const Run copied = first(through);
  REQUIRE_MESSAGE(copied.fault() == "none", copied.message());
  CHECK(copied.out[17] == plain.out[17] + 256);
  CHECK(first("@%p0 tensormap.replace.tile.rank.global.b1024.b32 [%in], 1;")
            .message()
            .find("where none lies") != std::string::npos);
  CHECK(first("@%p0 tensormap.replace.tile.box_dim.global.b1024.b32 [%map], 5, 1;").fault() == "bad-ptx");
}
