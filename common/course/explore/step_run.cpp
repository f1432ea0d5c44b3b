// Running and looking up. See step_run.h.
#include "common/course/explore/step_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/source_text.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/declared.h"
#include "common/course/judge/verify.h"
#include "common/sim/base/lanes.h"

namespace lab::explore {
namespace {

using base::ExitCode;
using base::LabError;
using base::UsageError;

constexpr std::uint64_t kMostStepThreads = 1024;
constexpr std::int64_t kMostStepElems = 1 << 16;

// The whole of a small run, before one block of it is chosen.
struct StepSubject {
  judge::Subject subject;
  judge::Target target;
  judge::Problem problem;
  std::string shown;
};

// The blocks of the cluster that has this one, it first; as many as the bounds allow.
std::vector<std::uint64_t> cluster_around(sim::Dim3 at, sim::Dim3 cluster, sim::Dim3 grid,
                                          std::uint64_t threads) {
  const auto number = [&](std::uint32_t x, std::uint32_t y) {
    return x + std::uint64_t{grid.x} * (y + std::uint64_t{grid.y} * at.z);
  };
  std::vector<std::uint64_t> blocks{number(at.x, at.y)};
  for (std::uint32_t y = 0; y < cluster.y; ++y) {
    for (std::uint32_t x = 0; x < cluster.x; ++x) {
      const std::uint64_t other = number(at.x / cluster.x * cluster.x + x, at.y / cluster.y * cluster.y + y);
      if (other != blocks[0] && (blocks.size() + 1) * threads <= kMostStepThreads) blocks.push_back(other);
    }
  }
  return blocks;
}

// "X,Y", in the grid.
sim::Dim3 block_named(const std::string& text, sim::Dim3 grid) {
  unsigned x = 0, y = 0;
  char behind = 0;
  if (std::sscanf(text.c_str(), "%u,%u%c", &x, &y, &behind) != 2 || x >= grid.x || y >= grid.y)
    throw UsageError(
        msg("--at {}: write X,Y, a block of the grid; this one has {} × {} blocks.", text, grid.x, grid.y));
  return {x, y, 0};
}

const sim::Fault* first_found(const judge::Run& run) {
  if (!run.faults.empty()) return &run.faults.front();
  const auto first =
      std::min_element(run.findings.begin(), run.findings.end(),
                       [](const auto& a, const auto& b) { return a.block_index < b.block_index; });
  return first == run.findings.end() ? nullptr : &*first;
}

bool touches(const StepAccess& access, std::size_t lane, std::uint64_t address) {
  return access.acts(lane) && address >= access.address[lane] &&
         address - access.address[lane] < access.width_bytes;
}

// Whether a lane of this step does, but for one of that warp.
bool touched_in(const WarpStep& step, std::uint64_t address, std::uint32_t but_warp, std::size_t but_lane) {
  for (const StepAccess& access : step.accesses) {
    for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask))
      if (touches(access, lane, address) && (step.warp != but_warp || lane != but_lane)) return true;
  }
  return false;
}

// A thread's mistake is at the first step of its warp on that line where it touches the place; a race behind
// one is on the other line, where another thread did.
std::int32_t step_of_fault(const StepRun& run, const sim::Fault& fault) {
  const sim::Dim3 threads = run.run.block;
  const std::uint64_t thread =
      fault.thread.x +
      std::uint64_t{threads.x} * (fault.thread.y + std::uint64_t{threads.y} * fault.thread.z);
  const auto lane = static_cast<std::size_t>(thread % sim::kWarpLanes);
  const auto warp = static_cast<std::uint32_t>(thread / sim::kWarpLanes);
  bool met = fault.other_line == 0;
  for (std::size_t k = 0; k < run.data.steps.size(); ++k) {
    const WarpStep& step = run.data.steps[k];
    const bool here = step.line == fault.line && step.warp == warp &&
                      run.data.blocks[step.block] == fault.block_index &&
                      std::any_of(step.accesses.begin(), step.accesses.end(),
                                  [&](const StepAccess& a) { return touches(a, lane, fault.address); });
    if (met && here) return static_cast<std::int32_t>(k);
    met = met || (step.line == fault.other_line && touched_in(step, fault.address, warp, lane));
  }
  return kNoStep;
}

