// Drawn kernels from a grammar, and each with one thing taken away: a barrier, a fence, a wait, a store, a
// guard, or an index shifted. Taken away: reported at that place. Nothing taken away: no finding.
//
// Enters: a seed. Leaves: kernels of a few steps, each of which hands values from thread to thread in its own
// way; every statement stands on a line of its own, and a mutant knows which lines meet without it.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "tests/drawn/draws.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;
using lab::drawn::Draws;

namespace {

using Kinds = std::set<FaultKind>;
using Lines = std::set<int>;

struct Mutant {
  std::string what;
  int line;          // whose text is replaced
  std::string text;  // by this
  Kinds kinds;
  std::vector<Lines> places;  // the finding names a line of each
};

struct Drawn {
  std::uint32_t threads = 32, blocks = 1, out_words = 32;
  bool initialised = false;        // the tile holds values before the first step
  std::vector<std::string> lines;  // the first is line 1
  std::vector<Mutant> mutants;

  int add(std::string text) {
    lines.push_back(std::move(text));
    return static_cast<int>(lines.size());
  }
  // Of two lines with nothing between: without a first value the reader may come before any store.
  void add_unordered(std::string what, int line, const Lines& store, int read) {
    Kinds kinds{FaultKind::SharedRace, FaultKind::MissingSyncwarp};
    if (initialised) {
      mutants.push_back({std::move(what), line, "", kinds, {store, {read}}});
    } else {
      kinds.insert(FaultKind::UninitialisedShared);
      mutants.push_back({std::move(what), line, "", kinds, {{read}}});
    }
  }
  [[nodiscard]] std::string body(const Mutant* mutant) const {
    std::string text;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const bool replaced = mutant != nullptr && mutant->line == static_cast<int>(k) + 1;
      text += ".loc 1 " + std::to_string(k + 1) + " 1\n" + (replaced ? mutant->text : lines[k]) + "\n";
    }
    return text;
  }
};

std::string number(std::size_t value) { return std::to_string(value); }

constexpr std::size_t kTileBytes = 4096, kRegionBytes = 512;  // of each step its own

// The value of `reader`, a register with a thread's number, from a region of the tile.
std::string load_of(const std::string& region) {
  return "mad.lo.u32 %r4, %r3, 4, %r1; ld.shared.u32 %r5, [%r4+" + region + "]; add.u32 %r30, %r30, %r5;";
}

// Each stores, the block waits, each reads another one's.
void add_exchange(Drawn& d, Draws& draws, std::size_t step) {
  const std::string region = number(step * kRegionBytes);
  const int store = d.add("st.shared.u32 [%r2+" + region + "], %r30;");
  const int wait = d.add("bar.sync 0;");
  const std::string who = "add.u32 %r3, %tid, " + number(1 + draws.below(d.threads - 1)) +
                          "; rem.u32 %r3, %r3, " + number(d.threads) + "; ";
  const int read = d.add(who + load_of(region));
  d.add_unordered("no barrier", wait, {store}, read);
  if (!d.initialised)
    d.mutants.push_back({"no store", store, "", {FaultKind::UninitialisedShared}, {{read}}});
  d.mutants.push_back(
      {"an index too large", read, who + load_of(number(kTileBytes)), {FaultKind::OutOfBounds}, {{read}}});
}

// The same among the lanes of each warp.
void add_warp_exchange(Drawn& d, Draws& draws, std::size_t step) {
  const std::string region = number(step * kRegionBytes);
  const int store = d.add("st.shared.u32 [%r2+" + region + "], %r30;");
  const int wait = d.add("bar.warp.sync 0xffffffff;");
  const int read = d.add("xor.b32 %r3, %tid, " + number(1 + draws.below(31)) + "; " + load_of(region));
  d.add_unordered("no __syncwarp", wait, {store}, read);
}

// Each starts a copy and waits for it, the block waits, each reads what another one copied.
void add_copy(Drawn& d, Draws& draws, std::size_t step) {
  const std::string region = number(step * kRegionBytes);
  const int copy = d.add(
      "mul.wide.u32 %rd2, %tid, 4; add.s64 %rd1, %base_in, %rd2; "
      "cp.async.ca.shared.global [%r2+" +
      region + "], [%rd1], 4;");
  const int landed = d.add("cp.async.wait_all;");
  const int wait = d.add("bar.sync 0;");
  const int read = d.add("add.u32 %r3, %tid, " + number(1 + draws.below(d.threads - 1)) +
                         "; rem.u32 %r3, %r3, " + number(d.threads) + "; " + load_of(region));
  d.mutants.push_back(
      {"no wait for the copy", landed, "", {FaultKind::SharedRace, FaultKind::AsyncEarly}, {{copy}, {read}}});
  d.add_unordered("no barrier behind the wait", wait, {copy, landed}, read);
}

