// Looks up what a formula of a lesson names. See the header.
#include "common/course/lessons/lesson_sources.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <fstream>
#include <stdexcept>

#include "common/compile/compile.h"
#include "common/course/judge/blocks_in_order.h"
#include "common/course/judge/link_watch.h"
#include "common/course/judge/loads_at_once.h"
#include "common/kernel/swizzle.cuh"
#include "common/sim/observe/access_view.h"

namespace lab::course {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const Message& sentence) { throw text::Said<std::runtime_error>(sentence); }

std::int64_t integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(msg("`{}` is no number.", text));
  return value;
}

// solutions/04_shared_tile for "04".
fs::path folder_of(const fs::path& parent, const std::string& number) {
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (number.size() == 2 && entry.path().filename().string().starts_with(number + "_")) return entry.path();
  }
  fail(msg("There is no chapter `{}` in {}/.", number, parent.filename().string()));
}

fs::path kernel_of(const FormulaSource& s, const fs::path& root, const fs::path& lesson) {
  if (s.args.empty()) fail(msg("`{}` needs a name in its parentheses.", s.name));
  if (s.name == "solution") return folder_of(root / "solutions", s.args[0]) / "transpose.cu";
  if (s.name == "skeleton") return folder_of(root / "chapters", s.args[0]) / "transpose.cu";
  if (s.name == "mutant") return root / "tests" / "mutants" / "course" / (s.args[0] + ".cu");
  if (s.name == "file") return lesson.parent_path() / s.args[0];
  fail(msg("There is no source `{}`; common/course/lessons/lesson_numbers.h lists them.", s.name));
}

double per_request(std::uint64_t cost, std::uint64_t requests) {
  return requests ? static_cast<double>(cost) / static_cast<double>(requests) : 0;
}

double path_number(const sim::PathCounters& c, const sim::PathInfo& path, std::string_view name) {
  const bool shared = path.weighs == sim::Space::Shared;
  if (name == "requests") return static_cast<double>(c.requests);
  if (name == "bytes") return static_cast<double>(c.bytes);
  if (name == "lanes_per_request") return per_request(c.active_lanes, c.requests);
  if (name == (shared ? "wavefronts" : "sectors")) return static_cast<double>(c.cost);
  if (name == (shared ? "ideal_wavefronts" : "ideal_sectors")) return static_cast<double>(c.ideal);
  if (name == (shared ? "wavefronts_per_request" : "sectors_per_request"))
    return per_request(c.cost, c.requests);
  fail(msg("A {} has no counter `{}`.", path.name, name));
}

double run_number(const judge::Run& run, const std::string& path) {
  const sim::Counters& c = run.counters;
  if (path == "sectors")
    return static_cast<double>(c[sim::Path::GlobalLoad].cost + c[sim::Path::GlobalStore].cost);
  if (path == "bank_conflicts") return static_cast<double>(judge::bank_conflicts(c));
  if (path == "shared_bytes") return run.shared_bytes;
  if (path == "blocks") return static_cast<double>(run.grid.x) * run.grid.y * run.grid.z;
  const std::string op = path.substr(0, path.find('.'));
  const std::string name = op.size() < path.size() ? path.substr(op.size() + 1) : "";
  if (const auto found = sim::path_with_key(op)) return path_number(c[*found], sim::info(*found), name);
  fail(msg("A run has no counter `{}`.", path));
}

double stride_number(const FormulaSource& s) {
  if (s.args.size() < 3 || s.args.size() > 4) fail("stride(access, bytes of a lane, stride in bytes).…");
  const auto width = static_cast<unsigned>(integer(s.args[1]));
  const auto stride = static_cast<std::uint64_t>(integer(s.args[2]));
  const unsigned bank_bytes = s.args.size() == 4 ? static_cast<unsigned>(integer(s.args[3])) : 4;
  if (width == 0 || width > 16 || (width & (width - 1)) != 0 || stride % width != 0) {
    fail(msg("A lane touches 1, 2, 4, 8 or 16 bytes at a multiple of them, not {} at {}.", width, stride));
  }
  std::array<std::uint64_t, sim::kWarpLanes> address{};
  for (std::size_t lane = 0; lane < address.size(); ++lane) address[lane] = lane * stride;
  if (s.args[0] == "global") {
    const sim::GlobalCost cost = sim::global_cost(address.data(), width, ~sim::Mask{0});
    if (s.path == "sectors") return static_cast<double>(cost.sectors);
    if (s.path == "ideal_sectors") return static_cast<double>(cost.ideal_sectors);
  } else if (const auto access = sim::path_with_key(s.args[0]);
             access && sim::info(*access).rule == sim::Rule::Wavefronts) {
    const sim::SharedView view =
        sim::view_shared(address.data(), width, ~sim::Mask{0}, sim::reads(*access), bank_bytes);
    if (s.path == "wavefronts") return view.wavefronts;
    if (s.path == "ideal_wavefronts") return view.ideal_wavefronts;
    if (s.path == "degree") return view.degree;
  }
  fail(msg("An access `{}` has no `{}`.", s.args[0], s.path));
}