// A fault that stops the launch: the last that the recording has of its warp.
std::int32_t last_of_warp(const StepRun& run, const sim::Fault& fault) {
  if (run.data.full) return kNoStep;
  const sim::Dim3 threads = run.run.block;
  const std::uint64_t warp =
      (fault.thread.x +
       std::uint64_t{threads.x} * (fault.thread.y + std::uint64_t{threads.y} * fault.thread.z)) /
      sim::kWarpLanes;
  for (std::size_t k = run.data.steps.size(); k-- > 0;) {
    const WarpStep& step = run.data.steps[k];
    if (step.what == WarpStep::What::Statement && step.warp == warp &&
        run.data.blocks[step.block] == fault.block_index)
      return static_cast<std::int32_t>(k);
  }
  return kNoStep;
}

void add_found(StepRun& run) {
  for (const sim::Fault& fault : run.run.faults) run.found.push_back({fault, last_of_warp(run, fault)});
  for (const sim::Fault& fault : run.run.findings) run.found.push_back({fault, step_of_fault(run, fault)});
  for (StepFound& found : run.found)
    for (Message* words :
         {&found.fault.message, &found.fault.went_into, &found.fault.decides, &found.fault.advice})
      judge::name_elements(*words, run.arrays);
}

// Where elements of `in` differ from each other by their bytes.
void name_elements_of_input(StepRun& run) {
  const judge::Problem& p = run.run.problem;
  if (judge::passes(p) != 1) return;
  const auto bytes = static_cast<std::size_t>(p.elem_bytes);
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t row = 0; row < p.rows; ++row) {
      for (std::int64_t col = 0; col < p.cols; ++col) {
        const auto element = static_cast<std::uint64_t>(batch * p.in_stride() + row * p.in_pitch() + col);
        const auto* from = reinterpret_cast<const char*>(run.input.data()) + element * bytes;
        if (!run.elements.emplace(std::string(from, bytes), element).second) return run.elements.clear();
      }
    }
  }
}

StepRun recorded_run(StepSubject& small, sim::Dim3 at, StepRun run) {
  const sim::Dim3 cluster = judge::cluster_of(*small.target.shape);
  run.cluster = {std::max(cluster.x, 1u), std::max(cluster.y, 1u), 1};
  const sim::Dim3 grid = judge::grid_of(*small.target.shape, small.problem);
  const auto threads = static_cast<std::uint64_t>(small.target.shape->block.x) *
                       static_cast<std::uint64_t>(small.target.shape->block.y);
  StepRecorder recorder(cluster_around(at, run.cluster, grid, threads), small.shown);
  recorder.names(run.variables);
  recorder.chooses(run.turns);
  judge::Watch watch;
  judge::Target target = small.target;
  target.observers = watch.observers();
  target.placed = [&](device::Address out, std::uint64_t out_bytes, device::Address in) {
    run.out = out, run.out_bytes = out_bytes, run.in = in;
    recorder.lies(out, out_bytes);
  };
  run.run = small.subject.observed(small.problem, target, recorder);
  recorder.compute_recipes();
  run.data = recorder.data();
  run.arrays = watch.seen().arrays;
  run.input.resize(small.problem.in_bytes());
  judge::fill_input(small.problem, judge::words_for(small.problem, small.subject.input_key()), 0, run.input);
  return run;
}

judge::Problem step_problem(const KernelChoice& choice, const judge::ChapterInfo* chapter) {
  constexpr std::int64_t kRows = 64, kCols = 48;
  judge::Problem problem;
  if (chapter != nullptr) problem.elem_bytes = chapter->measured.elem_bytes;
  problem.rows = kRows, problem.cols = kCols;
  if (choice.problem) {
    problem = *choice.problem;
    if (chapter != nullptr) problem.elem_bytes = chapter->measured.elem_bytes;
  }
  if (problem.in_elems() > kMostStepElems || problem.out_elems() > kMostStepElems)
    throw UsageError(msg("`lab step` shows matrices of up to {} elements; give smaller --rows and --cols.",
                         kMostStepElems));
  return problem;
}

// Which block stores last to a place of `out`.
class LastWriter final : public sim::Observer {
 public:
  std::uint64_t at = 0;  // an address
  [[nodiscard]] std::optional<std::uint64_t> block() const { return *block_; }
  // The copy notes in the same place: there is one host thread.
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<LastWriter>(*this);
  }
  void access(std::uint32_t /*slot*/, const sim::Access& access) override {
    if (access.space != sim::Space::Global || !sim::writes(access.path)) return;
    for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask))
      if (at - access.address[lane] < access.width_bytes) *block_ = access.place->block_index;
  }

 private:
  std::shared_ptr<std::optional<std::uint64_t>> block_ = std::make_shared<std::optional<std::uint64_t>>();
};

