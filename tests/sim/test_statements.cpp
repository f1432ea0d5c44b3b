// The simulator and `ptxas` agree on what PTX is: statements drawn from a grammar, with the verdicts of `ptxas` for
// five targets (tests/golden/statements.txt.gz, which tools/golden/statements.py makes). What `ptxas` takes is
// decoded, what it refuses is refused; and an operand of an unusual form gives what a register gives that holds its
// value.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "common/sim/gpu.h"
#include "tests/sim/coverage_page.h"
#include "tests/sim/golden_files.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;

namespace {

constexpr std::array<const char*, 5> kTargets{"sm_75", "sm_80", "sm_89", "sm_90",
                                              "sm_100a"};  // bit by bit, as the script has them

struct Statements {
  std::string module, body;
  std::vector<std::pair<unsigned, std::string>> rows;  // the targets for which `ptxas` takes it
};
const Statements& statements() {
  static const Statements all = [] {
    Statements made;
    const std::vector<std::string> lines =
        lab::golden::lines_of(lab::golden::golden_text("statements.txt.gz"));
    made.module = lines.at(0), made.body = lines.at(1);
    for (std::size_t k = 2; k < lines.size(); ++k)
      made.rows.emplace_back(std::stoul(lines[k].substr(0, 2), nullptr, 16), lines[k].substr(3));
    return made;
  }();
  return all;
}

// Why it is refused; empty: it is not.
std::string refusal(const std::string& statement, const char* target) {
  try {
    Memory memory;
    const auto image =
        load_module(ptx::parse(std::string(".version 9.0\n.target ") + target + "\n.address_size 64\n" +
                               statements().module + "\n.visible .entry test(.param .u64 o) { " +
                               statements().body + "\n" + statement + "\nL: ret; }\n"),
                    memory);
    static_cast<void>(decode(*image, "test", Shortcuts::On));
    return {};
  } catch (const FaultError& error) {
    return error.fault.sentence().english();
  } catch (const ptx::ParseError& error) {
    return lab::text::message_of(error).english();
  }
}

// An oversight of `ptxas` that stands on docs/coverage.md.
bool is_known(const std::string& statement, bool runs_here) {
  const auto rows = known_differences();
  return std::any_of(rows.begin(), rows.end(), [&](const KnownDifference& row) {
    return row.runs_here == runs_here && row.covers(statement);
  });
}

}  // namespace

TEST_CASE("statements: what ptxas takes is taken") {
  for (std::size_t bit = 0; bit < kTargets.size(); ++bit) {
    int taken = 0, known = 0, missed = 0;
    for (const auto& [targets, statement] : statements().rows) {
      if ((targets >> bit & 1) == 0) continue;
      ++taken;
      const std::string reason = refusal(statement, kTargets.at(bit));
      if (reason.empty()) continue;
      if (is_known(statement, false)) {
        ++known;
      } else if (++missed < 20) {
        MESSAGE(std::string(kTargets.at(bit)), ": ", statement, "  ", reason);
      }
    }
    MESSAGE(std::string(kTargets.at(bit)), ": of ", taken, " that ptxas takes ", taken - known - missed,
            " run, ", known, " stand on docs/coverage.md, ", missed, " are missed");
    CHECK(taken > 1000);
    CHECK(missed == 0);
    if (bit < 4) CHECK(40 * known <= taken);
  }
}

TEST_CASE("statements: what ptxas refuses is refused") {
  for (std::size_t bit = 0; bit < kTargets.size(); ++bit) {
    int refused = 0, over = 0;
    for (const auto& [targets, statement] : statements().rows) {
      if ((targets >> bit & 1) != 0) continue;
      ++refused;
      if (is_known(statement, true) || !refusal(statement, kTargets.at(bit)).empty()) continue;
      if (++over < 20) MESSAGE(std::string(kTargets.at(bit)), " is too kind: ", statement);
    }
    MESSAGE(std::string(kTargets.at(bit)), ": of ", refused, " that ptxas refuses ", over, " are taken");
    CHECK(refused > 1000);
    CHECK(over == 0);
  }
}

TEST_CASE("statements: each difference on docs/coverage.md is one") {
  for (const KnownDifference& row : known_differences()) {
    const bool occurs = std::any_of(statements().rows.begin(), statements().rows.end(), [&](const auto& one) {
      if (!row.covers(one.second)) return false;
      for (std::size_t bit = 0; bit < kTargets.size(); ++bit)
        if ((one.first >> bit & 1) == (row.runs_here ? 0 : 1) &&
            refusal(one.second, kTargets.at(bit)).empty() == row.runs_here)
          return true;
      return false;
    });
    CHECK_MESSAGE(occurs, "no statement is ", row.words);
  }
}