double swizzle_number(const FormulaSource& s) {
  if (s.args.size() != 5) fail("swizzle(row, col, row bytes, chunk bytes, element bytes)");
  std::array<int, 5> n{};
  for (std::size_t i = 0; i < n.size(); ++i) n[i] = static_cast<int>(integer(s.args[i]));
  if (n[4] < 1 || n[3] < n[4] || n[2] < n[3]) fail("The sizes of a swizzle: element <= chunk <= row.");
  return swizzle(n[0], n[1], n[2], n[3], n[4]);
}

// CuTe's Swizzle<B,M,S> on byte addresses: B bits at M + S are XORed onto the B bits at M.
int cute_address(int b, int m, int s, int address) { return address ^ (address >> s & ((1 << b) - 1) << m); }

// Looks for the one Swizzle<B,M,S> that keeps every chunk of a tile where the formula keeps it.
double cute_number(const FormulaSource& source) {
  if (source.args.size() != 2) fail("cute(row bytes, chunk bytes).B");
  const int row_bytes = static_cast<int>(integer(source.args[0]));
  const int chunk_bytes = static_cast<int>(integer(source.args[1]));
  constexpr int kMostBits = 10, kRows = 64;
  if (row_bytes < 4 || row_bytes > 4096 || chunk_bytes < 4 || chunk_bytes > row_bytes)
    fail("Sizes of 4 to 4096 bytes.");
  const auto agrees = [&](int b, int m, int s) {
    for (int address = 0; address < kRows * row_bytes; address += 4) {
      const int row = address / row_bytes, word = address % row_bytes / 4;
      if (row * row_bytes + swizzle(row, word, row_bytes, chunk_bytes, 4) * 4 !=
          cute_address(b, m, s, address))
        return false;
    }
    return true;
  };
  for (int b = 1; b <= kMostBits; ++b) {
    for (int m = 2; m <= kMostBits; ++m) {
      for (int s = b; s <= kMostBits; ++s) {
        if (!agrees(b, m, s)) continue;
        if (source.path == "B") return b;
        if (source.path == "M") return m;
        if (source.path == "S") return s;
        fail("A Swizzle has B, M and S.");
      }
    }
  }
  fail(
      msg("No Swizzle<B,M,S> is the formula for rows of {} and chunks of {} bytes.", row_bytes, chunk_bytes));
}

// "transpose_u8" moves 1 byte, "transpose" 4.
int elem_bytes_of(const std::string& entry) {
  const std::size_t at = entry.rfind("_u");
  return at == entry.npos ? 4 : static_cast<int>(integer(std::string_view(entry).substr(at + 2)) / 8);
}

}  // namespace

judge::Subject& LessonSources::subject(const fs::path& kernel) {
  auto& subject = subjects_[kernel];
  if (!subject) {
    compile::CompileRequest request;
    request.file = kernel;
    const compile::CompileResult compiled = compile::compile(request);
    if (!compiled.ok) fail(msg("{} does not compile: {}", kernel.filename().string(), compiled.log));
    subject = std::make_unique<judge::Subject>(compiled.ptx());
  }
  return *subject;
}

std::pair<judge::Problem, judge::Target> LessonSources::asked(const FormulaSource& source,
                                                              const fs::path& kernel) {
  judge::Problem problem{1024, 1024};
  judge::Target target;
  for (std::size_t i = 1; i < source.args.size(); ++i) {
    const std::string& arg = source.args[i];
    const std::size_t x = arg.find('x');
    if (!arg.empty() && arg.front() >= '0' && arg.front() <= '9' && x != arg.npos) {
      problem.rows = integer(std::string_view(arg).substr(0, x));
      problem.cols = integer(std::string_view(arg).substr(x + 1));
    } else {
      target.entry = arg;
    }
  }
  problem.elem_bytes = elem_bytes_of(target.entry);
  const bool pitched =
      target.entry != "transpose" && kernel.parent_path().filename().string().starts_with("09");
  if (pitched) {
    target.arguments = [](judge::Arguments& a) {
      a.out().in().integer(a.problem.rows).integer(a.problem.cols);
      a.integer(a.problem.out_pitch()).integer(a.problem.in_pitch());
    };
  }
  return {problem, target};
}

