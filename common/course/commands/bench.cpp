// `lab bench`: times of kernels on a GPU, against a copy and other transposes; without a GPU their counters.
//
// Enters: chapters and kernel files, sizes, element types. Leaves: the ladder as a table, JSON, CSV,
// Markdown, and as a picture or a page in a file.
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstdio>

#include "common/base/clock.h"
#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/text/text.h"
#include "common/course/commands/bench_drawn.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/bench.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/report/bench_plot.h"
#include "common/course/report/bench_text.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

using base::EnvironmentError;
using base::UsageError;
using explore::BenchRequest;
using judge::Problem;
using text::tr;

struct BenchOptions {
  std::vector<std::string> files;
  std::string chapters, sizes, types, against, block, tile, html, svg, write, seed, device = "auto";
  int gpu_index = 0, samples = 20, drawn = 0;
  bool mine = false, json = false, csv = false, markdown = false;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    if (end > start) parts.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// The whole text as a number; 0 when it is none.
int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

// "4,6-8,any_matrix" → chapters, in the order of the course.
std::vector<const judge::ChapterInfo*> chapters_in(const std::string& list) {
  const std::vector<const judge::ChapterInfo*> all = judge::all_chapters();
  if (list.empty() || list == "all") return all;
  std::vector<const judge::ChapterInfo*> wanted;
  for (const std::string& part : split(list)) {
    const std::size_t dash = part.find('-');
    const int first = number(part.substr(0, dash)),
              last = dash == part.npos ? 0 : number(part.substr(dash + 1));
    if (first > 0 && last >= first && last <= static_cast<int>(all.size())) {
      for (int n = first; n <= last; ++n) wanted.push_back(&judge::chapter_named(std::to_string(n)));
    } else {
      wanted.push_back(&judge::chapter_named(part));
    }
  }
  return wanted;
}

std::vector<int> types_in(const std::string& list) {
  struct Type {
    int bytes;
    std::array<std::string_view, 4> names;
  };
  static constexpr std::array<Type, 5> kTypes = {{{1, {"u8", "1", "char", "int8"}},
                                                  {2, {"u16", "2", "half", "short"}},
                                                  {4, {"u32", "4", "float", "int"}},
                                                  {8, {"u64", "8", "double", "float2"}},
                                                  {16, {"u128", "16", "float4", "double2"}}}};
  std::vector<int> bytes;
  for (const std::string& part : split(list.empty() ? "float" : list)) {
    const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& t) {
      return std::find(t.names.begin(), t.names.end(), part) != t.names.end();
    });
    if (found == kTypes.end())
      throw UsageError(
          msg("--types \"{}\": write u8, u16, u32, u64, u128, or char, half, float, double, float4.", part));
    bytes.push_back(found->bytes);
  }
  return bytes;
}

std::vector<Problem> sizes_in(const std::string& list) {
  std::vector<Problem> sizes;
  for (const std::string& part : split(list)) {
    const std::size_t x = part.find('x');
    const int rows = number(part.substr(0, x)), cols = x == part.npos ? rows : number(part.substr(x + 1));
    if (rows < 1 || cols < 1)
      throw UsageError(
          msg("--sizes \"{}\": write 1024 or ROWSxCOLS, such as 1000x7777, with commas between.", part));
    sizes.push_back({rows, cols});
  }
  return sizes;
}

// What was asked for; else four sizes on a GPU, as far as they fit, and the course's own on the simulator.
std::vector<Problem> problems_for(const BenchOptions& options, const device::Gpu* gpu) {
  std::vector<Problem> problems;
  const bool chosen = !options.sizes.empty();
  const std::string usual = gpu != nullptr ? "1024,4096,8192,16384" : "1024";
  for (const int elem_bytes : types_in(options.types)) {
    for (Problem p : sizes_in(chosen ? options.sizes : usual)) {
      p.elem_bytes = elem_bytes;
      if (!chosen && gpu != nullptr && 5 * p.in_bytes() > gpu->info().memory_bytes) continue;
      if (const Message wrong = what_is_wrong_with(p); !wrong.empty()) throw UsageError(wrong);
      problems.push_back(p);
    }
  }
  if (problems.empty())
    throw UsageError(msg("No matrix to measure: name one with --sizes, such as --sizes 1024."));
  return problems;
}

