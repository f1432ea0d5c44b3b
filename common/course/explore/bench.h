// The ladder as a measurement: kernels against each other, a copy, cuBLAS and other peers.
//
// Enters: kernel files, matrices, a GPU or none. Leaves: a BenchReport: a time for each kernel on each
// matrix, or without a GPU the simulator's counters. Printing is common/course/report/bench_*.h.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/compile/compile.h"
#include "common/course/explore/peers.h"
#include "common/course/judge/run.h"
#include "common/course/judge/stopwatch.h"
#include "common/gpu/device/gpu.h"

namespace lab::explore {

struct BenchContender {
  std::string name;            // "05_padding", or the file
  std::string idea;            // of a chapter; may be empty
  std::filesystem::path file;  // "" for cuBLAS
  int row_bytes = 1;           // rows of both matrices are multiples of so many bytes
  // Which entry serves elements of this size, and how; none: it does not offer them. Set by the caller that names the
  // file.
  std::function<std::optional<judge::Target>(judge::Subject&, int elem_bytes)> target;
};

struct BenchRequest {
  std::vector<BenchContender> contenders;
  std::vector<judge::Problem> problems;
  std::optional<compile::CompilerKind> compiler;
  bool cublas = false;
  std::vector<const Peer*> peers;
  judge::StopwatchOptions watch;
  // Called before each measurement: who, on what.
  std::function<void(const std::string& who, const judge::Problem& problem)> progress;
};

// One contender on one problem.
struct BenchCell {
  bool offered = true;       // false: the file has no kernel for these elements, or for rows of this length
  judge::Timed timed;        // on a GPU
  double share_of_copy = 0;  // 1: as fast as a copy
  int gpus = 1;              // that it runs on
  std::uint64_t crossing_bytes = 0;       // with several: what each sends, at most
  std::optional<judge::Timed> peer_copy;  // with several: the copy of as many, the yardstick
  std::optional<judge::Run> counted;      // without a GPU
  [[nodiscard]] Message problem() const;  // why there is nothing to compare; "" when there is
};

struct BenchColumn {
  judge::Problem problem;
  std::uint64_t bytes = 0;  // read and written by one transpose
  int pairs = 0;            // of buffers
  judge::Timed copy;        // empty without a GPU
};

struct BenchReport {
  std::string device;  // "NVIDIA H200", "simulator"
  bool has_times = false;
  std::string driver, cuda, cublas;    // versions; "" when unknown
  Message cublas_problem;              // why it was not measured
  std::vector<Message> peer_problems;  // the same of other peers
  std::string made_by;                 // who compiled
  std::uint64_t l2_bytes = 0;
  int samples = 0;
  std::vector<std::string> names, ideas;      // of the contenders, peers last
  std::size_t peers = 0;                      // how many of them are
  std::vector<BenchColumn> columns;           // one a problem
  std::vector<std::vector<BenchCell>> cells;  // [contender][column]
  // All that was asked for was right: a kernel that is wrong or does not compile makes it false.
  [[nodiscard]] bool all_right() const;
  [[nodiscard]] bool is_peer(std::size_t contender) const { return contender + peers >= names.size(); }
};

// `gpu` null: the simulator. Throws what compile() throws, DeviceError when the GPU itself fails.
[[nodiscard]] BenchReport run_bench(const BenchRequest& request, device::Gpu* gpu);

// The entry that a file of the course has for elements of this size: `transpose` where its parameters point
// to such elements, or `transpose_u8`, …; with pitches where it takes six parameters.
[[nodiscard]] std::optional<judge::Target> course_target(judge::Subject& subject,
                                                         const std::filesystem::path& file, int elem_bytes);

}  // namespace lab::explore
