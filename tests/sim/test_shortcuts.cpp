// What the simulator does not do again: values that follow from a thread's place, accesses in a window,
// shared memory as the block before had it. Random kernels leave, count and report the same without all
// that.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
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
    text += std::string(code(f.kind)) + " block " + std::to_string(f.block_index) + " x" +
            std::to_string(f.count) + ": " + f.sentence().english() + "\n";
  return text;
}

std::string counted(const Counters& counters) {
  std::ostringstream text;
  const auto add = [&](const auto& c) {
    text << c.requests << " " << c.active_lanes << " " << c.bytes << "; ";
  };
  add(counters[Path::GlobalLoad]);
  add(counters[Path::GlobalStore]);
  add(counters[Path::ParameterLoad]);
  add(counters[Path::SharedLoad]);
  add(counters[Path::SharedStore]);
  text << counters[Path::GlobalLoad].cost << " " << counters[Path::GlobalStore].cost << " "
       << counters[Path::SharedLoad].cost << " " << counters[Path::SharedStore].cost;
  return text.str();
}

// Returns the code of its first fault, or "none".
std::string same_without(PtxKernel kernel, const std::string& module = "") {
  const auto run = [&] { return module.empty() ? run_ptx(kernel) : run_module(module, kernel); };
  const PtxRun with = run();
  kernel.shortcuts = Shortcuts::Off;
  const PtxRun without = run();
  INFO(kernel.body << module);
  CHECK(all_of(with.result.faults) == all_of(without.result.faults));
  CHECK(all_of(with.result.findings) == all_of(without.result.findings));
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
  // Every `rewrites`th result goes to a register that holds one already.
  Arithmetic(std::uint32_t seed, std::uint32_t rewrites) : random_(seed), rewrites_(rewrites) {}

  std::string module(int steps) {
    for (int k = 0; k < steps; ++k) step(k);
    narrow_parameters();
    const std::string computed = std::move(text_);
    text_.clear();
    for (std::uint32_t r = 1; r <= narrow_; ++r) store("%r" + std::to_string(r));
    for (std::uint32_t r = 1; r <= wide_; ++r) {
      line("cvt.u32.u64 %low, %rd" + std::to_string(r));
      store("%low");
      line("shr.u64 %at, %rd" + std::to_string(r) + ", 32");
      line("cvt.u32.u64 %low, %at");
      store("%low");
    }
    for (std::uint32_t p = 1; p <= predicates_; ++p) {
      line("selp.u32 %low, 1, 0, %p" + std::to_string(p));
      store("%low");
    }
    const std::string registers = std::to_string(steps + 2);
    return ".version 8.0\n.target sm_90\n.address_size 64\n"
           ".visible .entry test(.param .u64 p_out, .param .u64 p_in, .param .u32 p_n)\n{\n"
           "  .reg .pred %p<" +
           registers + ">;\n  .reg .b32 %r<" + registers +
           ">, %tid, %t, %n, %low, %place, %part<4>, %of<7>;\n  .reg .b16 %half<4>;\n  .reg .b64 %wide, "
           "%rd<" +
           registers +
           ">, %at, %out, %in, %i, %off;\n"
           "  ld.param.u64 %out, [p_out];\n  ld.param.u64 %in, [p_in];\n  ld.param.u32 %n, [p_n];\n"
           "  mov.u32 %tid, %tid.x;\n  mov.u32 %of0, %ctaid.x;\n  mov.u32 %of5, %ctaid.y;\n"
           "  mov.u32 %of6, %ctaid.z;\n  mov.u32 %low, %nctaid.y;\n  mad.lo.s32 %t, %of6, %low, %of5;\n"
           "  mov.u32 %low, %nctaid.x;\n  mad.lo.s32 %t, %t, %low, %of0;\n  mov.u32 %low, %ntid.y;\n"
           "  mov.u32 %place, %tid.y;\n  mad.lo.s32 %t, %t, %low, %place;\n  mov.u32 %low, %ntid.x;\n"
           "  mov.u32 %of1, %ntid.x;\n  mov.u32 %of2, %nctaid.x;\n"
           "  mov.u32 %of3, %laneid;\n  mov.u32 %of4, %tid.y;\n"
           "  mad.lo.s32 %t, %t, %low, %tid;\n  mul.wide.u32 %off, %t, 4;\n  add.s64 %i, %in, %off;\n" +
           computed + text_ + "  ret;\n}\n";
  }
  // That each thread stores.
  [[nodiscard]] std::uint32_t words() const { return stored_; }

 private:
  std::uint32_t below(std::uint32_t n) { return random_() % n; }
  std::string one_of(const std::vector<std::string>& list) {
    return list[below(static_cast<std::uint32_t>(list.size()))];
  }
  // Registers that are written already.
  std::string narrow() {
    static const std::vector<std::string> kFixed = {
        "%tid", "%t",   "%n", "%of0", "%of1", "%of2",       "%of3",        "%of4",
        "%of5", "%of6", "3",  "0",    "-1",   "2147483647", "-2147483648", "65537"};
    return narrow_ == 0 || below(3) == 0 ? one_of(kFixed) : "%r" + std::to_string(1 + below(narrow_));
  }
  std::string register_of_32() { return narrow_ == 0 ? "%tid" : "%r" + std::to_string(1 + below(narrow_)); }
  std::string wide() { return wide_ == 0 ? "%off" : "%rd" + std::to_string(1 + below(wide_)); }
  std::string predicate() { return "%p" + std::to_string(1 + below(predicates_)); }
  std::string to_narrow() {
    const bool again = narrow_ != 0 && below(rewrites_) == 0;
    return "%r" + std::to_string(again ? 1 + below(narrow_) : ++narrow_);
  }
  std::string to_wide() {
    const bool again = wide_ != 0 && below(rewrites_) == 0;
    return "%rd" + std::to_string(again ? 1 + below(wide_) : ++wide_);
  }
  void line(const std::string& text) { text_ += "  " + text + ";\n"; }

  void step(int number) {
    const std::string a = narrow(), b = narrow(), c = narrow(), r = register_of_32(), x = wide(), y = wide();
    switch (below(14)) {
      case 0:
        return line(one_of({"add.s32 ", "sub.s32 ", "mul.lo.s32 ", "min.s32 ", "max.u32 ", "and.b32 ",
                            "or.b32 ", "xor.b32 "}) +
                    to_narrow() + ", " + a + ", " + b);
      case 1:
        return line(one_of({"mad.lo.s32 ", "mad.lo.u32 "}) + to_narrow() + ", " + a + ", " + b + ", " + c);
      case 2:
        return line(one_of({"shl.b32 ", "shr.u32 ", "shr.s32 "}) + to_narrow() + ", " + a + ", " +
                    one_of({"1", "5", "31", "40", b}));
      case 3:
        return line(one_of({"mul.wide.s32 ", "mul.wide.u32 "}) + to_wide() + ", " + a + ", " + b);
      case 4:
        return line(one_of({"cvt.s64.s32 ", "cvt.u64.u32 "}) + to_wide() + ", " + r);
      case 5:
        return line(one_of({"add.s64 ", "sub.s64 ", "mul.lo.s64 ", "xor.b64 "}) + to_wide() + ", " + x +
                    ", " + y);
      case 6:
        return line(one_of({"mad.wide.s32 ", "mad.wide.u32 "}) + to_wide() + ", " + a + ", " + b + ", " + x);
      case 7:
        return line("shl.b64 " + to_wide() + ", " + x + ", " + one_of({"2", "33", "70"}));
      case 8:
        return line("cvt.u32.u64 " + to_narrow() + ", " + x);
      case 9:
        return line("setp." + one_of({"lt", "le", "gt", "ge", "eq", "ne"}) + one_of({".s32 ", ".u32 "}) +
                    "%p" + std::to_string(++predicates_) + ", " + a + ", " + b);
      case 10: {
        if (predicates_ == 0) return;
        const std::string p = predicate(), q = predicate();
        return line(one_of({"and.pred ", "or.pred ", "xor.pred "}) + "%p" + std::to_string(++predicates_) +
                    ", " + p + ", " + q);
      }
      case 11:
        if (predicates_ == 0) return;
        return line("selp.b32 " + to_narrow() + ", " + a + ", " + b + ", " + predicate());
      case 12: {
        if (predicates_ == 0) return;
        const std::string label = "S" + std::to_string(number);
        line("@" + predicate() + " bra " + label);
        line("add.s32 %low, " + a + ", " + b);
        store("%low");
        text_ += label + ":\n";
        return;
      }
      default:
        if (rewrites_ > 100 && below(4) != 0) return;
        line("ld.global.u32 " + to_narrow() + ", [%i]");
    }
  }
  // Parts of a parameter, as the registers extend them.
  void narrow_parameters() {
    int k = 0;
    for (const std::string type : {"u8", "s8", "u16", "s16"}) {
      const std::string half = "%half" + std::to_string(k), part = "%part" + std::to_string(k++);
      line("ld.param." + type + " " + half + ", [p_in+2]");
      line("cvt.s32.s16 %low, " + half);
      store("%low");
      line("ld.param." + type + " " + part + ", [p_in+2]");
      store(part);
    }
    line("ld.param.s32 %wide, [p_in]");
    line("shr.u64 %at, %wide, 30");
    line("cvt.u32.u64 %low, %at");
    store("%low");
  }
  // Word after word, a column of all threads each.
  void store(const std::string& value) {
    line("mad.lo.u32 %place, %n, " + std::to_string(stored_++) + ", %t");
    line("mul.wide.u32 %at, %place, 4");
    line("add.s64 %at, %out, %at");
    line("st.global.u32 [%at], " + value);
  }

  std::mt19937 random_;
  const std::uint32_t rewrites_;
  std::string text_;
  std::uint32_t narrow_ = 0, wide_ = 0, predicates_ = 0, stored_ = 0;
};