TEST_CASE("statements: texts for the first GPUs are taken") {
  for (const char* target : {"sm_10", "sm_13", "sm_20"}) {
    CHECK(refusal("ld.param.u64 d0, [o]; ld.global.f32 f0, [d0];", target).empty());
    CHECK(refusal("fence.acq_rel.cluster;", target).find("it needs sm_90 or newer") != std::string::npos);
  }
}

TEST_CASE("statements: products are taken for the first GPUs that have their types, and not before") {
  const std::string bf16 =
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {f0,f1,f2,f3}, {r0,r1,r2,r3}, {r1,r2}, "
      "{f1,f2,f3,f4};";
  CHECK(refusal(bf16, "sm_80").empty());
  CHECK(refusal(bf16, "sm_75").find("it needs sm_80 or newer") != std::string::npos);
  CHECK(
      refusal("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r1}, {f1,f2,f3,f4};",
              "sm_75")
          .empty());
  CHECK(refusal("atom.relaxed.cluster.global.add.u32 r0, [pg], r1;", "sm_80").find("it needs sm_90") !=
        std::string::npos);
  CHECK(refusal("tensormap.replace.tile.rank.global.b1024.b32 [pg], r1;", "sm_90").find("it needs sm_90a") !=
        std::string::npos);
}

namespace {

std::string hashed(const std::vector<std::uint32_t>& words) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const std::uint32_t word : words)
    for (int byte = 0; byte < 4; ++byte) value = (value ^ (word >> 8 * byte & 0xff)) * 0x100000001B3;
  return fmt::format("{:016x}", value);
}

}  // namespace

TEST_CASE("statements: registers have the values that an H200 left") {
  const std::vector<std::string> lines =
      lab::golden::lines_of(lab::golden::golden_text("statement_values.txt.gz"));
  const std::string& text = lines.at(0);
  const std::size_t at = text.find("STATEMENT");
  REQUIRE(at != std::string::npos);
  int right = 0, known = 0, wrong = 0;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::string statement = lines[k].substr(17);
    PtxKernel kernel;
    kernel.out_words = 32 * 40;
    const PtxRun run = run_module(text.substr(0, at) + statement + text.substr(at + 9), kernel);
    const bool runs = run.fault() == "none";
    if (runs && hashed(run.out) == lines[k].substr(0, 16)) {
      ++right;
    } else if (!runs && is_known(statement, false)) {
      ++known;
    } else if (++wrong < 60) {
      MESSAGE(statement, "  ", run.message());
    }
  }
  MESSAGE("of ", lines.size() - 1, " statements ", right, " leave what an H200 left, ", known,
          " stand on docs/coverage.md");
  CHECK(wrong == 0);
}

namespace {

// All registers, after a statement that began with values of the thread's own.
std::vector<std::uint32_t> registers_after(const std::string& before, const std::string& statement) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n" + statements().module +
                     "\n.visible .entry test(.param .u64 o, .param .u64 i, .param .u32 n) { " +
                     statements().body +
                     " .reg .b32 t, one; .reg .b64 at, step; mov.u32 t, %tid.x; ld.param.u64 at, [o]; "
                     "mul.wide.u32 step, t, 4; add.u64 at, at, step;\n";
  std::string after;
  int slot = 0;
  const auto keep = [&](const std::string& value) {
    after += value + " st.global.u32 [at+" + std::to_string(128 * slot++) + "], one;\n";
  };
  for (int k = 0; k < 5; ++k) {
    const std::string n = std::to_string(k);
    text += "mad.lo.u32 r" + n + ", t, " + std::to_string(77777 + 13 * k) + ", " + n + "; cvt.u16.u32 h" + n +
            ", r" + n + "; mul.wide.u32 d" + n + ", r" + n + ", 999983; cvt.rn.f32.s32 f" + n + ", r" + n +
            "; cvt.rn.f64.s32 g" + n + ", r" + n + "; and.b32 one, t, " + std::to_string(1 << k) +
            "; setp.ne.u32 p" + n + ", one, 0;\n";
    keep("mov.b32 one, r" + n + ";");
    keep("cvt.u32.u16 one, h" + n + ";");
    keep("cvt.u32.u64 one, d" + n + ";");
    keep("mov.b32 one, f" + n + ";");
    keep("mov.b64 step, g" + n + "; shr.u64 step, step, 20; cvt.u32.u64 one, step;");
    keep("selp.u32 one, 1, 0, p" + n + ";");
  }
  text += before + "\n" + statement + "\n" + after + "L: ret; }\n";
  PtxKernel kernel;
  kernel.out_words = static_cast<std::size_t>(32 * slot);
  const PtxRun run = run_module(text, kernel);
  return run.fault() == "none" ? run.out : std::vector<std::uint32_t>{};
}

