// The order of streams, events and the host. See order.h.
#include "common/run/cudart/order.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "common/run/cudart/graph.h"
#include "common/run/cudart/streams.h"

namespace lab::cudart {
namespace {

constexpr std::uint64_t kWithheldBytes = 4096;
constexpr std::size_t kMostUses = 64;      // kept of a buffer: the oldest go first
constexpr std::size_t kMostWithheld = 32;  // buffers

// Two pieces of work that touch the same place: what they are called, and how they touch it.
struct Pair {
  const Message &now, &place, &before;
  const char *now_does, *before_does;  // " writes ", " writes"
};

Message on_two_streams(const Pair& p) {
  return msg(
      "{}{}{}, which {}{} on another stream, and nothing orders the two. Record an event behind "
      "the first (cudaEventRecord; one recorded before it does not count) and let the second's stream wait "
      "for it (cudaStreamWaitEvent), or wait on the host between them.",
      p.now, p.now_does, p.place, p.before, p.before_does);
}

Message in_two_nodes(const Pair& p) {
  return msg(
      "{}{}{}, which {}{} in another node of the graph, and no dependency orders the two. Name "
      "the first among the nodes that the second comes after (cudaGraphAddDependencies); in a capture, "
      "record an event behind the first and let the second's stream wait for it (cudaStreamWaitEvent).",
      p.now, p.now_does, p.place, p.before, p.before_does);
}

Message before_its_wait(const Pair& p) {
  return msg(
      "{}{}{} before it waits for {}, which{} it. The launch lets it begin while that one still "
      "runs (programmatic stream serialization). Call cudaGridDependencySynchronize() first, or launch it "
      "without the attribute.",
      p.now, p.now_does, p.place, p.before, p.before_does);
}

Message by_two_gpus(const Pair& p) {
  return msg(
      "{}{}{}, which {}{} on another GPU, both by atomics of the scope of one GPU, and nothing "
      "orders the two. Use atomics of the system's scope (atomicAdd_system, cuda::thread_scope_system), or "
      "wait on the host between them.",
      p.now, p.now_does, p.place, p.before, p.before_does);
}

bool knows(const Known& known, std::uint64_t stream, std::uint64_t number) {
  const auto found = known.find(stream);
  return found != known.end() && number <= found->second;
}

bool knows_all(const Known& known, const Known& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& one) { return knows(known, one.first, one.second); });
}

}  // namespace

void join(Known& known, const Known& more) {
  for (const auto& [stream, number] : more) known[stream] = std::max(known[stream], number);
}

GraphOrder::GraphOrder(Stream& on, const std::vector<GraphStep>& steps)
    : on_(on),
      graph_(steps),
      id_(on.id),
      before_(on.known),
      was_branching_(on.branches),
      steps_(steps.size()) {
  for (std::size_t k = 1; k < steps.size(); ++k)
    branches_ |= std::find(steps[k].after.begin(), steps[k].after.end(), k - 1) == steps[k].after.end();
  on_.branches |= branches_;
}

GraphOrder::~GraphOrder() {
  on_.branches = was_branching_;
  if (!branches_) return;
  on_.id = id_;
  for (const Step& step : steps_) join(on_.known, step.known);
  on_.known[id_] = on_.works;
}

// As many for a stream as its graphs have lines: the same at each launch.
std::uint64_t GraphOrder::line_of(std::size_t step) {
  for (const std::size_t k : graph_[step].after) {
    if (!std::exchange(steps_[k].goes_on, true)) return steps_[k].line;
  }
  if (lines_++ == 0) return id_;
  static std::map<std::pair<std::uint64_t, std::size_t>, std::uint64_t> made;
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 32;  // behind the numbers of streams
  return made.emplace(std::pair(id_, lines_), kFirst + made.size()).first->second;
}

void GraphOrder::begin(std::size_t step) {
  if (!branches_) return;
  on_.id = steps_[step].line = line_of(step);
  on_.known = before_;
  for (const std::size_t k : graph_[step].after) join(on_.known, steps_[k].known);
  on_.known[on_.id] = ++on_.works;
}

void GraphOrder::end(std::size_t step) {
  if (branches_) steps_[step].known = on_.known;
}

void WorkOrder::begin(Stream& stream) {
  const std::lock_guard lock(mutex_);
  give_back_all();
  all_given_ = true;
  join(stream.known, host_);
  streams().for_each([&](const Stream& other) {
    const bool ordered = stream.legacy ? other.clock.blocks : other.legacy && stream.clock.blocks;
    if (&other == &stream || other.device != stream.device || !ordered) return;
    join(stream.known, other.known);
    stream.known[other.id] = std::max(stream.known[other.id], other.works);
  });
  stream.known[stream.id] = ++stream.works;
}

void WorkOrder::begin_step() const {
  const std::lock_guard lock(mutex_);
  give_back_all();
}

void WorkOrder::end(Context& c) {
  const std::lock_guard lock(mutex_);
  if (all_given_) withhold(c);
}

