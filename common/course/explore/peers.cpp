// Starts a peer's program and reads its rows. See peers.h.
#include "common/course/explore/peers.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/course/explore/gpu_program.h"

namespace lab::explore {
namespace {

using base::EnvironmentError;
using judge::Problem;
using judge::Timed;

constexpr Peer kPeers[] = {
    {"fast", "lab::transpose", "common/fast/transpose.cuh: the kernel that fits the matrix"},
    {"triton", "Triton", "the textbook kernel, the best of nine tiles"},
    {"torch", "PyTorch", "out.copy_(in.transpose(1, 2))"},
};

std::string python() {
  if (const std::string chosen = base::environment_variable("LAB_PYTHON"); !chosen.empty()) return chosen;
  std::string found = base::program_on_path("python3");
  if (found.empty())
    throw EnvironmentError("Triton and PyTorch need Python: install python3, or name one in LAB_PYTHON.");
  return found;
}

std::vector<std::string> command_of(const Peer& peer) {
  if (peer.key == "fast")
    return {gpu_program("tools/bench/fast_bench.cu", {"-ldl"}).string(), "--graph", "--ours"};
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
    timed.problem = msg("The result of {} is wrong, so it has no time.", peer.name);
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
  const base::SubprocessResult result = run_program(command);
  if (!result.succeeded()) {
    const std::string words = last_words(result);
    throw EnvironmentError(peer.key == "fast"
                               ? msg("{} was not timed: its program ended with \"{}\".", peer.name, words)
                               : msg("{} was not timed: {} ended with \"{}\". LAB_PYTHON names another "
                                     "Python, one with torch and triton.",
                                     peer.name, command.front(), words));
  }
  std::vector<Timed> times(problems.size());
  for (Timed& timed : times) timed.problem = msg("{} has no transpose of these.", peer.name);
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