std::vector<std::string> pieces_of(const std::string& statement) {
  std::vector<std::string> pieces{statement.substr(0, statement.find(' ') + 1)};
  std::string rest = statement.substr(pieces[0].size());
  rest.resize(rest.find_last_of(';'));
  for (std::size_t comma = rest.find(", "); comma != std::string::npos; comma = rest.find(", ")) {
    pieces.push_back(rest.substr(0, comma));
    rest.erase(0, comma + 2);
  }
  pieces.push_back(rest);
  return pieces;
}

}  // namespace

TEST_CASE("statements: an address of 32 bits has zeros above") {
  const std::string before =
      "mov.u64 d4, sh; cvta.shared.u64 d4, d4; cvt.u32.u64 r4, d4; mov.b32 w.x, r4; cvt.u64.u32 d3, r4;";
  for (const std::string space : {"global", "shared", "local", "const", "param"}) {
    const auto asked = [&](const std::string& address) {
      return registers_after(before, "isspacep." + space + " p1, " + address + ";");
    };
    CHECK(!asked("d3").empty());
    CHECK(asked("r4") == asked("d3"));
    CHECK(asked("w.x") == asked("d3"));
    CHECK((asked("d4") == asked("r4")) == (space != "global" && space != "shared"));
  }
}

TEST_CASE("statements: what ptxas makes of an operand that PTX does not have") {
  constexpr std::pair<const char*, const char*> kSame[] = {
      {"mov.v2.b32 {r0, r2}, r1;", "and.b32 r0, r1, 65535; shr.u32 r2, r1, 16;"},
      {"mov.v4.u32 {r0, r2, r3, r4}, r1;",
       "bfe.u32 r0, r1, 0, 8; bfe.u32 r2, r1, 8, 8; bfe.u32 r3, r1, 16, 8; bfe.u32 r4, r1, 24, 8;"},
      {"mov.v2.b64 {d0, d1}, d2;", "and.b64 d0, d2, 0xffffffff; shr.u64 d1, d2, 32;"},
      {"mov.v2.u16 {h0, h1}, 0x1fffe;", "mov.b16 h0, 254; mov.b16 h1, 255;"},
      {"cvt.pack.sat.s8.s32.b32 r2, d1, r3, r4;",
       "cvt.u32.u64 r2, d1; cvt.pack.sat.s8.s32.b32 r2, r2, r3, r4;"},
      {"cvt.pack.sat.s8.s32.b32 r2, r2, r3, g1;",
       "mov.b64 {r4, _}, g1; cvt.pack.sat.s8.s32.b32 r2, r2, r3, r4; mov.b32 r4, r0;"},
      {"fma.rz.relu.bf16x2 r0, r2, r3, r4;", "fma.rn.relu.bf16x2 r0, r2, r3, r4;"},
      {"fma.rp.oob.bf16x2 r0, r2, r3, r4;", "fma.rn.oob.bf16x2 r0, r2, r3, r4;"}};
  for (const auto& [statement, plain] : kSame) {
    const auto got = registers_after("mov.b32 r0, r4;", statement);
    CHECK_MESSAGE(!got.empty(), statement);
    CHECK_MESSAGE(got == registers_after("mov.b32 r0, r4;", plain), statement);
  }
}