// The one that stores the first wrong element; 0,0 where none does.
sim::Dim3 block_of_mismatch(StepSubject& small, const judge::Mismatch& wrong, sim::Dim3 grid) {
  LastWriter writer;
  const judge::Problem& p = small.problem;
  judge::Target target = small.target;
  target.placed = [&](device::Address out, std::uint64_t, device::Address) {
    writer.at = out + static_cast<std::uint64_t>(wrong.batch * p.out_stride() + wrong.row * p.out_pitch() +
                                                 wrong.col) *
                          static_cast<std::uint64_t>(p.elem_bytes);
  };
  (void)small.subject.observed(p, target, writer);
  return grid.at(writer.block().value_or(0));
}

// The block of that name; of none the first that something is found in, or that stores a wrong element.
sim::Dim3 chosen_block(StepSubject& small, const std::string& name) {
  const sim::Dim3 grid = judge::grid_of(*small.target.shape, small.problem);
  if (!name.empty()) return block_named(name, grid);
  StepRecorder nothing({}, small.shown);
  const judge::Run first = small.subject.observed(small.problem, small.target, nothing);
  if (const sim::Fault* fault = first_found(first)) return grid.at(fault->block_index);
  return first.mismatch ? block_of_mismatch(small, *first.mismatch, grid) : sim::Dim3{0, 0, 0};
}

void must_have_gone_on(const StepData& data, std::size_t step, std::uint32_t warp) {
  if (step < data.steps.size() && data.steps[step].what == WarpStep::What::Statement &&
      data.steps[step].warp == warp)
    return;
  throw UsageError(
      msg("--choose {}:{}: no such warp can go on at that step: it waits, has returned, or no "
          "statement begins there.",
          step, warp));
}

StepRun run_steps(const StepChoice& choice, const std::filesystem::path& file,
                  const judge::ChapterInfo* chapter, std::string ptx, const std::string& refused) {
  StepRun run;
  run.variables = take_variables(ptx);
  run.refused = refused;
  StepSubject small{
      judge::Subject(std::move(ptx), 1), {}, step_problem(choice.kernel, chapter), base::shown_path(file)};
  run.kernel = small.shown;
  run.file = file;
  small.target = judge::target_named(small.subject, small.shown, choice.kernel.entry, chapter);
  if (run.variables.stops.empty()) run.variables = registers_of(small.subject.ptx(), small.target.entry);
  const KernelFacts facts = facts_of(small.subject, file, small.target.entry, choice.shape);
  small.target.shape = facts.shape;
  small.target.goes_on = true;
  if (chapter == nullptr || !choice.shape.block.empty() || choice.shape.elem_bytes != 0)
    small.problem.elem_bytes = facts.elem_bytes, run.assumed = facts.assumed;
  if (facts.shape.gpus > 1)
    throw LabError(ExitCode::NotYet,
                   msg("{} runs on several GPUs; `lab step` shows those of one.", small.shown));
  must_fit(small.problem, chapter);
  run.turns = choice.turns;
  run = recorded_run(small, chosen_block(small, choice.at), std::move(run));
  for (const auto& [step, warp] : run.turns) must_have_gone_on(run.data, step, warp);
  run.is_transpose = small.target.task == nullptr;
  run.source = base::read_source_lines(file);
  name_elements_of_input(run);
  add_found(run);
  return run;
}

// The built-in compiler knows where variables are. What it refuses, and why, is compiled as ever, and shown with
// registers in their place.
compile::CompileResult compiled_with_variables(const std::filesystem::path& file,
                                               std::optional<compile::CompilerKind> compiler,
                                               std::string& refused) {
  const bool asked = compiler || !base::environment_variable("LAB_COMPILER").empty();
  const auto builtin = [&] {
    return judge::compile_file(file, compile::CompilerKind::Builtin, {"--variables"});
  };
  if (compiler == compile::CompilerKind::Builtin || !asked) {
    try {
      compile::CompileResult made = builtin();
      if (made.ok) return made;
      refused = made.log.substr(0, made.log.find('\n'));
    } catch (const base::EnvironmentError&) {
      if (asked) throw;
    }
  }
  return compiled_kernel(file, compiler);
}

}  // namespace

