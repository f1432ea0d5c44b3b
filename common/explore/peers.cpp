// Starts a peer's program and reads its rows. See peers.h.
#include "common/explore/peers.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/base/subprocess.h"
#include "common/compile/compile.h"

namespace lab::explore {
namespace fs = std::filesystem;
namespace {

using base::EnvironmentError;
using judge::Problem;
using judge::Timed;

constexpr Peer kPeers[] = {
    {"fast", "lab::transpose", "common/fast/transpose.cuh: the kernel that fits the matrix"},
    {"triton", "Triton", "the textbook kernel, the best of nine tiles"},
    {"torch", "PyTorch", "out.copy_(in.transpose(1, 2))"},
};
constexpr auto kMostSeconds = std::chrono::minutes(20);

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

base::SubprocessResult ran(std::vector<std::string> arguments) {
  base::Subprocess program;
  program.arguments = std::move(arguments);
  program.environment = whole_environment();
  program.folder = base::project_root();
  program.wall_time = kMostSeconds;
  program.kept_bytes = 4 << 20;
  return base::run(program);
}

// What went wrong stands at the end of what a program says.
std::string last_words(const base::SubprocessResult& result) {
  const std::string line = base::last_line(result.output);
  return line.empty() ? "it said nothing" : line;
}

// tools/bench/fast_bench.cu as a program for this machine's GPU; compiled once for each state of its sources.
fs::path fast_bench() {
  const fs::path& root = base::project_root();
  const fs::path source = root / "tools/bench/fast_bench.cu";
  const compile::KernelCompiler nvcc = compile::find_kernel_compiler(compile::CompilerKind::Nvcc);
  base::Sha256 hash;
  hash.update_field(nvcc.version);
  std::vector<fs::path> files = {source};
  for (const fs::directory_entry& file : fs::directory_iterator(root / "common/fast"))
    files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) hash.update_field(base::read_file(file).value_or(""));
  const fs::path folder = base::cache_root() / "bench", program = folder / hash.hex();
  if (fs::is_regular_file(program)) return program;
  fs::create_directories(folder);
  const fs::path fresh = program.string() + fmt::format(".{}", ::getpid());
  const base::SubprocessResult made =
      ran({nvcc.path.string(), "-O3", "-std=c++17", "-arch=native", "-I" + root.string(), "-o",
           fresh.string(), source.string(), "-ldl"});
  if (!made.succeeded())
    throw EnvironmentError(fmt::format("lab::transpose was not timed: nvcc does not compile {}: {}",
                                       base::shown_path(source), last_words(made)));
  fs::rename(fresh, program);
  return program;
}

std::string python() {
  if (const std::string chosen = base::environment_variable("LAB_PYTHON"); !chosen.empty()) return chosen;
  std::string found = base::program_on_path("python3");
  if (found.empty())
    throw EnvironmentError("Triton and PyTorch need Python: install python3, or name one in LAB_PYTHON.");
  return found;
}

std::vector<std::string> command_of(const Peer& peer) {
  if (peer.key == "fast") return {fast_bench().string(), "--graph", "--ours"};
  return {python(), (base::project_root() / "tools/bench/fast_peers.py").string(), "--only",
          std::string(peer.key)};
}

// element_bytes,count,rows,cols,kernel,us,us_p10,us_p90,gb_per_s,percent_of_copy,pairs,result
std::optional<std::vector<std::string>> row_in(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  if (fields.size() != 12 || fields[0].find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return fields;
}

Timed timed_of(const std::vector<std::string>& row, const Peer& peer) {
  Timed timed;
  if (row[11] != "right") {
    timed.problem = fmt::format("The result of {} is wrong, so it has no time.", peer.name);
    return timed;
  }
  timed.seconds = {.median = 1e-6 * std::stod(row[5]),
                   .low = 1e-6 * std::stod(row[6]),
                   .high = 1e-6 * std::stod(row[7]),
                   .least = 1e-6 * std::stod(row[6]),
                   .most = 1e-6 * std::stod(row[7]),
                   .samples = 21};
  return timed;
}

}  // namespace

const Peer* find_peer(std::string_view key) {
  const auto* found =
      std::find_if(std::begin(kPeers), std::end(kPeers), [&](const Peer& p) { return p.key == key; });
  return found == std::end(kPeers) ? nullptr : found;
}

std::vector<Timed> time_peer(const Peer& peer, const std::vector<Problem>& problems) {
  std::vector<std::string> command = command_of(peer);
  std::map<std::string, std::size_t> places;  // of a cell's name
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Problem& p = problems[i];
    command.push_back(fmt::format("{}:{}:{}:{}", p.elem_bytes, p.batch, p.rows, p.cols));
    places[command.back()] = i;
  }
  const base::SubprocessResult result = ran(command);
  if (result.end == base::SubprocessResult::End::TimedOut)
    throw EnvironmentError(
        fmt::format("{} was not timed: it took longer than {} minutes. Ask for fewer matrices.", peer.name,
                    kMostSeconds.count()));
  if (!result.succeeded()) {
    const std::string words = last_words(result);
    throw EnvironmentError(
        peer.key == "fast" ? fmt::format("{} was not timed: its program ended with \"{}\".", peer.name, words)
                           : fmt::format("{} was not timed: {} ended with \"{}\". LAB_PYTHON names another "
                                         "Python, one with torch and triton.",
                                         peer.name, command.front(), words));
  }
  std::vector<Timed> times(problems.size());
  for (Timed& timed : times) timed.problem = fmt::format("{} has no transpose of these.", peer.name);
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    const auto row = row_in(line);
    if (!row || !(*row)[4].starts_with(peer.key == "torch" ? "torch" : peer.name)) continue;
    const auto place = places.find(fmt::format("{}:{}:{}:{}", (*row)[0], (*row)[1], (*row)[2], (*row)[3]));
    if (place != places.end()) times[place->second] = timed_of(*row, peer);
  }
  return times;
}

}  // namespace lab::explore