TEST_CASE("statements: an operand of an unusual form has its value") {
  // The form, and a register of each kind that holds the same.
  const std::map<std::string, std::vector<std::pair<const char*, const char*>>> forms{
      {"1", {{"r4", "mov.b32 r4, 1;"}, {"h4", "mov.b16 h4, 1;"}, {"d4", "mov.b64 d4, 1;"}}},
      {"-1",
       {{"r4", "mov.b32 r4, 0xffffffff;"},
        {"h4", "mov.b16 h4, 0xffff;"},
        {"d4", "mov.b64 d4, 0xffffffffffffffff;"}}},
      {"WARP_SZ", {{"r4", "mov.b32 r4, 32;"}, {"h4", "mov.b16 h4, 32;"}, {"d4", "mov.b64 d4, 32;"}}},
      {"1?2:3", {{"r4", "mov.b32 r4, 2;"}, {"h4", "mov.b16 h4, 2;"}, {"d4", "mov.b64 d4, 2;"}}},
      {"(.s64)5", {{"r4", "mov.b32 r4, 5;"}, {"h4", "mov.b16 h4, 5;"}, {"d4", "mov.b64 d4, 5;"}}},
      {"!0",
       {{"r4", "mov.b32 r4, 1;"},
        {"h4", "mov.b16 h4, 1;"},
        {"d4", "mov.b64 d4, 1;"},
        {"p4", "setp.eq.u32 p4, t, t;"}}},
      {"1<2", {{"r4", "mov.b32 r4, 1;"}, {"h4", "mov.b16 h4, 1;"}, {"d4", "mov.b64 d4, 1;"}}},
      {"1.5", {{"f4", "mov.b32 f4, 0x3fc00000;"}, {"g4", "mov.b64 g4, 0x3ff8000000000000;"}}},
      {"r1+1", {{"r4", "add.u32 r4, r1, 1;"}, {"h4", "add.u32 r4, r1, 1; cvt.u16.u32 h4, r4;"}}},
      {"h1+1", {{"h4", "add.u16 h4, h1, 1;"}}},
      {"d1+8",
       {{"d4", "add.u64 d4, d1, 8;"},
        {"r4", "add.u64 d4, d1, 8; cvt.u32.u64 r4, d4;"},
        {"h4", "add.u64 d4, d1, 8; cvt.u16.u64 h4, d4;"},
        {"f4", "add.u64 d4, d1, 8; cvt.u32.u64 r4, d4; mov.b32 f4, r4;"}}},
      {"!p1", {{"p4", "not.pred p4, p1;"}}},
      {"tab[1]", {{"d4", "mov.u64 d4, tab; add.u64 d4, d4, 4;"}}},
      {"tab+4",
       {{"d4", "mov.u64 d4, tab; add.u64 d4, d4, 4;"},
        {"r4", "mov.u64 d4, tab; add.u64 d4, d4, 4; cvt.u32.u64 r4, d4;"}}},
      {"w.x", {{"r4", "mov.b32 r4, w.x;"}}}};
  int compared = 0;
  for (const auto& [targets, statement] : statements().rows) {
    if ((targets >> 3 & 1) == 0 || statement.find_first_of("[{") != std::string::npos) continue;
    const std::vector<std::string> pieces = pieces_of(statement);
    for (std::size_t k = 2; k < pieces.size(); ++k) {
      const auto form = forms.find(pieces[k]);
      if (form == forms.end()) continue;
      for (const auto& [name, before] : form->second) {
        std::string plain = pieces[0];
        for (std::size_t n = 1; n < pieces.size(); ++n)
          plain += (n == 1 ? "" : ", ") + (n == k ? std::string(name) : pieces[n]);
        const auto wanted = registers_after(before, plain + ";"), got = registers_after(before, statement);
        if (wanted.empty() || got.empty()) continue;
        CHECK_MESSAGE(wanted == got, statement, " is not ", plain);
        ++compared;
        break;
      }
    }
  }
  MESSAGE(compared, " compared");
  CHECK(compared > 50);
}

// Kinds that were taken until a later draw.
TEST_CASE("statements: what ptxas refuses is refused, by kinds") {
  constexpr std::pair<const char*, const char*> kRefused[] = {
      {"sm_90", "bar.sync plus, 32;"},
      {"sm_90", "bfe.u32 r0, r2, plus, 1;"},
      {"sm_90", "redux.sync.add.u32 r0, plus, r1;"},
      {"sm_90", "mov.u32 r0, pa;"},
      {"sm_90", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [tab];"},
      {"sm_90", "cp.async.ca.shared.global [tab], [pg], 16;"},
      {"sm_90", "vadd.u32.u32.u32 r0, w.x, r3, r4;"},
      {"sm_90", "set.lt.ftz.bf16.f32 h0, f2, f3;"},
      {"sm_100a", "ldu.global.v4.f64 {g0, g1, g2, g3}, [pg];"},
      {"sm_100a", "cvt.rs.f16x2.f32 r0, f1, f2, 1;"},
      {"sm_90", "prefetchu.L1 [sh];"},
      {"sm_90", "prefetchu.L1 [loc];"},
      {"sm_90", "cvt.rn.f16x2.f32 f1, f2, f3;"},
      {"sm_90", "cvt.rna.tf32.f32 f0, f1;"},
      {"sm_80", "max.xorsign.abs.f32 f0, f2, f3;"},
      {"sm_90", "shl.b32 r0, r2, d1+8;"},
      {"sm_90", "div.s64 d0, d2, tab+4;"},
      {"sm_90", "add.s16x2 r0, tab+4, r3;"},
      {"sm_100a", "setmaxnreg.inc.sync.aligned.u32 20;"},
      {"sm_100a", "st.bulk [pn], 1.5, 0;"},
      // `ptxas` ends at these, and says no line.
      {"sm_75", "mov.u32 r0, tab;"},
      {"sm_90", "mov.v2.b32 {r0, r1}, tab;"}};
  for (const auto& [target, statement] : kRefused)
    CHECK_MESSAGE(!refusal(statement, target).empty(), statement);
  for (const char* statement :
       {"div.u32 r0, d1+8, r3;", "not.b16 h0, r1+1;", "dp4a.u32.s32 r1, r2, r3, tab+4;"})
    CHECK_MESSAGE(refusal(statement, "sm_90").empty(), statement);
}