void WorkOrder::begin_kernel(Stream& stream, bool overlaps, bool lets_next_begin) {
  LastKernel& last = stream.last_kernel;
  const bool behind_kernel = last.number != 0 && last.number + 1 == stream.works;
  last = {stream.works, overlaps && behind_kernel ? last.begins_behind : stream.works - 1, lets_next_begin,
          behind_kernel && !last.lets_next_begin};
}

void WorkOrder::touches(Context& c, const Stream& stream, const std::vector<Touched>& list,
                        const Message& what) {
  const std::lock_guard lock(mutex_);
  for (const Touched& range : list) {
    const sim::Allocation* a = c.memory.find(range.low, 1);
    if (a == nullptr) continue;
    std::vector<Use>& uses = uses_[a->base];
    const LastKernel& last = stream.last_kernel;
    for (const Use& use : uses) {
      if (!(use.range.writes || range.writes)) continue;
      const bool same = use.stream == stream.id;
      // Its own wait still orders what it writes. CUB's merge sort reads its partitions so.
      const bool blocks_done = range.waits_later && last.behind_done_blocks && use.number + 1 == stream.works;
      if (same &&
          (!range.early || blocks_done || use.number <= last.begins_behind || use.number == stream.works))
        continue;
      const bool both_strong = use.range.strong && range.strong, one_gpu = use.device == stream.device;
      if (both_strong && (one_gpu || (use.range.system && range.system))) continue;
      if (!overlap(use.range, range)) continue;
      if (!same && knows(stream.known, use.stream, use.number)) continue;
      const Message place = c.memory.describe(range.low, 1);
      const Pair pair{what, place, use.what,
                      range.writes ? /* message */ " writes " : /* message */ " reads ",
                      use.range.writes ? /* message */ " writes" : /* message */ " reads"};
      if (both_strong)
        c.found("stream-race", by_two_gpus(pair));
      else if (same)
        c.found("stream-race", before_its_wait(pair));
      else
        c.found("stream-race", use.branch && stream.branches ? in_two_nodes(pair) : on_two_streams(pair));
    }
    std::erase_if(uses, [&](const Use& use) {
      const bool covered = use.stream == stream.id && !range.bytes && !range.strong && !range.to_host &&
                           range.low <= use.range.low && use.range.high <= range.high &&
                           (range.writes || !use.range.writes);
      return covered || knows(host_, use.stream, use.number);
    });
    if (uses.size() == kMostUses) uses.erase(uses.begin());
    uses.push_back({range, stream.id, stream.works, stream.device, what, stream.branches});
  }
  withhold(c);
}

void WorkOrder::record(const Stream& stream, Event& event) { event.known = stream.known; }

void WorkOrder::wait(Stream& stream, const Event& event) { join(stream.known, event.known); }

void WorkOrder::host_waits(const Stream& stream, bool but_the_last) {
  Known known = stream.known;
  if (but_the_last) known[stream.id] = stream.works - 1;
  drop(known);
}

void WorkOrder::host_waits(const Event& event) { drop(event.known); }

bool WorkOrder::asks_early(Stream& stream) const {
  const std::lock_guard lock(mutex_);
  stream.asked = stream.works != 0 && !knows(host_, stream.id, stream.works) && !stream.asked;
  return stream.asked;
}

bool WorkOrder::asks_early(Event& event) const {
  const std::lock_guard lock(mutex_);
  event.asked = !knows_all(host_, event.known) && !event.asked;
  return event.asked;
}

void WorkOrder::host_waits_for_device(int device) {
  const std::lock_guard lock(mutex_);
  streams().for_each([&](const Stream& stream) {
    if (stream.device == device) join(host_, stream.known);
  });
  // Uses of streams that were destroyed go too.
  for (auto& [base, uses] : uses_) std::erase_if(uses, [&](const Use& use) { return use.device == device; });
  std::erase_if(uses_, [](const auto& entry) { return entry.second.empty(); });
  drop({});
}

void WorkOrder::behind_device(Stream& stream, int device) {
  streams().for_each([&](const Stream& other) {
    if (other.device != device || &other == &stream) return;
    join(stream.known, other.known);
    stream.known[other.id] = std::max(stream.known[other.id], other.works);
  });
}

void WorkOrder::before_device(const Stream& stream, int device) {
  streams().for_each([&](Stream& other) {
    if (other.device == device && &other != &stream) join(other.known, stream.known);
  });
}

void WorkOrder::drop(const Known& known) {
  const std::lock_guard lock(mutex_);
  join(host_, known);
  for (auto& [base, uses] : uses_) {
    std::erase_if(uses, [&](const Use& use) { return knows(host_, use.stream, use.number); });
  }
  give_back_all();
  withhold(context());
}

void WorkOrder::host_function_begins(const Known& known) {
  const std::lock_guard lock(mutex_);
  join(host_, known);
  for (const auto& [at, one] : withheld_) {
    if (knows_all(host_, one.until)) mprotect(pointer_to(at), one.size_bytes, PROT_READ | PROT_WRITE);
  }
}