// Blocks that do the same in shared memory, but for some. Some go round it, one block in ten more often.
std::string shared_script(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::string text =
      "  mov.u32 %r2, tile;\n  shl.b32 %r3, %tid, 2;\n  add.s32 %r3, %r3, %r2;\n"
      "  xor.b32 %r4, %tid, 5;\n  shl.b32 %r4, %r4, 2;\n  add.s32 %r4, %r4, %r2;\n  mov.u32 %r9, 0;\n";
  const std::uint32_t steps = 3 + below(10), rounds = seed % 3;
  text += "  mov.u32 %r10, " + std::to_string(rounds) + ";\n  setp.eq.u32 %p1, %bid, " +
          std::to_string(below(20)) + ";\n  @%p1 add.u32 %r10, %r10, 1;\nROUND:\n";
  for (std::uint32_t k = 0; k < steps; ++k) {
    const std::string label = "S" + std::to_string(k);
    const bool apart = below(4) == 0;  // one block or one warp does it
    if (apart) {
      text += below(2) == 0 ? "  setp.ne.u32 %p1, %bid, " + std::to_string(below(6)) + ";\n"
                            : "  setp.lt.u32 %p1, %tid, " + std::to_string(32 * below(3)) + ";\n";
      text += "  @%p1 bra " + label + ";\n";
    }
    const std::string offset = std::to_string(below(2) == 0 ? 4 * below(3) : 128 * below(4));
    const std::string at = std::string(below(3) == 0 ? "%r4" : "%r3") + "+" + offset;
    switch (below(apart ? 4 : 6)) {
      case 0:
      case 1:
        text += "  st.shared.u32 [" + at + "], " + (below(2) == 0 ? "7" : "%tid") + ";\n";
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
  return text + (rounds == 0 ? "" : "  bar.sync 0;\n") +
         "  sub.u32 %r10, %r10, 1;\n  setp.gt.s32 %p1, %r10, 0;\n  @%p1 bra ROUND;\n"
         "  st.global.u32 [%o], %r9;\n";
}

// Warps, and mostly those of one block, at places of global memory: rows of neighbours, mirrored ones, single words.
std::string global_script(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::string text =
      "  mul.lo.u32 %r1, %bid, " + std::to_string(below(4) == 0 ? 64 : 512) +
      ";\n  mul.wide.u32 %rd1, %r1, 4;\n  add.s64 %rd1, %base_out, %rd1;\n  mov.u32 %r9, 0;\n"
      "  and.b32 %r2, %tid, 31;\n  xor.b32 %r3, %tid, 5;\n  shl.b32 %r4, %tid, 1;\n  shr.u32 %r5, %tid, 5;\n"
      "  and.b32 %r6, %tid, 15;\n  shr.u32 %r7, %tid, 4;\n  mad.lo.u32 %r7, %r7, " +
      std::to_string(8 + 15 * below(3)) + ", %r6;\n";
  const std::uint32_t steps = 4 + below(10);
  for (std::uint32_t k = 0; k < steps; ++k) {
    const std::string label = "S" + std::to_string(k);
    const bool apart = below(5) == 0;  // one warp does it, or a part of each
    if (apart)
      text += (below(2) == 0 ? "  setp.lt.u32 %p1, %tid, " : "  setp.lt.u32 %p1, %r2, ") +
              std::to_string(8 + 24 * below(3)) + ";\n  @%p1 bra " + label + ";\n";
    const char* const places[] = {"%tid", "%tid", "%r2", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7"};
    text += std::string("  mul.wide.u32 %rd2, ") + places[below(9)] + ", 4;\n  add.s64 %rd2, %rd1, %rd2;\n";
    const std::string at = "[%rd2+" + std::to_string(4 * below(3) + 256 * below(2)) + "]";
    switch (below(apart ? 6 : 9)) {
      case 0:
        text += "  st.global.u32 " + at + ", " + (below(2) == 0 ? "7" : "%tid") + ";\n";
        break;
      case 1:
        text += "  ld.shared.u32 %r8, [tile];\n  st.global.u32 " + at + ", %r8;\n";
        break;
      case 2:
        text += "  atom.global.add.u32 %r8, " + at + ", 1;\n";
        break;
      case 3:
      case 4:
      case 5:
        text += "  ld.global.u32 %r8, " + at + ";\n  add.s32 %r9, %r9, %r8;\n";
        break;
      case 6:
        text += "  bar.warp.sync -1;\n";
        break;
      default:
        text += "  bar.sync 0;\n";
    }
    text += label + ":\n";
  }
  // The last one goes round a store to where the kernel ends.
  return text + "  setp.ne.u32 %p2, %r9, 1;\n  @%p2 bra DONE;\n  st.global.u32 [%o], %r9;\nDONE:\n";
}

// A long loop over registers of which some have no value, in some lanes, or one of memory that nothing has written.
std::string unset_script(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto any = [&] { return "%r" + std::to_string(10 + below(7)); };
  const auto number = [&](std::uint32_t n) { return std::to_string(below(n)); };
  std::string text =
      "  mov.u32 %r1, 0;\n  shl.b32 %r2, %tid, 2;\n  mov.u32 %r3, tile;\n  add.u32 %r2, %r2, %r3;\n";
  for (std::uint32_t k = 10; k < 17; ++k)
    if (below(3) != 0) text += "  mov.u32 %r" + std::to_string(k) + ", 0;\n";
  text +=
      "AGAIN:\n  setp.lt.u32 %p1, %tid, " + number(64) + ";\n  setp.gt.u32 %p2, %r1, " + number(90) + ";\n";
  const std::uint32_t steps = 6 + below(16);
  for (std::uint32_t k = 0; k < steps; ++k) {
    const std::string guard = below(3) != 0 ? "  " : below(2) == 0 ? "  @%p1 " : "  @%p2 ";
    const std::string label = "S" + std::to_string(k);
    const bool goes_round = below(4) == 0;
    if (goes_round) text += (below(2) == 0 ? "  @%p1 bra " : "  @%p2 bra ") + label + ";\n";
    switch (below(10)) {
      case 0:
      case 1:
        text += guard + "mov.u32 " + any() + ", " + any() + ";\n";
        break;
      case 2:
        text += guard + "add.u32 " + any() + ", " + any() + ", " + any() + ";\n";
        break;
      case 3:
      case 4:
        text += guard + "mov.u32 " + any() + ", " + number(9) + ";\n";
        break;
      case 5:
        text += guard + "ld.global.u32 " + any() + ", [%o+1024];\n";
        break;
      case 6:
        text += guard + "st.shared.u32 [%r2], " + any() + ";\n";
        break;
      case 7:
        text += guard + "ld.shared.u32 " + any() + ", [%r2];\n";
        break;
      case 8:
        text += seed % 3 != 0 || goes_round
                    ? ""
                    : "  shfl.sync.bfly.b32 " + any() + ", " + any() + ", 1, 31, -1;\n";
        break;
      default:
        if (below(6) == 0) text += guard + "st.global.u32 [%o], " + any() + ";\n";
    }
    if (goes_round || below(6) == 0) text += label + ":\n";
  }
  return text + "  add.u32 %r1, %r1, 1;\n  setp.lt.u32 %p3, %r1, 100;\n  @%p3 bra AGAIN;\n" +
         (below(2) == 0 ? "  st.global.u32 [%o], " + any() + ";\n" : "");
}

// One load, again and again: now inside of `in`, now beyond its end, by one lane, some, or all.
std::string script_beyond(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto one_of = [&](std::vector<std::uint32_t> list) {
    return std::to_string(list[random() % list.size()]);
  };
  return "  mov.u32 %r1, 0;\n  mov.u32 %r9, 0;\n  setp.ge.u32 %p1, %tid, " + one_of({1, 5, 32}) +
         ";\n  @%p1 bra END;\nAGAIN:\n  mul.lo.u32 %r2, %tid, " + one_of({0, 1, 3}) +
         ";\n  mad.lo.u32 %r2, %r1, " + one_of({1, 7, 13}) + ", %r2;\n  add.u32 %r2, %r2, " +
         one_of({0, 20, 39}) + ";\n  rem.u32 %r2, %r2, " + one_of({30, 41, 60, 100}) +
         ";\n  mul.wide.u32 %rd1, %r2, 4;\n  add.s64 %rd1, %base_in, %rd1;\n"
         "  ld.global.u32 %r3, [%rd1];\n  add.s32 %r9, %r9, %r3;\n  add.s32 %r1, %r1, 1;\n"
         "  setp.lt.u32 %p2, %r1, 12;\n  @%p2 bra AGAIN;\nEND:\n  st.global.u32 [%o], %r9;\n";
}

}  // namespace

TEST_SUITE("shortcuts") {
  TEST_CASE("values of a thread's place are the same, computed once or by each warp") {
    const Dim3 blocks[] = {{64, 1, 1}, {16, 6, 1}, {33, 2, 1}, {5, 1, 1}},
               grids[] = {{3, 1, 1}, {3, 2, 1}, {2, 1, 3}};
    for (std::uint32_t seed = 0; seed < 240; ++seed) {
      PtxKernel kernel;
      kernel.block = blocks[seed % 4];
      kernel.grid = grids[seed / 4 % 3];
      Arithmetic arithmetic(seed, seed % 3 == 0 ? 8 : 1000);
      const std::string module =
          arithmetic.module(seed % 2 == 0 ? 300 : 40);  // more than 128 values, or fewer
      const auto threads = static_cast<std::uint32_t>(kernel.block.count() * kernel.grid.count());
      kernel.n = threads;
      kernel.out_words = threads * (arithmetic.words() + 1);
      for (std::uint32_t k = 0; k < threads; ++k) kernel.in.push_back(k * 2654435761u);
      kernel.options.check_uninitialised = seed % 5 == 0;
      CHECK(same_without(kernel, module) == "none");
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

  TEST_CASE("global memory is judged the same, row by row or place by place, filled before or not") {
    int faulty = 0;
    for (std::uint32_t seed = 0; seed < 1200; ++seed) {
      PtxKernel kernel;
      kernel.block = {seed % 5 == 0 ? 160u : 96u, 1, 1};
      kernel.grid = {3, 1, 1};
      kernel.body = global_script(seed);
      kernel.out_words = 2048;
      kernel.options.checks_stop = seed % 2 == 0;
      kernel.options.host_threads = seed % 3 == 0 ? 3 : 1;
      kernel.options.turn_at_loads = seed % 7 < 3;
      kernel.fill = seed % 4 == 0 ? Fill::Written : Fill::Poison;
      kernel.fills_out = seed % 4 < 3;
      faulty += same_without(kernel) == "none" ? 0 : 1;
    }
    CHECK(faulty > 150);
    CHECK(faulty < 1100);
  }

  // Such warps are followed from the first instruction that names the register until all have a value again.
  TEST_CASE("a register without a value in some threads, or for a while, is reported the same") {
    const std::string set = "mov.u32 %r9, 0;";
    std::map<std::string, int> found;
    for (std::uint32_t seed = 0; seed < 600; ++seed) {
      std::mt19937 random(seed);
      const auto below = [&](std::uint32_t n) { return std::to_string(random() % n); };
      const std::string first = "setp.lt.u32 %p1, %bid, " + below(4) +
                                ";\n  @%p1 bra LATER;\n  mov.u32 %r9, 1;\n",
                        lanes = "setp.ge.u32 %p1, %tid, " + below(130) + ";\n  @%p1 mov.u32 %r9, 2;\n",
                        again = "LATER:\n  add.u32 %r7, %r9, 1;\n  mov.u32 %r9, " + below(9) + ";\n",
                        used = "LATER:\n  setp.gt.u32 %p2, %tid, " + below(99) +
                               ";\n  @%p2 st.global.u32 [%o], %r9;\n  @%p2 mov.u32 %r9, 3;\n";
      PtxKernel kernel;
      kernel.block = {seed % 5 == 0 ? 150u : 96u, 1, 1};
      kernel.grid = {4, 1, 1};
      kernel.body = seed % 2 == 0 ? global_script(seed) : shared_script(seed);
      kernel.body.replace(kernel.body.find(set), set.size(), first + lanes + (seed % 3 == 0 ? used : again));
      kernel.out_words = 2048;
      kernel.options.checks_stop = seed % 2 == 0;
      kernel.options.host_threads = 1;
      kernel.options.turn_at_loads = seed % 11 < 3;
      kernel.fill = seed % 4 == 0 ? Fill::Poison : Fill::Written;
      ++found[same_without(kernel)];
    }
    CHECK(found["uninitialised-local"] > 20);
    CHECK(found["none"] > 200);
  }

  // Once they have been followed for long, only where their values can come.
  TEST_CASE("a register without a value for long is reported the same") {
    std::map<std::string, int> found;
    for (std::uint32_t seed = 0; seed < 600; ++seed) {
      PtxKernel kernel;
      kernel.block = {seed % 5 == 0 ? 32u : 64u, 1, 1};
      kernel.grid = {2, 1, 1};
      kernel.body = unset_script(seed);
      kernel.out_words = 512;
      kernel.options.checks_stop = seed % 4 < 2;
      kernel.options.host_threads = 1;
      kernel.fill = seed % 2 == 0 ? Fill::Poison : Fill::Written;
      ++found[same_without(kernel)];
    }
    CHECK(found["uninitialised-local"] > 20);
    CHECK(found["none"] > 100);
  }

  TEST_CASE("what is read behind an array is reported and goes on, and so do the reads inside of it") {
    int faulty = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      PtxKernel kernel;
      kernel.grid = {2, 1, 1};
      kernel.out_words = 64;
      kernel.in.assign(40, seed);
      kernel.body = script_beyond(seed);
      kernel.options.checks_stop = false;
      kernel.options.go_on = true;
      kernel.options.check_uninitialised = seed % 2 == 0;
      CHECK(same_without(kernel) == "none");
      faulty += run_ptx(kernel).result.findings.empty() ? 0 : 1;
    }
    CHECK(faulty > 60);
    CHECK(faulty < 180);
  }

  TEST_CASE("a race of one block is reported, though all before it repeated one another") {
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

  TEST_CASE("what stores left is known when a block goes another way: the same value is no race") {
    for (const std::uint32_t value : {7u, 8u}) {
      PtxKernel kernel;
      kernel.block = {64, 1, 1};
      kernel.grid = {9, 1, 1};
      kernel.out_words = 9 * 64;
      kernel.body = R"(
  setp.eq.u32 %p1, %tid, 0;
  @%p1 st.shared.u32 [tile+16], %bid;
  setp.ne.u32 %p2, %bid, 7;
  @%p2 bra END;
  setp.eq.u32 %p3, %tid, 32;
  @%p3 st.shared.u32 [tile+16], )" +
                    std::to_string(value) + R"(;
END:
  st.global.u32 [%o], %tid;)";
      CHECK(same_without(kernel) == (value == 7 ? "none" : "shared-race"));
    }
  }

  TEST_CASE("a buffer that was written as a whole no longer is where what has no value is stored") {
    for (const std::string used : {"%r1", "%r2"}) {
      for (const std::string first_without : {"0", "1"}) {
        PtxKernel kernel;
        kernel.in.assign(64, 5);
        kernel.fill = Fill::Poison;
        kernel.body = R"(
  shl.b32 %r4, %tid, 3;
  cvt.u64.u32 %rd4, %r4;
  add.u64 %rd4, %rd4, %base_in;
  ld.global.u32 %r3, [%o];
  mov.u32 %r1, 0;
AGAIN:
  ld.global.u32 %r2, [%rd4+4];
  setp.lt.u32 %p3, %r1, )" +
                      first_without + R"(;
  selp.u32 %r6, %r1, %r3, %p3;
  st.global.v2.u32 [%rd4], {%r1, %r6};
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p1, %r1, 3;
  @%p1 bra AGAIN;
  setp.ne.u32 %p2, )" +
                      used + R"(, 5;
  @%p2 bra END;
  mov.u32 %r5, 0;
END:
  st.global.u32 [%o], %tid;)";
        CHECK(same_without(kernel) == (used == "%r1" ? "none" : "poisoned-global"));
      }
    }
  }

  // Loads and stores of neighbours, in place and apart, behind branches: warps go abreast where none meets another.
  TEST_CASE("kernels that only go forward leave, count and report the same when their warps go abreast") {
    std::map<std::string, int> found;
    for (std::uint32_t seed = 1; seed <= 300; ++seed) {
      std::mt19937 random(seed);
      const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
      const auto one_of = [&](std::initializer_list<const char*> list) {
        return std::string(std::data(list)[below(static_cast<std::uint32_t>(list.size()))]);
      };
      PtxKernel kernel;
      kernel.block = below(2) == 0 ? Dim3{128, 1, 1} : Dim3{32, 1 + below(4), 1};
      if (below(4) == 0) kernel.block.x -= below(31);
      kernel.grid = {1 + below(9), 1, 1};
      kernel.in.resize(4096);
      for (std::uint32_t& word : kernel.in) word = below(9);
      kernel.out_words = 4096;
      kernel.fill = below(4) == 0 ? Fill::Poison : Fill::Written;
      kernel.fills_out = below(2) == 0;
      // Where an access stands: by the thread's number, by its row, by its column, or all at one place.
      std::string& body = kernel.body;
      body =
          "  mov.u32 %r30, %tid.y;\n  mov.u32 %r31, %tid.x;\n  mov.u32 %r32, %ntid.x;\n  mov.u32 %r33, "
          "%ctaid.x;\n"
          "  mov.u32 %r1, 1;\n  mov.u32 %r2, %tid.x;\n";
      const std::uint32_t accesses = 2 + below(5);
      for (std::uint32_t k = 0; k < accesses; ++k) {
        const std::string wide = "%rd" + std::to_string(10 + k), to = "%r" + std::to_string(1 + below(2));
        const std::string shape =
            one_of({"%t, 1", "%t, 1", "%t, 1", "%t, 2", "%r30, 32", "%r31, 1", "%r33, 1"});
        body += "  mad.lo.u32 %r" + std::to_string(10 + k) + ", " + shape + ", " +
                one_of({"0", "0", "0", "1", "33"}) + ";\n  mad.wide.u32 " + wide + ", %r" +
                std::to_string(10 + k) + ", 4, " + one_of({"%base_in", "%base_out", "%base_out"}) + ";\n";
        const bool jumps = below(3) == 0;
        if (jumps)
          body += "  setp." + one_of({"lt", "ge", "ne"}) + ".u32 %p1, " + one_of({"%r1", "%tid", "%r33"}) +
                  ", " + std::to_string(below(70)) + ";\n  @%p1 bra L" + std::to_string(k) + ";\n";
        const bool loads = below(2) == 0;
        body += loads ? "  ld.global.u32 " + to + ", [" + wide + "];\n"
                      : "  st.global.u32 [" + wide + "], " + to + ";\n";
        if (below(2) == 0) body += "  add.u32 %r1, %r1, %r2;\n";
        if (jumps) body += "L" + std::to_string(k) + ":\n";
      }
      kernel.options.checks_stop = below(2) == 0;
      kernel.options.host_threads = 1;  // blocks that race do so in order
      ++found[same_without(kernel)];
    }
    CHECK(found["none"] > 60);
    CHECK(found["global-race"] > 20);
    CHECK(found.size() > 2);
  }

  // The second block, when the first one has shown where the accesses lie.
  TEST_CASE("warps abreast that reach the end of the address space are found outside") {
    for (const char* const step : {"4", "0"}) {
      for (const char* const access : {"st.global.u32 [%rd2], 7;", "ld.global.u32 %r2, [%rd2];"}) {
        PtxKernel kernel;
        kernel.block = {64, 1, 1};
        kernel.grid = {2, 1, 1};
        kernel.out_words = 64;
        kernel.options.host_threads = 1;
        kernel.body = std::string(R"(  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, )") +
                      step + R"(;
  mov.u32 %r2, %ctaid.x;
  cvt.u64.u32 %rd3, %r2;
  add.u64 %rd4, %base_out, )" +
                      (step[0] == '4' ? "256" : "4") +
                      R"(;
  mul.lo.u64 %rd5, %rd4, %rd3;
  sub.u64 %rd6, %base_out, %rd5;
  add.u64 %rd2, %rd6, %rd1;
  )" + access;
        CHECK(same_without(kernel) == "out-of-bounds");
      }
    }
  }
}