// A thread of block 0 leaves a value for one of block 1.
void add_message(Drawn& d) {
  const int store = d.add("setp.eq.u32 %p3, %t, 0; @%p3 st.global.u32 [message], 7;");
  const int fence = d.add("membar.gl;");
  d.add("@%p3 atom.global.exch.b32 %r6, [flag], 1;");
  d.add("setp.eq.u32 %p4, %t, " + number(d.threads) + "; @!%p4 bra PASSED;");
  const int poll = d.add("POLL: atom.global.or.b32 %r6, [flag], 0; setp.eq.u32 %p5, %r6, 0; @%p5 bra POLL;");
  const int seen = d.add("membar.gl;");
  const int read = d.add("ld.global.u32 %r7, [message]; add.u32 %r30, %r30, %r7;");
  d.add("PASSED:");
  const Kinds race{FaultKind::GlobalRace};
  d.mutants.push_back({"no fence before the flag", fence, "", race, {{store}, {read}}});
  d.mutants.push_back({"no wait for the flag", poll, "", race, {{store}, {read}}});
  d.mutants.push_back({"no fence behind the flag", seen, "", race, {{store}, {read}}});
}

Drawn drawn_kernel(Draws& draws) {
  Drawn d;
  d.threads = static_cast<std::uint32_t>(32 * (1 + draws.below(4)));
  const bool message = draws.one_in(3);
  d.blocks = message ? 2 : 1 + static_cast<std::uint32_t>(draws.below(3));
  d.out_words = d.blocks * d.threads - 1 - static_cast<std::uint32_t>(draws.below(d.threads - 1));
  d.add("mov.u32 %r1, tile; mad.lo.u32 %r2, %tid, 4, %r1; mov.u32 %r30, %t;");
  d.initialised = draws.one_in(2);
  if (d.initialised) {
    std::string text;
    for (std::size_t at = 0; at < kTileBytes; at += kRegionBytes)
      text += "st.shared.u32 [%r2+" + number(at) + "], 0; ";
    d.add(text);
    d.add("bar.sync 0;");
  }
  const std::size_t steps = 1 + draws.below(kTileBytes / kRegionBytes - 1);
  for (std::size_t step = 0; step < steps; ++step) {
    switch (draws.below(3)) {
      case 0:
        add_exchange(d, draws, step);
        break;
      case 1:
        add_warp_exchange(d, draws, step);
        break;
      default:
        add_copy(d, draws, step);
    }
  }
  if (message) add_message(d);
  const int last = d.add("setp.lt.u32 %p1, %t, " + number(d.out_words) + "; @%p1 st.global.u32 [%o], %r30;");
  d.mutants.push_back({"no guard", last, "st.global.u32 [%o], %r30;", {FaultKind::OutOfBounds}, {{last}}});
  return d;
}

PtxRun run(const Drawn& d, const std::string& body) {
  PtxKernel kernel;
  kernel.declarations = ".global .align 4 .u32 flag; .global .align 4 .u32 message;";
  kernel.body = body;
  kernel.block = {d.threads, 1, 1};
  kernel.grid = {d.blocks, 1, 1};
  kernel.out_words = d.out_words;
  kernel.in.assign(128, 1);
  return run_ptx(kernel);
}

// Code of an edit, in PTX.
std::string as_ptx(std::string code) {
  const std::pair<const char*, const char*> kWords[] = {{"__syncthreads();", "bar.sync 0;"},
                                                        {"__syncwarp();", "bar.warp.sync 0xffffffff;"},
                                                        {"__threadfence();", "membar.gl;"},
                                                        {"asm volatile(\"", ""},
                                                        {"\" ::: \"memory\");", ""}};
  for (const auto& [words, by] : kWords)
    for (std::size_t at = code.find(words); at != std::string::npos; at = code.find(words))
      code.replace(at, std::string(words).size(), by);
  return code;
}

// The last access of the line runs where it is inside the variable.
bool guard(std::string& line, const Edit& edit) {
  const bool shared = edit.variable == "tile";
  const std::size_t access = line.rfind(shared ? ".shared." : ".global."), open = line.rfind('[');
  if (access == std::string::npos || open == std::string::npos) return false;
  const std::size_t begin = line.rfind(' ', access) == std::string::npos ? 0 : line.rfind(' ', access) + 1;
  const std::string at = line.substr(open + 1, line.find(']', open) - open - 1);
  const std::size_t plus = at.find('+');
  const std::string base = at.substr(0, plus), offset = plus == std::string::npos ? "0" : at.substr(plus + 1);
  const std::string last = number(edit.bytes - 4);
  const std::string test =
      shared ? "mov.u32 %r20, tile; sub.u32 %r21, " + base + ", %r20; add.u32 %r21, %r21, " + offset +
                   "; setp.le.u32 %p9, %r21, " + last + "; @%p9 "
             : "sub.s64 %rd20, " + base + ", %base_" + edit.variable + "; add.s64 %rd20, %rd20, " + offset +
                   "; setp.le.u64 %p9, %rd20, " + last + "; @%p9 ";
  line.insert(begin, test);
  return true;
}

