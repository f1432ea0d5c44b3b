// What the simulator does not do again: values that follow from a thread's place, accesses in a window, shared
// memory as the block before had it. Random kernels leave, count and are told the same without all that.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

std::string all_of(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& f : faults)
    text += std::string(code(f.kind)) + " block " + std::to_string(f.block_index) + " x" + std::to_string(f.count) +
            ": " + f.message + "\n";
  return text;
}

std::string counted(const Counters& counters) {
  std::ostringstream text;
  const auto add = [&](const auto& c) { text << c.requests << " " << c.active_lanes << " " << c.bytes << "; "; };
  add(counters.global_load);
  add(counters.global_store);
  add(counters.parameter_load);
  add(counters.shared_load);
  add(counters.shared_store);
  text << counters.global_load.sectors << " " << counters.global_store.sectors << " "
       << counters.shared_load.wavefronts << " " << counters.shared_store.wavefronts;
  return text.str();
}

// Returns the code of its first fault, or "none".
std::string same_without(PtxKernel kernel) {
  const PtxRun with = run_ptx(kernel);
  kernel.shortcuts = Shortcuts::Off;
  const PtxRun without = run_ptx(kernel);
  INFO(kernel.body);
  CHECK(all_of(with.result.faults) == all_of(without.result.faults));
  CHECK(all_of(with.result.notes) == all_of(without.result.notes));
  CHECK(counted(with.result.counters) == counted(without.result.counters));
  CHECK(with.result.warp_instructions == without.result.warp_instructions);
  CHECK(with.result.lane_instructions == without.result.lane_instructions);
  CHECK(with.result.work == without.result.work);
  CHECK(with.out == without.out);
  return with.fault();
}

// Straight and branching arithmetic on places, sizes, constants and parameters; some of it depends on memory.
class Arithmetic {
 public:
  explicit Arithmetic(std::uint32_t seed) : random_(seed) {}

  std::string body(int steps) {
    for (int k = 0; k < steps; ++k) step(k);
    for (int r = 1; r < 30; ++r) store("%r" + std::to_string(r), r);
    for (int r = 1; r < 20; ++r) {
      text_ += "  cvt.u32.u64 %r39, %rd" + std::to_string(r) + ";\n";
      store("%r39", 30 + r);
      text_ += "  shr.u64 %rd39, %rd" + std::to_string(r) + ", 32;\n  cvt.u32.u64 %r39, %rd39;\n";
      store("%r39", 50 + r);
    }
    for (int p = 1; p < 12; ++p) {
      text_ += "  selp.u32 %r39, 1, 0, %p" + std::to_string(p) + ";\n";
      store("%r39", 70 + p);
    }
    return std::move(text_);
  }
  static constexpr std::uint32_t kWords = 82;

 private:
  std::uint32_t below(std::uint32_t n) { return random_() % n; }
  std::string one_of(const std::vector<std::string>& list) {
    return list[below(static_cast<std::uint32_t>(list.size()))];
  }
  // Registers that are written already; the first ones are, and others may be twice.
  std::string narrow() {
    static const std::vector<std::string> kFixed = {"%tid",      "%t",   "%bid", "%ntid.x", "%nctaid.x", "%laneid",
                                                    "%tid.y",    "3",    "0",    "-1",      "2147483647",
                                                    "-2147483648", "65537"};
    return narrow_ == 0 || below(3) == 0 ? one_of(kFixed) : "%r" + std::to_string(1 + below(narrow_));
  }
  std::string wide() { return wide_ == 0 ? "%off" : "%rd" + std::to_string(1 + below(wide_)); }
  std::string predicate() { return "%p" + std::to_string(1 + below(predicates_)); }
  std::string to_narrow() {
    if (narrow_ < 29 && below(8) != 0) return "%r" + std::to_string(++narrow_);
    return narrow_ == 0 ? "%r" + std::to_string(++narrow_) : "%r" + std::to_string(1 + below(narrow_));
  }
  std::string to_wide() {
    if (wide_ < 19) return "%rd" + std::to_string(++wide_);
    return "%rd" + std::to_string(1 + below(wide_));
  }
  void line(const std::string& text) { text_ += "  " + text + ";\n"; }