void WorkOrder::host_frees(Context& c, sim::DeviceAddress base) const {
  const std::lock_guard lock(mutex_);
  const auto uses = uses_.find(base);
  if (uses == uses_.end()) return;
  for (const Use& use : uses->second) {
    if (knows(host_, use.stream, use.number)) continue;
    c.found("stream-race",
            msg("cudaFree frees {}, which {}{}. Memory from cudaMallocAsync is freed at once, without "
                "waiting: call cudaFreeAsync on the stream of its last use, or wait for that stream first "
                "(cudaStreamSynchronize).",
                c.memory.describe(base, 1), use.what,
                use.range.writes ? /* message */ " may still be writing"
                                 : /* message */ " may still be reading"));
    return;
  }
}

void WorkOrder::forget(sim::DeviceAddress base) {
  const std::lock_guard lock(mutex_);
  uses_.erase(base);
  give_back_all();
  withheld_.clear();
  withhold(context());
}

void WorkOrder::give_back_all() const {
  for (const auto& [at, one] : withheld_) mprotect(pointer_to(at), one.size_bytes, PROT_READ | PROT_WRITE);
}

void WorkOrder::withhold(Context& c) {
  all_given_ = false;
  withheld_.clear();
  const auto page_of = [](sim::DeviceAddress at) { return at / kWithheldBytes * kWithheldBytes; };
  for (const auto& [base, uses] : uses_) {
    const auto a = c.allocated.find(base);
    if (a == c.allocated.end()) continue;
    // Registered memory counts in whole pages alone: a GPU has no access to the bytes around them.
    const bool registered = !host_can_reach(base);
    if (registered && a->second.type != MemoryType::Host) continue;
    const sim::DeviceAddress first = registered ? page_of(base + kWithheldBytes - 1) : 0;
    const sim::DeviceAddress end = registered ? page_of(base + a->second.size_bytes) : sim::kVisibleEnd;
    for (const Use& use : uses) {
      if (use.range.to_host || knows(host_, use.stream, use.number)) continue;
      if (withheld_.size() == kMostWithheld) return;
      const sim::DeviceAddress low = std::max(page_of(use.range.low), first);
      const sim::DeviceAddress high = std::min(page_of(use.range.high + kWithheldBytes - 1), end);
      if (low >= high) continue;
      Withheld& one = withheld_[low];
      one.size_bytes = std::max(one.size_bytes, high - low);
      if (one.use.what.empty() || use.range.writes) one.use = use;
      one.until[use.stream] = std::max(one.until[use.stream], use.number);
    }
  }
  for (const auto& [at, one] : withheld_)
    mprotect(pointer_to(at), one.size_bytes, one.use.range.writes ? PROT_NONE : PROT_READ);
}

WorkOrder::HostTouch WorkOrder::host_touches(Context& c, sim::DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  const auto holds = [&](const auto& entry) { return address - entry.first < entry.second.size_bytes; };
  const auto at = std::find_if(withheld_.begin(), withheld_.end(), holds);
  if (at == withheld_.end()) return HostTouch::NotWithheld;
  const bool writes = at->second.use.range.writes;
  const sim::Allocation* a = c.memory.find(address, 1);
  for (const Use& use : a == nullptr ? std::vector<Use>{} : uses_[a->base]) {
    if (use.range.to_host || use.range.writes != writes || knows(host_, use.stream, use.number)) continue;
    if (!lab::cudart::touches(use.range, address)) continue;
    mprotect(pointer_to(at->first), at->second.size_bytes, PROT_READ | PROT_WRITE);
    withheld_.erase(at);
    c.found("host-race", msg("the host touches {}, which {}{}. Wait for it first: cudaStreamSynchronize, "
                             "cudaEventSynchronize or cudaDeviceSynchronize.",
                             c.memory.describe(address, 1), use.what,
                             writes ? " may still be writing" : " may still be reading"));
    return HostTouch::Early;
  }
  const sim::DeviceAddress page = address / kWithheldBytes * kWithheldBytes;
  mprotect(pointer_to(page), kWithheldBytes, PROT_READ | PROT_WRITE);
  lent_.push_back(page);
  return HostTouch::Beside;
}

void WorkOrder::take_back() {
  const std::lock_guard lock(mutex_);
  for (const sim::DeviceAddress page : std::exchange(lent_, {})) {
    const auto holds = [&](const auto& entry) { return page - entry.first < entry.second.size_bytes; };
    const auto at = std::find_if(withheld_.begin(), withheld_.end(), holds);
    if (at != withheld_.end())
      mprotect(pointer_to(page), kWithheldBytes, at->second.use.range.writes ? PROT_NONE : PROT_READ);
  }
}

WorkOrder& work_order() {
  static WorkOrder* const only = new WorkOrder;
  return *only;
}

}  // namespace lab::cudart