const judge::Run& LessonSources::run(const FormulaSource& source, const fs::path& kernel) {
  auto [problem, target] = asked(source, kernel);
  target.task = subject(kernel).target_of(target.entry).task;
  const judge::Run& run = subject(kernel).run(problem, target);
  if (!run.faults.empty())
    fail(msg("{}: {}", kernel.filename().string(), run.faults.front().sentence().english()));
  return run;
}

std::optional<double> LessonSources::watched_number(const FormulaSource& source, const fs::path& kernel) {
  const std::string& path = source.path;
  if (path == "instructions_per_byte") {
    const judge::Run& counted = run(source, kernel);
    const judge::Problem& p = counted.problem;
    return static_cast<double>(counted.lane_instructions) / static_cast<double>(p.in_bytes() + p.out_bytes());
  }
  const auto [problem, target] = asked(source, kernel);
  if (path.ends_with("_pages")) {
    judge::BlocksInOrder order;
    (void)subject(kernel).observed(problem, target, order);
    if (path == "written_pages") return static_cast<double>(order.findings().pages);
    if (path == "least_pages") return static_cast<double>(order.findings().least);
  }
  if (path.starts_with("links.")) {
    const judge::LinkFindings& links = run(source, kernel).links;
    if (path == "links.sent") return static_cast<double>(links.sent);
    if (path == "links.carried") return static_cast<double>(links.carried);
  }
  if (!path.starts_with("at_once.")) return std::nullopt;
  judge::LoadsAtOnce loads;
  (void)subject(kernel).observed(problem, target, loads);
  const judge::AtOnceFindings found = loads.findings();
  if (path == "at_once.thread_bytes") return static_cast<double>(found.thread_bytes);
  if (path == "at_once.block_bytes") return static_cast<double>(found.block_bytes);
  if (path == "at_once.bytes") return static_cast<double>(found.multiprocessor_bytes());
  if (path == "at_once.blocks") return static_cast<double>(found.occupancy.blocks);
  if (path == "at_once.registers") return static_cast<double>(found.occupancy.registers);
  return std::nullopt;
}

// A row of tests/golden/steps.csv: gpu,kernel,rows,cols,right,microseconds,…
double LessonSources::step_share(const FormulaSource& source, const fs::path& kernel) const {
  const std::string size = source.args.size() > 1 ? source.args[1] : "8192x8192";
  const std::string shape =
      "," + size.substr(0, size.find('x')) + "," + size.substr(size.find('x') + 1) + ",1,";
  std::string name = fs::relative(kernel, root_).generic_string();
  if (name.starts_with("chapters/"))
    name = "solutions" + name.substr(8, name.rfind('/') - 8) + "/skeleton.cu";
  const std::string gpu = source.args.size() > 2 ? source.args[2] : "NVIDIA H200";
  std::ifstream times(root_ / "tests" / "golden" / "steps.csv");
  double copy = 0, own = 0;
  for (std::string line; std::getline(times, line);) {
    if (!line.starts_with(gpu + ",")) continue;
    const auto of = [&](const std::string& which, double& into) {
      const std::size_t at = line.find("," + which + shape);
      if (at != line.npos) into = std::strtod(line.c_str() + at + 1 + which.size() + shape.size(), nullptr);
    };
    of("copy", copy);
    of(name, own);
  }
  if (copy > 0 && own > 0) return 100 * copy / own;
  fail(msg("tests/golden/steps.csv has no time of {} on {} floats on an {}.", name, size, gpu));
}

double LessonSources::copy_share(const FormulaSource& source) const {
  if (source.args.empty()) fail("copy_share(chapter)");
  const std::string folder = folder_of(root_ / "solutions", source.args[0]).filename().string();
  const std::string wanted = "solutions/" + folder + "/transpose.cu,transpose,8192,8192,4,";
  std::ifstream times(root_ / "tests" / "golden" / "course_times.csv");
  std::string line;
  while (std::getline(times, line)) {
    if (line.starts_with(wanted)) return 100 * std::strtod(line.substr(line.rfind(',') + 1).c_str(), nullptr);
  }
  fail(msg("tests/golden/course_times.csv has no time of {} on 8192 x 8192.", folder));
}

double LessonSources::number(const FormulaSource& source, const fs::path& lesson) {
  if (source.name == "stride") return stride_number(source);
  if (source.name == "swizzle") return swizzle_number(source);
  if (source.name == "cute") return cute_number(source);
  if (source.name == "copy_share") return copy_share(source);
  const fs::path kernel = kernel_of(source, root_, lesson);
  if (source.path == "copy_share") return step_share(source, kernel);
  if (const std::optional<double> watched = watched_number(source, kernel)) return *watched;
  return run_number(run(source, kernel), source.path);
}

}  // namespace lab::course