  void step(int number) {
    const std::string a = narrow(), b = narrow(), c = narrow();
    switch (below(14)) {
      case 0: {
        const std::string to = to_narrow();
        return line(one_of({"add.s32 ", "sub.s32 ", "mul.lo.s32 ", "min.s32 ", "max.u32 ", "and.b32 ", "or.b32 ",
                            "xor.b32 "}) + to + ", " + a + ", " + b);
      }
      case 1:
        return line(one_of({"mad.lo.s32 ", "mad.lo.u32 "}) + to_narrow() + ", " + a + ", " + b + ", " + c);
      case 2:
        return line(one_of({"shl.b32 ", "shr.u32 ", "shr.s32 "}) + to_narrow() + ", " + a + ", " +
                    one_of({"1", "5", "31", "40", b}));
      case 3:
        return line(one_of({"mul.wide.s32 ", "mul.wide.u32 "}) + to_wide() + ", " + a + ", " + b);
      case 4:
        return line(one_of({"cvt.s64.s32 ", "cvt.u64.u32 "}) + to_wide() + ", " + one_of({"%tid", "%t", "%r1"}));
      case 5: {
        const std::string x = wide(), y = wide();
        return line(one_of({"add.s64 ", "sub.s64 ", "mul.lo.s64 ", "xor.b64 "}) + to_wide() + ", " + x + ", " + y);
      }
      case 6: {
        const std::string x = wide();
        return line(one_of({"mad.wide.s32 ", "mad.wide.u32 "}) + to_wide() + ", " + a + ", " + b + ", " + x);
      }
      case 7: {
        const std::string x = wide();
        return line("shl.b64 " + to_wide() + ", " + x + ", " + one_of({"2", "33", "70"}));
      }
      case 8: {
        const std::string x = wide();
        return line("cvt.u32.u64 " + to_narrow() + ", " + x);
      }
      case 9:
        if (predicates_ < 11) ++predicates_;
        return line("setp." + one_of({"lt", "le", "gt", "ge", "eq", "ne"}) + one_of({".s32 ", ".u32 "}) + "%p" +
                    std::to_string(predicates_) + ", " + a + ", " + b);
      case 10: {
        if (predicates_ == 0) return;
        const std::string p = predicate(), q = predicate();
        if (predicates_ < 11) ++predicates_;
        return line(one_of({"and.pred ", "or.pred ", "xor.pred "}) + "%p" + std::to_string(predicates_) + ", " + p +
                    ", " + q);
      }
      case 11:
        if (predicates_ == 0) return;
        return line("selp.b32 " + to_narrow() + ", " + a + ", " + b + ", " + predicate());
      case 12: {
        if (predicates_ == 0) return;
        const std::string label = "S" + std::to_string(number);
        line("@" + predicate() + " bra " + label);
        line("add.s32 %r30, " + a + ", " + b);
        line("st.global.u32 [%o], %r30");
        text_ += label + ":\n";
        return;
      }
      default:
        line("ld.global.u32 " + to_narrow() + ", [%i]");
    }
  }
  void store(const std::string& value, int place) {
    line("mad.lo.u32 %r38, %t, " + std::to_string(kWords) + ", " + std::to_string(place));
    line("mul.wide.u32 %rd38, %r38, 4");
    line("add.s64 %rd38, %base_out, %rd38");
    line("st.global.u32 [%rd38], " + value);
  }

  std::mt19937 random_;
  std::string text_;
  std::uint32_t narrow_ = 0, wide_ = 0, predicates_ = 0;
};

