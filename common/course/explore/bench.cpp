// Measures every contender on every matrix. See bench.h.
#include "common/course/explore/bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/compile/gpu_program.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/judge/split_stopwatch.h"

namespace lab::explore {
namespace {

// A contender ready to run, or why not.
struct Ready {
  Message problem;
  compile::GpuProgram program;
  std::unique_ptr<judge::Subject> subject;  // entries, launch shapes; counts when there is no GPU
  std::shared_ptr<device::Module> on_gpu;
  std::map<std::string, std::shared_ptr<const device::Kernel>> kernels;
};

Ready prepare(const BenchContender& contender, const BenchRequest& request, device::Gpu* gpu) {
  Ready ready;
  try {
    if (gpu != nullptr) {
      ready.program = compile::compile_for_gpu(contender.file, request.compiler, gpu->info().architecture());
    } else {
      compile::CompileRequest plain;
      plain.file = contender.file;
      plain.compiler = request.compiler;
      ready.program.ptx = compile::compile(plain);
    }
    if (!ready.program.ptx.ok) {
      ready.problem = msg("It does not compile:\n{}", ready.program.ptx.log);
      return ready;
    }
    ready.subject = std::make_unique<judge::Subject>(ready.program.ptx.output);
    if (gpu != nullptr) ready.on_gpu = gpu->load({ready.program.ptx.output, ready.program.cubin});
  } catch (const device::LoadError& error) {
    ready.problem = error.fault.sentence();
  }
  return ready;
}

// On several GPUs at once, with buffers of its own.
void time_split(BenchCell& cell, const Ready& ready, const judge::Target& target, const LaunchShape& shape,
                const judge::Problem& problem, const judge::StopwatchOptions& options, device::Gpu& gpu) {
  cell.gpus = shape.gpus;
  try {
    judge::SplitStopwatch watch(gpu, shape.gpus, problem, options);
    cell.crossing_bytes = watch.crossing_bytes();
    cell.timed = watch.kernel({ready.program.ptx.output, ready.program.cubin}, shape, target);
    if (cell.timed.problem.empty()) cell.peer_copy = watch.copy();
  } catch (const std::bad_alloc&) {
    cell.timed.problem =
        msg("{} does not fit into the memory of the {}.", judge::describe(problem), gpu.name());
  }
}

void time_it(BenchCell& cell, Ready& ready, const judge::Target& target, const judge::Problem& problem,
             const BenchRequest& request, judge::Stopwatch& watch, device::Gpu& gpu) {
  try {
    const LaunchShape shape = target.shape ? *target.shape : ready.subject->launch_shape(target.entry);
    if (shape.gpus > 1) return time_split(cell, ready, target, shape, problem, request.watch, gpu);
    auto& kernel = ready.kernels[target.entry];
    if (!kernel) kernel = ready.on_gpu->kernel(target.entry);
    cell.timed = watch.kernel(*kernel, shape, target);
  } catch (const device::LoadError& error) {
    cell.timed.problem = error.fault.sentence();
  } catch (const judge::ShapeError& error) {
    cell.timed.problem = error.message();
  }
}

void count_it(BenchCell& cell, Ready& ready, const judge::Target& target, const judge::Problem& problem) {
  cell.counted = ready.subject->run(problem, target);
}

void judge(BenchCell& cell, const BenchContender& contender, Ready& ready, const judge::Problem& problem,
           const BenchRequest& request, judge::Stopwatch* watch, device::Gpu* gpu) {
  if (!ready.problem.empty()) {
    cell.timed.problem = ready.problem;
    return;
  }
  cell.timed.problem = judge::needs_other_rows(problem, contender.row_bytes);
  cell.offered = cell.timed.problem.empty();
  if (!cell.offered) return;
  const std::optional<judge::Target> target = contender.target(*ready.subject, problem.elem_bytes);
  cell.offered = target.has_value();
  if (!target) return;
  if (watch != nullptr) {
    time_it(cell, ready, *target, problem, request, *watch, *gpu);
  } else {
    count_it(cell, ready, *target, problem);
  }
}

void describe_device(BenchReport& report, device::Gpu* gpu, const BenchRequest& request) {
  report.device = gpu != nullptr ? gpu->name() : "simulator";
  report.has_times = gpu != nullptr;
  report.samples = request.watch.samples;
  if (gpu == nullptr) {
    if (request.cublas) report.cublas_problem = "cuBLAS needs a GPU.";
    for (const Peer* peer : request.peers) report.peer_problems.push_back(msg("{} needs a GPU.", peer->name));
    return;
  }
  report.driver = gpu->survey().driver;
  report.cuda = device::cuda_version_text(gpu->survey().cuda_version);
  report.l2_bytes = gpu->info().l2_bytes;
  if (!request.cublas) return;
  try {
    report.cublas = gpu->cublas();
  } catch (const device::DeviceError& error) {
    report.cublas_problem = text::message_of(error);
  }
}

// One problem: the copy first, while the clocks come up, and once more after all others.
void measure_column(BenchReport& report, std::size_t column, const BenchRequest& request,
                    std::vector<Ready>& ready, device::Gpu* gpu) {
  BenchColumn& c = report.columns[column];
  const auto report_progress = [&](const std::string& who) {
    if (request.progress) request.progress(who, c.problem);
  };
  std::unique_ptr<judge::Stopwatch> watch;
  if (gpu != nullptr) {
    report_progress("copy");
    try {
      watch = std::make_unique<judge::Stopwatch>(*gpu, c.problem, request.watch);
    } catch (const std::bad_alloc&) {
      const Message words =
          msg("{} does not fit into the memory of the {}.", judge::describe(c.problem), gpu->name());
      for (auto& row : report.cells) row[column].timed.problem = words;
      c.copy.problem = words;
      return;
    }
    c.pairs = watch->pairs();
    c.copy = watch->copy(true);
  }
  for (std::size_t i = 0; i < request.contenders.size(); ++i) {
    report_progress(request.contenders[i].name);
    judge(report.cells[i][column], request.contenders[i], ready[i], c.problem, request, watch.get(), gpu);
  }
  if (watch && !report.cublas.empty()) {
    report_progress("cuBLAS");
    report.cells.back()[column].timed = watch->cublas();
  }
  if (!watch) return;
  const judge::Timed again = watch->copy();
  if (again.seconds.median < c.copy.seconds.median) c.copy = again;
}

// All problems at once: a peer is a program, and takes its time to start.
void measure_peer(BenchReport& report, const Peer& peer, const BenchRequest& request) {
  if (request.progress) request.progress(std::string(peer.name), request.problems.front());
  try {
    const std::vector<judge::Timed> times = time_peer(peer, request.problems);
    report.names.emplace_back(peer.name);
    report.ideas.emplace_back(peer.idea);
    ++report.peers;
    auto& row = report.cells.emplace_back(request.problems.size());
    for (std::size_t column = 0; column < row.size(); ++column) row[column].timed = times[column];
  } catch (const base::EnvironmentError& error) {
    report.peer_problems.emplace_back(text::message_of(error));
  }
}

void compare_with_copies(BenchReport& report) {
  for (auto& row : report.cells) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      BenchCell& cell = row[column];
      const judge::Timed& copy = cell.peer_copy ? *cell.peer_copy : report.columns[column].copy;
      const double seconds = cell.timed.seconds.median;
      if (seconds > 0) cell.share_of_copy = copy.seconds.median / seconds;
    }
  }
}

}  // namespace