void go_on(std::vector<StepFlight>& way, const StepData& data, std::size_t step) {
  const WarpStep& here = data.steps[step];
  for (std::uint32_t k = 0; k < here.copies.size(); ++k) way.push_back({static_cast<std::uint32_t>(step), k});
  std::erase_if(way, [&](const StepFlight& flight) {
    return std::find(here.landed.begin(), here.landed.end(), flight) != here.landed.end();
  });
}

std::vector<StepFlight> on_their_way(const StepData& data, std::size_t step) {
  std::vector<StepFlight> way;
  for (std::size_t k = 0; k <= step; ++k) go_on(way, data, k);
  return way;
}

StepTurns turns_named(const std::string& text) {
  StepTurns turns;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    unsigned step = 0, warp = 0;
    char behind = 0;
    if (std::sscanf(word.c_str(), "%9u:%9u%c", &step, &warp, &behind) != 2 ||
        !turns.emplace(step, warp).second)
      throw UsageError(
          msg("--choose {}: write STEP:WARP, each step once, with commas between, as in 12:3,20:0.", word));
  }
  return turns;
}

StepRun step_run(const StepChoice& choice, std::optional<compile::CompilerKind> compiler) {
  const judge::ChapterInfo* chapter = judge::find_chapter(choice.kernel.name);
  const std::filesystem::path file =
      chapter == nullptr ? judge::file_named(choice.kernel.name, choice.kernel.solution).path
                         : judge::kernel_of(*chapter, choice.kernel.kernel, choice.kernel.solution);
  std::string refused;
  const compile::CompileResult compiled = compiled_with_variables(file, compiler, refused);
  try {
    StepRun run = run_steps(choice, file, chapter, compiled.ptx(), refused);
    if (run.data.steps.empty() && !run.run.faults.empty())
      throw LabError(judge::exit_code(run.run),
                     msg("{} stops before this block begins, so there is nothing to step through: {}",
                         run.kernel, run.run.faults.front().sentence()));
    return run;
  } catch (const device::LoadError& error) {
    throw LabError(ExitCode::NotYet,
                   msg("{} cannot run: {}", base::shown_path(file), error.fault.sentence()));
  }
}

StepRun::Place StepRun::place_of(const StepAccess& access, std::size_t lane) const {
  const std::uint64_t at = access.address[lane];
  const sim::Space space = sim::info(access.path).space;
  if (space == sim::Space::Global) {
    if (at >= in && at - in < input.size()) return {Place::In::In, 0, at - in};
    if (at >= out && at - out < out_bytes) return {Place::In::Out, 0, at - out};
  } else if (space == sim::Space::Shared || space == sim::Space::Cluster) {
    for (std::size_t k = 0; k < arrays.size(); ++k)
      if (arrays[k].holds(at)) return {Place::In::Shared, k, at - arrays[k].offset_bytes};
  }
  return {Place::In::Else, 0, at};
}

std::string StepRun::name_of(const Place& place) const {
  const auto elem = static_cast<std::uint64_t>(run.problem.elem_bytes);
  if (place.of == Place::In::Shared) return judge::element_at(arrays[place.array], place.bytes, true);
  if (place.of == Place::In::Else || place.bytes % elem != 0) return "";
  if (place.of == Place::In::In) return name_in(place.bytes / elem);
  if (!is_transpose) return fmt::format("out[{}]", place.bytes / elem);
  const auto element = static_cast<std::int64_t>(place.bytes / elem);
  const std::int64_t in_matrix = element % run.problem.out_stride();
  return fmt::format("out({},{})", in_matrix / run.problem.out_pitch(), in_matrix % run.problem.out_pitch());
}

std::string StepRun::name_of_target(const VariablePart& part, std::uint64_t address) const {
  if (part.type == "shared") return name_in_shared(address);
  StepAccess access;
  access.address[0] = address;
  return part.type == "local" ? "" : name_of(place_of(access, 0));
}

std::string StepRun::name_in_shared(std::uint64_t offset) const {
  StepAccess access;
  access.path = sim::Path::SharedLoad;
  access.address[0] = offset;
  const Place place = place_of(access, 0);
  const std::string name = name_of(place);
  return name.empty() && place.of == Place::In::Shared && place.bytes == 0 ? arrays[place.array].name : name;
}