// Blocks that do the same in shared memory, but for some.
std::string shared_script(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::string text = "  mov.u32 %r2, tile;\n  shl.b32 %r3, %tid, 2;\n  add.s32 %r3, %r3, %r2;\n"
                     "  xor.b32 %r4, %tid, 5;\n  shl.b32 %r4, %r4, 2;\n  add.s32 %r4, %r4, %r2;\n  mov.u32 %r9, 0;\n";
  const std::uint32_t steps = 3 + below(10);
  for (std::uint32_t k = 0; k < steps; ++k) {
    const std::string label = "S" + std::to_string(k);
    const bool apart = below(4) == 0;  // one block or one warp does it
    if (apart) {
      text += below(2) == 0 ? "  setp.ne.u32 %p1, %bid, " + std::to_string(below(6)) + ";\n"
                            : "  setp.lt.u32 %p1, %tid, " + std::to_string(32 * below(3)) + ";\n";
      text += "  @%p1 bra " + label + ";\n";
    }
    const std::string offset = std::to_string(4 * below(3) * (below(2) == 0 ? 1 : 64));
    const std::string at = std::string(below(3) == 0 ? "%r4" : "%r3") + "+" + offset;
    switch (below(apart ? 4 : 6)) {
      case 0:
      case 1:
        text += "  st.shared.u32 [" + at + "], " + (below(3) == 0 ? "7" : "%tid") + ";\n";
        break;
      case 2:
      case 3:
        text += "  ld.shared.u32 %r8, [" + at + "];\n  add.s32 %r9, %r9, %r8;\n";
        break;
      case 4:
        text += "  bar.sync 0;\n";
        break;
      default:
        text += below(2) == 0 ? "  bar.warp.sync -1;\n" : "  bar.sync 0;\n";
    }
    text += label + ":\n";
  }
  return text + "  st.global.u32 [%o], %r9;\n";
}

}  // namespace

TEST_SUITE("shortcuts") {
  TEST_CASE("values of a thread's place are the same, computed once or by each warp") {
    const Dim3 blocks[] = {{64, 1, 1}, {16, 6, 1}, {33, 2, 1}, {5, 1, 1}};
    for (std::uint32_t seed = 0; seed < 240; ++seed) {
      PtxKernel kernel;
      kernel.block = blocks[seed % 4];
      kernel.grid = {3, 1, 1};
      kernel.body = Arithmetic(seed).body(seed % 3 == 0 ? 160 : 40);
      kernel.out_words = kernel.block.count() * 3 * Arithmetic::kWords;
      for (std::uint32_t k = 0; k < kernel.block.count() * 3; ++k) kernel.in.push_back(k * 2654435761u);
      kernel.options.check_races = false;  // stores of several blocks to one word
      kernel.options.check_uninitialised = seed % 2 == 0;
      CHECK(same_without(kernel) == "none");
    }
  }

  TEST_CASE("shared memory is judged the same, whether blocks repeat one another or not") {
    int faulty = 0;
    for (std::uint32_t seed = 0; seed < 1200; ++seed) {
      PtxKernel kernel;
      kernel.block = {64, 1, 1};
      kernel.grid = {9, 1, 1};
      kernel.body = shared_script(seed);
      kernel.out_words = 9 * 64;
      kernel.options.checks_stop = seed % 2 == 0;
      kernel.options.host_threads = seed % 3 == 0 ? 3 : 1;
      faulty += same_without(kernel) == "none" ? 0 : 1;
    }
    CHECK(faulty > 300);
    CHECK(faulty < 1100);
  }

  TEST_CASE("a race of one block is told, though all before it repeated one another") {
    PtxKernel kernel;
    kernel.block = {64, 1, 1};
    kernel.grid = {9, 1, 1};
    kernel.out_words = 9 * 64;
    kernel.body = R"(
  mov.u32 %r2, tile;
  shl.b32 %r3, %tid, 2;
  add.s32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %tid;
  bar.sync 0;
  st.shared.u32 [%r3+1024], %tid;
  setp.ne.u32 %p1, %bid, 7;
  @%p1 bra ELSE;
  ld.shared.u32 %r4, [tile+1152];
ELSE:
  st.global.u32 [%o], %tid;)";
    CHECK(same_without(kernel) == "shared-race");
    CHECK(run_ptx(kernel).result.faults.at(0).block_index == 7);
  }
}