Message BenchCell::problem() const {
  if (!timed.problem.empty()) return timed.problem;
  if (!offered) return "It has no kernel for these elements.";
  if (!counted || counted->correct()) return {};
  return counted->faults.empty() ? counted->mismatch->message : counted->faults.front().sentence();
}

bool BenchReport::all_right() const {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const BenchCell& cell : cells[i]) {
      if (!is_peer(i) && cell.offered && !cell.problem().empty()) return false;
    }
  }
  return true;
}

std::optional<judge::Target> course_target(judge::Subject& subject, const std::filesystem::path& file,
                                           int elem_bytes) {
  judge::Target target;
  target.entry.clear();
  const std::string source = base::read_file(file).value_or("");
  const std::vector<std::string> entries = subject.entries();
  for (const std::string& name : {std::string("transpose"), fmt::format("transpose_u{}", 8 * elem_bytes)}) {
    const int declared = elem_bytes_of(name, source);  // 0: it cannot be seen
    if (std::find(entries.begin(), entries.end(), name) == entries.end()) continue;
    if ((declared == 0 ? 4 : declared) == elem_bytes) target.entry = name;
  }
  if (target.entry.empty()) return std::nullopt;
  if (subject.signature_problem(target).empty()) return target;
  target.arguments = [](judge::Arguments& a) {
    a.out().in().integer(a.problem.rows).integer(a.problem.cols);
    a.integer(a.problem.out_pitch()).integer(a.problem.in_pitch());
  };
  return target;
}

BenchReport run_bench(const BenchRequest& request, device::Gpu* gpu) {
  BenchReport report;
  describe_device(report, gpu, request);
  std::vector<Ready> ready;
  for (const BenchContender& contender : request.contenders) {
    report.names.push_back(contender.name);
    report.ideas.push_back(contender.idea);
    ready.push_back(prepare(contender, request, gpu));
    if (report.made_by.empty()) {
      const compile::CompileResult& ptx = ready.back().program.ptx;
      report.made_by = gpu != nullptr ? ready.back().program.made_by
                                      : fmt::format("{} {}", name(ptx.compiler.kind), ptx.compiler.version);
    }
  }
  if (!report.cublas.empty()) {
    report.names.push_back("cuBLAS geam");
    report.ideas.push_back(fmt::format("NVIDIA's library, version {}", report.cublas));
    report.peers = 1;
  }
  report.cells.assign(report.names.size(), std::vector<BenchCell>(request.problems.size()));
  for (const judge::Problem& problem : request.problems)
    report.columns.push_back({problem, problem.in_bytes() + problem.out_bytes(), 0, {}});
  for (std::size_t column = 0; column < report.columns.size(); ++column)
    measure_column(report, column, request, ready, gpu);
  if (gpu == nullptr) return report;
  for (const Peer* peer : request.peers) measure_peer(report, *peer, request);
  compare_with_copies(report);
  return report;
}

}  // namespace lab::explore