std::string StepRun::name_in(std::uint64_t element) const {
  const std::int64_t in_matrix = static_cast<std::int64_t>(element) % run.problem.in_stride();
  return fmt::format("in({},{})", in_matrix / run.problem.in_pitch(), in_matrix % run.problem.in_pitch());
}

std::optional<std::uint64_t> StepRun::element_of(std::span<const std::byte> bytes) const {
  const auto at = elements.find(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return at == elements.end() ? std::nullopt : std::optional(at->second);
}

sim::Mask StepRun::wrong_lanes(const StepAccess& access) const {
  const judge::Problem& p = run.problem;
  const auto elem = static_cast<std::size_t>(p.elem_bytes);
  if (!is_transpose || !sim::writes(access.path) || access.value.empty() || access.width_bytes % elem != 0)
    return 0;
  sim::Mask wrong = 0;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask)) {
    const Place place = place_of(access, lane);
    if (place.of != Place::In::Out || place.bytes % elem != 0) continue;
    for (std::size_t k = 0; k < access.width_bytes / elem; ++k) {
      const auto number = static_cast<std::int64_t>(place.bytes / elem + k);
      const std::int64_t batch = number / p.out_stride(), rest = number % p.out_stride();
      const std::int64_t row = rest / p.out_pitch(), col = rest % p.out_pitch();
      const auto from = static_cast<std::size_t>(batch * p.in_stride() + col * p.in_pitch() + row) * elem;
      const bool belongs = col < p.rows && batch < p.batch &&
                           std::memcmp(access.value.data() + lane * access.width_bytes + k * elem,
                                       input.data() + from, elem) == 0;
      if (!belongs) wrong |= 1u << lane;
    }
  }
  return wrong;
}

std::vector<VariableCall> StepRun::calls_of(const WarpStep& step) const {
  if (step.variables.stop >= 0)
    if (const auto& calls = variables.stops[static_cast<std::size_t>(step.variables.stop)].calls;
        !calls.empty())
      return calls;
  if (step.called_from == 0) return {};
  return {{"", step.called_from}};
}

namespace {

bool is_there(const StepRun& run, std::size_t k, StepTo to) {
  const WarpStep& step = run.data.steps[k];
  const auto any = [&](const auto& is) {
    return std::any_of(step.accesses.begin(), step.accesses.end(), is);
  };
  const auto moves = [](const StepAccess& a, sim::Space space, bool writes) {
    return sim::info(a.path).space == space && sim::writes(a.path) == writes;
  };
  switch (to) {
    case StepTo::Barrier:
      return step.what == WarpStep::What::Barrier;
    case StepTo::Fault:
      return std::any_of(run.found.begin(), run.found.end(),
                         [&](const StepFound& f) { return f.step == static_cast<std::int32_t>(k); });
    case StepTo::Wrong:
      return any([&](const StepAccess& a) { return run.wrong_lanes(a) != 0; });
    case StepTo::Tile:
      return any([&](const StepAccess& a) { return moves(a, sim::Space::Shared, false); });
    case StepTo::Store:
      return any([&](const StepAccess& a) {
        return moves(a, sim::Space::Global, true) || moves(a, sim::Space::Cluster, true);
      });
    case StepTo::Copy:
      return !step.copies.empty();
  }
  return false;
}

}  // namespace

std::optional<std::size_t> next_step(const StepRun& run, std::size_t from, StepTo to) {
  for (std::size_t k = from; k < run.data.steps.size(); ++k)
    if (is_there(run, k, to)) return k;
  return std::nullopt;
}

std::optional<std::size_t> next_of_warp(const StepRun& run, std::size_t now, bool over) {
  const WarpStep& here = run.data.steps[now];
  const std::size_t depth = run.calls_of(here).size();
  for (std::size_t k = now + 1; k < run.data.steps.size(); ++k) {
    const WarpStep& step = run.data.steps[k];
    if (step.what == WarpStep::What::Statement && step.warp == here.warp && step.block == here.block &&
        (!over || run.calls_of(step).size() <= depth))
      return k;
  }
  return std::nullopt;
}

std::optional<std::size_t> next_step_on(const StepRun& run, std::size_t from, int line) {
  for (std::size_t k = from; k < run.data.steps.size(); ++k)
    if (run.data.steps[k].line == line && run.data.steps[k].what == WarpStep::What::Statement) return k;
  return std::nullopt;
}

}  // namespace lab::explore