explore::BenchContender file_contender(const std::string& file, const BenchOptions& options) {
  explore::BenchContender contender;
  contender.name = base::shown_path(file);
  contender.file = file;
  const explore::KernelOptions kernel_options{options.block, options.tile, 0};
  contender.target = [file, kernel_options](judge::Subject& subject,
                                            int elem_bytes) -> std::optional<judge::Target> {
    std::optional<judge::Target> target = explore::course_target(subject, file, elem_bytes);
    if (!target) {
      target.emplace();
      target->entry = judge::resolve_entry(subject, file, "", nullptr);
    }
    if (const Message wrong = subject.signature_problem(*target); !wrong.empty()) throw UsageError(wrong);
    const explore::KernelFacts facts = explore::facts_of(subject, file, target->entry, kernel_options);
    if (facts.elem_bytes != elem_bytes && !target->entry.starts_with("transpose_u")) return std::nullopt;
    target->shape = facts.shape;
    return target;
  };
  return contender;
}

explore::BenchRequest request_for(const Session& session, const BenchOptions& options) {
  explore::BenchRequest request;
  request.compiler = compile::kind_named(session.compiler);
  request.watch.samples = options.samples;
  std::vector<std::string> files = options.files;
  for (const std::string& rival : split(options.against)) {
    if (rival == "cublas") {
      request.cublas = true;
    } else if (rival.ends_with(".cu")) {
      files.push_back(rival);
    } else if (const explore::Peer* peer = explore::find_peer(rival)) {
      request.peers.push_back(peer);
    } else if (rival != "copy") {  // the copy is always there
      throw UsageError(
          msg("--against \"{}\": cublas, triton, torch and fast (lab::transpose) are known, copy is always "
              "measured, and a kernel file (.cu) may stand there.",
              rival));
    }
  }
  if (options.files.empty() || !options.chapters.empty() || options.mine) {
    for (const judge::ChapterInfo* chapter : chapters_in(options.chapters)) {
      explore::BenchContender& c = request.contenders.emplace_back();
      c.name = chapter->name;
      c.idea = chapter->idea;
      c.row_bytes = chapter->row_bytes;
      c.file = options.mine ? judge::chapter_kernel(*chapter) : judge::solution_kernel(*chapter);
      c.target = [file = c.file](judge::Subject& subject, int elem_bytes) {
        return explore::course_target(subject, file, elem_bytes);
      };
    }
  }
  for (const std::string& file : files) request.contenders.push_back(file_contender(file, options));
  return request;
}

// None: the simulator. Says why where a GPU was to be expected.
std::unique_ptr<device::Gpu> gpu_for(const BenchOptions& options) {
  const judge::DeviceChoice choice = device_choice(options.device);
  if (choice == judge::DeviceChoice::Sim) return nullptr;
  try {
    return device::open_gpu({.index = options.gpu_index});
  } catch (const device::GpuUnavailable& error) {
    if (choice == judge::DeviceChoice::Gpu) throw EnvironmentError(text::message_of(error));
    if (error.survey.cuda_version != 0) fmt::print(stderr, "lab: {}\n", text::translated(error));
    return nullptr;
  }
}

// Runs it, and says meanwhile which kernel is at work.
explore::BenchReport run_aloud(BenchRequest& request, device::Gpu* gpu) {
  Waiting waiting(tr("measuring"));
  const std::size_t all =
      request.problems.size() * (request.contenders.size() + (request.cublas ? 1 : 0)) + request.peers.size();
  std::size_t begun = 0;
  request.progress = [&](const std::string& who, const Problem& problem) {
    waiting.at(fmt::format("{}, {}", who, report::column_name(problem)));
    waiting.reached(std::min(begun++, all), all);
  };
  return explore::run_bench(request, gpu);
}

void write_file(const std::string& path, const std::string& text) {
  write_named(path, text);
  fmt::print(stderr, "lab: {}\n", tr("wrote {}", path));
}

// The line that makes the report again.
std::string command_line(const BenchOptions& o) {
  std::string line = "./lab bench";
  for (const std::string& file : o.files) line += " " + file;
  if (o.mine) line += " --mine";
  for (const auto& [name, value] : {std::pair{"--chapters", o.chapters},
                                    {"--sizes", o.sizes},
                                    {"--types", o.types},
                                    {"--against", o.against},
                                    {"--block", o.block},
                                    {"--tile", o.tile}}) {
    if (!value.empty()) line += fmt::format(" {} {}", name, value);
  }
  return line;
}

