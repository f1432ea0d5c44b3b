// What is said of 32 addresses at once: drawn loads whose rows of 16 threads stand side by side, in one
// place, apart, or cut by a mask. Their values, the ramps and what counters take from them agree with the
// addresses.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/access_analysis.h"
#include "tests/drawn/draws.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

// Costs of each access by itself, from its addresses.
class FromAddresses : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override { return std::make_unique<FromAddresses>(); }
  void merge(const Observer& other) override {
    const auto& from = dynamic_cast<const FromAddresses&>(other);
    sectors += from.sectors;
    wavefronts += from.wavefronts;
    halves += from.halves;
    wrong += from.wrong;
  }
  void access(std::uint32_t /*slot*/, const Access& access) override {
    const int first = std::countr_zero(access.mask);
    if (access.path == Path::GlobalLoad)
      sectors += global_cost(access.address, access.width_bytes, access.mask).sectors;
    if (access.path == Path::SharedLoad)
      wavefronts += shared_cost(access.address, access.width_bytes, access.mask, true).wavefronts;
    halves += access.halves ? 1 : 0;
    for (int k = first; access.known() && k < kWarpLanes; ++k) {
      const bool acts = (access.mask >> k & 1u) != 0;
      if (acts && lane_address(access, access.address[first], first, k) != access.address[k]) ++wrong;
    }
  }
  std::uint64_t sectors = 0, wavefronts = 0, halves = 0, wrong = 0;
};

struct Load {
  // Elements: in a row of 16, to the next row, more of that for each warp, to the next warp; the first.
  std::uint32_t along, across, more, per_warp, start;
  std::uint32_t
      shift;  // of the place in the row: 1, two lanes share a place, and what a mask leaves has gaps
  std::uint32_t elements, mask;  // of a vector, or 0: one byte; lanes that act, by their number
  bool shared;
  [[nodiscard]] std::uint32_t bytes() const { return elements == 0 ? 1 : 4; }
  [[nodiscard]] std::uint32_t index(std::uint32_t thread) const {
    const std::uint32_t all = ((thread & 15) >> shift) * along +
                              (thread >> 4 & 1) * (across + (thread >> 5) * more) + (thread >> 5) * per_warp +
                              start;
    return (all & (1024 / (elements == 0 ? 1 : elements) - 1)) * (elements == 0 ? 1 : elements);
  }
  [[nodiscard]] bool acts(std::uint32_t thread) const { return (thread & mask) == 0; }
};

Load drawn(lab::drawn::Draws& draw) {
  const auto one_of = [&](const std::vector<std::uint32_t>& list) { return draw.among(list); };
  return {one_of({0, 1, 1, 2, 3, 17, 1023}),
          one_of({0, 1, 8, 16, 17, 64, 65, 1008}),
          one_of({0, 0, 1, 3}),
          one_of({0, 1, 16, 32, 33}),
          static_cast<std::uint32_t>(draw.below(1024)),
          one_of({0, 0, 1}),
          one_of({0, 1, 1, 2, 4}),
          one_of({0, 0, 0, 1, 16, 5}),
          draw.one_in(2)};
}

std::string number(std::uint32_t n) { return std::to_string(n); }

// Sums what each thread loads.
std::string body(const Load& load) {
  std::string text = R"(
  mov.u32 %r20, tile;
  mul.lo.s32 %r1, %tid, 4;
  cvt.u64.u32 %rd1, %r1;
  add.s64 %rd2, %base_in, %rd1;
)";
  for (const char* part : {"0", "1024", "2048", "3072"}) {
    text += std::string("  ld.global.u32 %r2, [%rd2+") + part + "];\n  add.s32 %r3, %r20, %r1;\n" +
            "  st.shared.u32 [%r3+" + part + "], %r2;\n";
  }
  text +=
      "  bar.sync 0;\n  mov.u32 %r9, 0;\n  and.b32 %r4, %tid, 15;\n  shr.u32 %r4, %r4, " +
      number(load.shift) + ";\n  mul.lo.s32 %r5, %r4, " + number(load.along) +
      ";\n  shr.u32 %r4, %tid, 4;\n  and.b32 %r4, %r4, 1;\n  shr.u32 %r7, %tid, 5;\n  mad.lo.s32 %r7, %r7, " +
      number(load.more) + ", " + number(load.across) +
      ";\n  mad.lo.s32 %r5, %r4, %r7, %r5;\n  shr.u32 %r4, %tid, 5;\n  mad.lo.s32 %r5, %r4, " +
      number(load.per_warp) + ", %r5;\n  add.s32 %r5, %r5, " + number(load.start) +
      ";\n  and.b32 %r5, %r5, " + number(1024 / std::max(1u, load.elements) - 1) +
      ";\n  mul.lo.s32 %r5, %r5, " + number(load.bytes() * std::max(1u, load.elements)) +
      ";\n  and.b32 %r4, %tid, " + number(load.mask) + ";\n  setp.ne.u32 %p1, %r4, 0;\n  @%p1 bra END;\n" +
      (load.shared ? "  add.s32 %r6, %r20, %r5;\n"
                   : "  cvt.u64.u32 %rd3, %r5;\n  add.s64 %rd4, %base_in, %rd3;\n");
  const std::string at = load.shared ? "[%r6];\n" : "[%rd4];\n", space = load.shared ? "shared" : "global";
  if (load.elements == 0) text += "  ld." + space + ".u8 %r10, " + at;
  if (load.elements == 1) text += "  ld." + space + ".u32 %r10, " + at;
  if (load.elements == 2) text += "  ld." + space + ".v2.u32 {%r10, %r11}, " + at;
  if (load.elements == 4) text += "  ld." + space + ".v4.u32 {%r10, %r11, %r12, %r13}, " + at;
  for (std::uint32_t e = 0; e < std::max(1u, load.elements); ++e)
    text += "  add.s32 %r9, %r9, %r1" + number(e) + ";\n";
  return text + "END:\n  st.global.u32 [%o], %r9;\n";
}

}  // namespace

TEST_CASE("ramps of lanes say what the addresses say") {
  lab::drawn::Draws draw(lab::drawn::seed_of_run("lane ramps"));
  std::uint64_t halves = 0;
  const std::size_t rounds = lab::drawn::draws_of_run(400);
  for (std::size_t round = 0; round < rounds; ++round) {
    const Load load = drawn(draw);
    PtxKernel kernel;
    kernel.block = {256, 1, 1};
    kernel.grid = {2, 1, 1};
    kernel.out_words = 512;
    for (std::uint32_t k = 0; k < 1024; ++k) kernel.in.push_back(k * 2654435761u);
    FromAddresses seen;
    kernel.options.observers.push_back(&seen);
    kernel.options.host_threads = 1;
    kernel.body = body(load);
    const PtxRun run = run_ptx(kernel);
    INFO(kernel.body);
    REQUIRE(run.fault() == "none");
    CHECK(seen.wrong == 0);
    CHECK(run.result.counters[Path::GlobalLoad].cost == seen.sectors);
    CHECK(run.result.counters[Path::SharedLoad].cost == seen.wavefronts);
    halves += seen.halves;
    for (std::uint32_t k = 0; k < 512; ++k) {
      const std::uint32_t thread = k % 256, at = load.index(thread);
      std::uint32_t sum = 0;
      for (std::uint32_t e = 0; load.acts(thread) && e < std::max(1u, load.elements); ++e)
        sum += load.elements == 0 ? kernel.in[at / 4] >> at % 4 * 8 & 0xffu : kernel.in[at + e];
      CHECK(run.out[k] == sum);
    }
  }
  CHECK(halves > 100);
}