bool apply(std::vector<std::string>& lines, const Edit& edit) {
  const auto line = [&](int n) -> std::string& { return lines[static_cast<std::size_t>(n) - 1]; };
  if (edit.what == Edit::What::Insert && edit.before != 0) {
    line(edit.before) = as_ptx(edit.code) + " " + line(edit.before);
    return true;
  }
  if (edit.what == Edit::What::Insert) {
    line(edit.after) += " " + as_ptx(edit.code);
    return true;
  }
  if (edit.what == Edit::What::Zero && edit.variable == "tile") {
    for (std::size_t at = 0; at < kTileBytes; at += kRegionBytes)
      line(1) += " st.shared.u32 [%r2+" + number(at) + "], 0;";
    line(1) += " bar.sync 0;";
    return true;
  }
  return edit.what == Edit::What::Guard && guard(line(edit.before), edit);
}

struct Fixes {
  int findings = 0, applied = 0, better = 0;
};

// Each finding's fix made in the lines of its mutant: no finding is left, as in the kernel it came from.
void try_fixes(const Drawn& d, Fixes& fixes) {
  for (const Mutant& mutant : d.mutants) {
    const PtxRun wrong = run(d, d.body(&mutant));
    if (wrong.result.faults.empty()) continue;
    ++fixes.findings;
    Drawn fixed = d;
    fixed.lines[static_cast<std::size_t>(mutant.line) - 1] = mutant.text;
    const std::vector<Edit> edits = wrong.result.faults[0].fix.edits();
    const bool all = !edits.empty() && std::all_of(edits.begin(), edits.end(), [&](const Edit& edit) {
      return apply(fixed.lines, edit);
    });
    if (!all) continue;
    ++fixes.applied;
    const PtxRun again = run(d, fixed.body(nullptr));
    fixes.better += again.result.faults.empty();
    if (!again.result.faults.empty() && fixes.applied - fixes.better <= 4)
      MESSAGE(mutant.what << ": " << wrong.message() << "\nthen " << again.message());
  }
}

// False: what went wrong was reported, with the seed.
bool holds(std::uint64_t seed) {
  CAPTURE(seed);
  Draws draws(seed);
  const Drawn d = drawn_kernel(draws);
  const PtxRun right = run(d, d.body(nullptr));
  const bool clean = right.result.faults.empty() && right.result.findings.empty();
  CHECK_MESSAGE(clean, right.message() << "\n" << d.body(nullptr));
  bool all = clean;
  for (const Mutant& mutant : d.mutants) {
    const PtxRun wrong = run(d, d.body(&mutant));
    bool found = !wrong.result.faults.empty() && mutant.kinds.contains(wrong.result.faults[0].kind);
    for (const Lines& lines : mutant.places)
      found = found && (lines.contains(wrong.result.faults[0].line) ||
                        lines.contains(wrong.result.faults[0].other_line));
    CHECK_MESSAGE(found, mutant.what << " at line " << mutant.line << ": " << wrong.fault() << ": "
                                     << wrong.message() << "\n"
                                     << d.body(&mutant));
    all = all && found;
  }
  return all;
}

}  // namespace

TEST_CASE("one thing taken away from a drawn kernel is reported at its place") {
  Draws draws(lab::drawn::seed_of_run("drawn faults"));
  const std::size_t most = lab::drawn::draws_of_run(300);
  std::size_t done = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(15 * most);
  while (done < most && std::chrono::steady_clock::now() < end) {
    if (!holds(draws.next() % 1'000'000'007u)) break;
    ++done;
  }
  MESSAGE(done << " kernels");
}

TEST_CASE("the fix of a finding, made in a drawn kernel, leaves no finding") {
  Draws draws(lab::drawn::seed_of_run("drawn fixes"));
  Fixes fixes;
  for (std::size_t k = lab::drawn::draws_of_run(60); k > 0; --k) {
    Draws own(draws.next() % 1'000'000'007u);
    try_fixes(drawn_kernel(own), fixes);
  }
  MESSAGE(fixes.findings << " findings, " << fixes.applied << " fixes applied, " << fixes.better
                         << " better");
  // Few kernels stray from the rate of many: the seed 973668899 has 94.8 %.
  CHECK(100 * fixes.applied >= 93 * fixes.findings);
  CHECK(100 * fixes.better >= 90 * fixes.applied);
}
