// One launch. See launch.h.
#include "common/run/cudart/launch.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "common/run/cudart/beside.h"
#include "common/run/cudart/copy.h"
#include "common/run/cudart/launch_shape.h"
#include "common/run/cudart/one_order.h"
#include "common/run/cudart/progress.h"
#include "common/run/cudart/repeats.h"
#include "common/run/cudart/request.h"
#include "common/run/cudart/schedules.h"
#include "common/sim/execute/launch_limits.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/counter_observer.h"
#include "common/sim/program/program_data.h"

namespace lab::cudart {
namespace {

constexpr std::uint64_t kBudgetInstructions = 100'000'000'000ull;     // warp instructions of one launch
constexpr std::uint64_t kBlockBudgetInstructions = 1'000'000'000ull;  // of one block: a quarter of a minute

Error code_of(const sim::Fault& fault) {
  if (fault.illegal_instruction) return Error::IllegalInstruction;
  switch (fault.kind) {
    case sim::FaultKind::OutOfBounds:
    case sim::FaultKind::WriteToConst:
    case sim::FaultKind::PoisonedGlobal:
    case sim::FaultKind::NoPeerAccess:
      return Error::IllegalAddress;
    case sim::FaultKind::Misaligned:
      return Error::MisalignedAddress;
    case sim::FaultKind::Deadlock:
    case sim::FaultKind::BudgetExceeded:
      return Error::LaunchTimeout;
    case sim::FaultKind::StackOverflow:
      return Error::HardwareStackError;
    case sim::FaultKind::InvalidLaunch:
    case sim::FaultKind::TooMuchShared:
      return Error::InvalidValue;
    case sim::FaultKind::Unsupported:
      return Error::NotSupported;
    case sim::FaultKind::Trap:
      return fault.assertion.empty() ? Error::LaunchFailure : Error::Assert;
    case sim::FaultKind::SharedRace:
    case sim::FaultKind::MissingSyncwarp:
    case sim::FaultKind::GlobalRace:
    case sim::FaultKind::UninitialisedShared:
    case sim::FaultKind::UninitialisedLocal:
    case sim::FaultKind::AsyncEarly:
    case sim::FaultKind::ProxyFence:
    case sim::FaultKind::PeerGone:
    case sim::FaultKind::BarrierDivergence:
    case sim::FaultKind::WarpSync:
    case sim::FaultKind::TooMuchMemory:
    case sim::FaultKind::BadPtx:
      return Error::LaunchFailure;
  }
  return Error::LaunchFailure;  // no such kind
}

// What a launch refuses before anything runs. Such an error does not stick.
bool refused(const sim::Fault& fault) {
  const sim::FaultKind kind = fault.kind;
  if (fault.illegal_instruction) return false;
  return kind == sim::FaultKind::InvalidLaunch || kind == sim::FaultKind::TooMuchShared ||
         kind == sim::FaultKind::Unsupported || kind == sim::FaultKind::BadPtx;
}

std::string place_of(const sim::Fault& fault) {
  return fault.file.empty() ? "" : fault.file + ":" + std::to_string(fault.line) + ": ";
}

// The same finding: of one kind, at the same places. Without lines, of one kernel and with the same form.
std::string identity(const Function& function, const sim::Fault& fault) {
  std::string same(sim::code(fault.kind));
  if (fault.line == 0) return same + " " + function.shown + " " + fault.message.form();
  return same + " " + place_of(fault) + " " + fault.other_file + ":" + std::to_string(fault.other_line);
}

void report(const Function& function, const sim::Fault& fault) {
  const std::string place = place_of(fault);
  if (!fault.assertion.empty()) {  // as a GPU says it
    say(msg("{}{}: block: {}, thread: {} Assertion `{}` failed.", place, function.brief, three(fault.block),
            three(fault.thread), fault.assertion));
    return;
  }
  say(msg("{} in {}: {}{}", sim::code(fault.kind), function.brief, place, fault.sentence()));
}

sim::LaunchOptions options() {
  sim::LaunchOptions options;
  options.budget_instructions = kBudgetInstructions;
  options.block_budget_instructions = kBlockBudgetInstructions;
  options.check_races = options.check_uninitialised = checks_run();
  options.turn_at_loads = true;
  options.checks_stop = false;
  options.kernels_launch = true;
  if (request().threads != 0) options.host_threads = static_cast<unsigned>(request().threads);
  if (request().check_memory_mib != 0)
    options.check_memory_bytes = static_cast<std::uint64_t>(request().check_memory_mib) << 20;
  options.go_on = request().go_on;
  return options;
}

Error finish(Context& c, Stream& stream, const Function& function, LaunchRecord record,
             sim::LaunchResult result) {
  c.output += result.output;
  // With --time, events and the table of launches show one time.
  c.timeline.add(stream.clock, stream.legacy,
                 record.work ? record.predicted.total : c.timeline.kernel_seconds(result));
  record.kernel = function.shown;
  record.device = current_device();
  record.result = &result;
  record.faults = result.faults;
  record.faults.insert(record.faults.end(), result.findings.begin(), result.findings.end());
  record.stopped = !result.faults.empty();
  c.records.add(record);
  for (const sim::Fault& note : result.notes) {
    c.say_once(msg("note on {}: {}{}", function.brief, place_of(note), note.sentence()));
  }
  for (const sim::Fault& finding : result.findings) {
    // A loop of launches finds it again and again, in other threads.
    c.say_once(identity(function, finding),
               msg("{} in {}: {}{}{}", sim::code(finding.kind), function.brief, place_of(finding),
                   finding.sentence(), finding.count > 1 ? msg(" ({} times)", finding.count) : Message()));
  }
  const auto lineless = [](const sim::Fault& fault) { return fault.line == 0 && !refused(fault); };
  if (std::any_of(record.faults.begin(), record.faults.end(), lineless))
    c.say_once(
        "the kernel's code does not say from which lines it is made. To have them: @cuda.jit(lineinfo=True) "
        "in numba, -lineinfo for nvcc.");
  if (result.faults.empty()) return Error::Success;
  const sim::Fault& fault = result.faults.front();
  c.flush_output();
  report(function, fault);
  const Error code = code_of(fault);
  c.failed_codes.insert(code);
  if (refused(fault)) return code;
  c.stick(code);  // found out by the next call that waits
  return Error::Success;
}

// `lab run --launches N`: the launch behind the last one wanted never begins, and the program ends there with
// the code of a limit. Skipping it would let the program go on with results that were never computed.
void stop_behind_the_last(Context& c) {
  static std::int64_t begun = 0;
  if (request().launches == 0 || begun++ < request().launches) return;
  constexpr int kLimit = 4;
  c.flush_output();
  c.records.note(RunNote::MostLaunches);
  std::fflush(nullptr);
  ::_exit(kLimit);
}

// Managed, mapped or registered memory.
bool host_reaches_some(const Context& c) {
  if (c.memory.visible()) return true;
  return !c.allocated.empty() &&
         (c.allocated.begin()->first < sim::kGlobalBase || c.allocated.rbegin()->first >= sim::kVisibleBase);
}

// Whether memory and this decide what a launch does: no clock, no kernels behind it, one GPU, one order.
bool is_repeatable(const Context& c, const sim::ProgramData& program) {
  return !request().every_launch && !program.reads_clock && program.launches_at == sim::kNoPc &&
         !c.records.wants_time() && !c.memory.several_devices() && !wants_schedules();
}

Repeats::Launch named(const Context& c, const Function& function, const sim::LaunchConfig& config,
                      const std::vector<std::byte>& parameters, bool watches_touches, bool overlaps,
                      bool in_order) {
  const Dim3 &g = config.grid, &b = config.block, &k = config.cluster;
  return {&function,
          {g.x, g.y, g.z, b.x, b.y, b.z, k.x, k.y, k.z},
          config.dynamic_shared_bytes,
          limits_of(c, function).max_cluster,
          config.allow_large_shared,
          config.cooperative,
          watches_touches,
          overlaps,
          in_order,
          parameters};
}

constexpr int kMostGenerations = 1000;  // below the kernel that the host launched; a GPU has no such limit
Error run_launched(Context& c, Stream& stream, const Function& parent, const BesideObserver& beside,
                   std::vector<sim::DeviceLaunch> launched, int depth);

// What looks at the ranges that a kernel touched which another one launched.
using Touches = std::function<void(Context&, const std::vector<Touched>&, const Message&)>;

Error run(Context& c, Stream& stream, Function& function, const LaunchShape& shape,
          const std::vector<std::byte>& parameters, int depth, const Touches& beside_parent) {
  stop_behind_the_last(c);
  const sim::Program& program = Modules::program(c, function);
  sim::LaunchConfig config;
  config.grid = shape.grid;
  config.block = shape.block;
  config.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  config.allow_large_shared = function.here().max_dynamic_shared >= 0;
  config.cooperative = shape.cooperative;
  config.cluster = shape.cluster.value_or(Dim3{0, 0, 0});
  LaunchRecord record;
  record.grid = shape.grid;
  record.block = shape.block;
  record.shared_bytes = program.static_shared_bytes() + config.dynamic_shared_bytes;
  sim::LaunchOptions how = options();
  const bool overlaps = shape.overlaps && depth == 0;
  if (depth == 0) work_order().begin_kernel(stream, overlaps, program.data().lets_next_begin);
  // Else another stream may come later, and nothing orders the two.
  const bool in_order = stream.legacy && depth == 0 && !overlaps && c.devices.size() == 1 &&
                        program.data().launches_at == sim::kNoPc && one_order();
  TouchObserver touched(overlaps, in_order ? TouchObserver::Of::HostMemory : TouchObserver::Of::AllMemory);
  const bool leaves_ranges = how.check_races && (!in_order || host_reaches_some(c));
  if (c.memory.visible()) c.memory.see_host_writes();
  const Message what = msg("the kernel `{}`", function.brief);
  const bool repeatable = is_repeatable(c, program.data());
  const Repeats::Launch launch = named(c, function, config, parameters, leaves_ranges, overlaps, in_order);
  if (const LaunchOutcome* known = repeatable ? repeats().find(c.memory, launch) : nullptr) {
    c.records.note(RunNote::Repeats);
    record.as_ptxas = known->as_ptxas;
    if (leaves_ranges) work_order().touches(c, stream, known->touched, what);
    if (leaves_ranges && beside_parent) beside_parent(c, known->touched, what);
    return finish(c, stream, function, std::move(record), known->result);
  }
  if (repeatable) repeats().before(c.memory, launch);
  Elsewhere elsewhere = other_schedules(how, program.data().turns_decide, [&](const sim::LaunchOptions& o) {
    return sim::launch(c.memory, program, config, parameters, o, limits_of(c, function));
  });
  if (leaves_ranges) how.observers.push_back(&touched);
  BesideObserver beside;
  if (leaves_ranges && program.data().launches_at != sim::kNoPc) how.observers.push_back(&beside);
  sim::CounterObserver machine(sim::CounterObserver::Of::MachineCode);
  const bool timed = c.records.wants_time();
  if (c.records.wants_as_ptxas() || timed) how.observers.push_back(&machine);
  std::unique_ptr<model::TrafficObserver> traffic;  // megabytes
  if (timed) {
    traffic = std::make_unique<model::TrafficObserver>(c.device().cache(c.gpu.l2_bytes));
    how.observers.push_back(traffic.get());
    how.host_threads = 1;  // the cache sees blocks in their order
  }
  Progress::the().begin(function.brief);
  sim::LaunchResult result = sim::launch(c.memory, program, config, parameters, how, limits_of(c, function));
  Progress::the().end(result.lane_instructions);
  add_unseen(result, std::move(elsewhere));
  if (c.records.wants_as_ptxas() && result.ok()) record.as_ptxas = machine.totals();
  // The model of time knows no link.
  const sim::Counters& counted = result.counters;
  const bool alone = counted[sim::Path::LinkLoad].requests + counted[sim::Path::LinkStore].requests +
                         counted[sim::Path::LinkAtomic].requests ==
                     0;
  if (timed && alone && result.ok()) {
    record.work = model::work_of(c.gpu, program, config, machine.totals(), traffic->result());
    record.work->of_ptx = result.warp_instructions;
    record.predicted = model::predict(*record.work, c.gpu);
  }
  if (repeatable)
    repeats().after(c.memory, launch, result, record.as_ptxas, leaves_ranges ? &touched : nullptr);
  if (leaves_ranges) {
    const std::vector<Touched> ranges = touched.touched();
    work_order().touches(c, stream, ranges, what);
    if (beside_parent) beside_parent(c, ranges, what);
  }
  std::vector<sim::DeviceLaunch> launched =
      result.ok() ? std::move(result.launched) : std::vector<sim::DeviceLaunch>{};
  const Error ended = finish(c, stream, function, std::move(record), std::move(result));
  if (ended != Error::Success || launched.empty()) return ended;
  return run_launched(c, stream, function, beside, std::move(launched), depth + 1);
}

// Work of a launch whose shape is allowed; else a record of the launch that never was, and ApiError.
Work checked_work(Context& c, Function& function, const LaunchShape& shape, int depth, const Stream* stream,
                  const std::function<std::vector<std::byte>(const sim::Program&)>& pack,
                  const Touches& beside_parent = nullptr) {
  try {
    const sim::Program& program = Modules::program(c, function);
    if (stream != nullptr && stream->device != current_device())
      throw ApiError{Error::InvalidResourceHandle,
                     msg("`{}`: the stream was made on GPU {}, and the current one is GPU {}. Call "
                         "cudaSetDevice({}) before the launch.",
                         function.brief, stream->device, current_device(), stream->device)};
    check_shape(c, function, program, shape);
    return [&function, shape, depth, parameters = pack(program), device = current_device(), beside_parent](
               Context& now, Stream& on) {
      const DeviceScope scope(now, device);
      return run(now, on, function, shape, parameters, depth, beside_parent);
    };
  } catch (const ApiError& error) {
    LaunchRecord record;
    record.kernel = function.shown;
    record.grid = shape.grid;
    record.block = shape.block;
    record.stopped = true;
    record.device = current_device();
    c.failed_codes.insert(error.code);
    sim::Fault fault = error.fault.value_or(sim::Fault{});
    fault.kind = error.code == Error::NotSupported ? sim::FaultKind::Unsupported
                 : error.code == Error::InvalidPtx ? sim::FaultKind::BadPtx
                                                   : sim::FaultKind::InvalidLaunch;
    if (!error.fault) fault.message = error.why.empty() ? Message(error_text(error.code)) : error.why;
    record.faults.push_back(std::move(fault));
    c.records.add(record);
    throw;
  }
}

// What a kernel asked for: in that order, which keeps that of each stream; tails behind all that is no tail.
Error run_launched(Context& c, Stream& stream, const Function& parent, const BesideObserver& beside,
                   std::vector<sim::DeviceLaunch> launched, int depth) {
  using What = sim::DeviceLaunch::What;
  std::stable_partition(launched.begin(), launched.end(), [](const sim::DeviceLaunch& one) {
    return one.stream != sim::DeviceLaunch::kTailStream;
  });
  const auto work_of = [&](const sim::DeviceLaunch& one) -> Work {
    const auto check = [&](Context& now, const std::vector<Touched>& touched, const Message& what) {
      beside.check(now, parent.brief, one.number, touched, what);
    };
    const Side to{pointer_to(one.to)};
    const Touched written{.low = one.to, .high = one.to + one.size_bytes, .writes = true};
    const Touched read{.low = one.from, .high = one.from + one.size_bytes};
    if (one.what == What::Fill) {
      check(c, {written}, "a fill (cudaMemsetAsync)");
      return fill_work(c, to, one.value, 1, {one.size_bytes});
    }
    if (one.what == What::Copy) {
      check(c, {written, read}, "a copy (cudaMemcpyAsync)");
      return copy_work(c, to, {pointer_to(one.from)}, {one.size_bytes}, CopyKind::Default);
    }
    Function* const child = modules().function_named(c, *parent.binary, one.kernel);
    return checked_work(
        c, *child, {one.grid, one.block, one.dynamic_shared_bytes, false, {}}, depth, nullptr,
        [&](const sim::Program&) { return one.parameters; }, check);
  };
  for (const sim::DeviceLaunch& one : launched) {
    if (c.stuck != Error::Success) break;
    if (one.what == What::Kernel && depth > kMostGenerations)
      throw ApiError{
          Error::LaunchMaxDepthExceeded,
          msg("`{}` launches a kernel {} generations below the host's; the simulator goes down {}.",
              parent.brief, depth, kMostGenerations)};
    if (const Error e = work_of(one)(c, stream); e != Error::Success) return e;
  }
  return Error::Success;
}

}  // namespace

Work launch_work(Context& c, Function& function, const LaunchShape& shape, void** arguments,
                 const Stream* stream) {
  return checked_work(c, function, shape, 0, stream, [&](const sim::Program& program) {
    std::vector<std::byte> parameters(program.parameter_bytes());
    std::size_t k = 0;
    if (!program.parameters().empty()) need(arguments);
    for (const sim::ParameterInfo& p : program.parameters()) {
      need(arguments[k]);
      std::memcpy(parameters.data() + p.offset_bytes, arguments[k++], p.size_bytes);
    }
    return parameters;
  });
}

}  // namespace lab::cudart