int bench(const Session& session, const BenchOptions& options) {
  if (options.json + options.csv + options.markdown > 1)
    throw UsageError(msg("Give one of --json, --csv and --markdown."));
  if (options.drawn > 0) return bench_drawn(options.drawn, options.seed, options.json, options.gpu_index);
  for (const std::string& file : {options.svg, options.html, options.write + ".svg"}) check_named(file, '<');
  explore::BenchRequest request = request_for(session, options);
  if (!request.peers.empty() && options.gpu_index != 0)
    throw UsageError(
        msg("fast, triton and torch run on the first GPU: choose it by CUDA_VISIBLE_DEVICES={} in place of "
            "--gpu-index.",
            options.gpu_index));
  const std::unique_ptr<device::Gpu> gpu = gpu_for(options);
  request.problems = problems_for(options, gpu.get());
  explore::BenchReport report;
  try {
    report = run_aloud(request, gpu.get());
  } catch (const device::DeviceError& error) {
    throw EnvironmentError(text::message_of(error));
  }
  if (!options.svg.empty()) write_file(options.svg, report::bench_svg(report));
  if (!options.html.empty())
    write_file(options.html, report::bench_html(report, command_line(options), base::utc_now("%Y-%m-%d")));
  if (!options.write.empty()) {
    write_file(options.write + ".json", report::dump(report::bench_json(report)) + "\n");
    write_file(options.write + ".csv", report::bench_csv(report));
    write_file(options.write + ".md", report::bench_markdown(report));
    write_file(options.write + ".svg", report::bench_svg(report));
    write_file(options.write + ".html",
               report::bench_html(report, command_line(options), base::utc_now("%Y-%m-%d")));
  }
  if (options.json) {
    print_json(report::bench_json(report));
  } else if (options.csv) {
    fmt::print("{}", report::bench_csv(report));
  } else if (options.markdown) {
    fmt::print("{}", report::bench_markdown(report));
  } else {
    fmt::print("{}", report::bench_text(report, session.style()));
  }
  return static_cast<int>(report.all_right() ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

}  // namespace

Command bench_command(const Session& session) {
  Command command{
      "bench",
      "Times kernels on a GPU, against a copy and other transposes; without a GPU prints their counters.\n"
      "Example: ./lab bench --chapters 4-9 --sizes 8192 --against cublas    ./lab bench my.cu --sizes "
      "1000x7777"};
  static BenchOptions options;
  command.option("files", options.files, "Kernel files; none: the solutions of the chapters");
  command.option("--chapters", options.chapters, "Chapters: 4,5,6 or 4-9 (default: all)");
  command.option("--mine", options.mine, "Your kernels in chapters/ instead of the solutions");
  command.option("--sizes", options.sizes, "Matrices: 1024,1000x7777 (rows x columns)");
  command.option("--types", options.types, "Elements: u8, u16, u32, u64, u128 (default: u32, a float)");
  command.option("--against", options.against,
                 "cublas, triton, torch, fast (lab::transpose), or further kernel files");
  command.option("--block", options.block, "Threads of a block, XxY, for files without LAUNCH_SHAPE");
  command.option("--tile", options.tile, "Elements that a block covers, XxY, for files without LAUNCH_SHAPE");
  command.option("--samples", options.samples, "Samples of each time").between(3, 10'000).with_default();
  command.option("--drawn", options.drawn, "So many layouts that a seed draws, by lab::permute, on a GPU")
      .between(1, 10'000);
  command.option("--seed", options.seed, "Seed of --drawn (default: another one each time)");
  add_device_options(command, options.device, options.gpu_index);
  command.json(options.json);
  command.option("--csv", options.csv, "Rows with commas");
  command.option("--markdown", options.markdown, "A table for a page");
  command.option("--svg", options.svg, "Writes the picture to this file");
  command.option("--html", options.html, "Writes a page to this file");
  command.option("--write", options.write, "Writes all of them: NAME.json, .csv, .md, .svg, .html");
  command.run = [&session] { return bench(session, options); };
  return command;
}

}  // namespace lab::cli
