// Streams and events. See streams.h.
#include "common/run/cudart/streams.h"

#include <chrono>
#include <utility>

#include "common/run/cudart/capture.h"

namespace lab::cudart {

Streams::Streams() {
  constexpr unsigned long long kFirstOfOthers = 1ull << 62;  // far from those of create()
  for (std::size_t d = 0; d < legacy_.size(); ++d) {
    legacy_[d].legacy = true;
    legacy_[d].device = legacy_[d].clock.device = static_cast<int>(d);
    if (d != 0) legacy_[d].id = kFirstOfOthers + d;
  }
}

Streams& streams() {
  static Streams* const only = new Streams;
  return *only;
}

namespace {

// Threads by number: the system gives the identity of one that has ended to the next.
std::uint64_t number_of_thread() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t number = ++threads;
  return number;
}

}  // namespace

Stream& Streams::find(StreamHandle handle) {
  Stream& stream = find_only(handle);
  if (stream.legacy) refuse_implicit(stream, true);
  return stream;
}

Stream& Streams::find_only(StreamHandle handle) {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  const int device = current_device();
  if (number == kPerThread || (number == 0 && lab_default_stream_is_per_thread != 0)) {
    auto& own = of_threads_[{number_of_thread(), device}];
    if (own == nullptr) own = new_stream(0, 0);
    return *own;
  }
  if (number < kPerThread) return legacy_.at(static_cast<std::size_t>(device));
  const auto found = streams_.find(handle);
  if (found == streams_.end()) {
    throw ApiError{Error::InvalidResourceHandle, "this is no stream, or one that was destroyed."};
  }
  return *found->second;
}

std::unique_ptr<Stream> Streams::new_stream(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->id = ++next_id_;
  stream->clock.blocks = (flags & 1) == 0;  // cudaStreamNonBlocking
  stream->device = stream->clock.device = current_device();
  return stream;
}

Stream* Streams::create(unsigned flags, int priority) {
  std::unique_ptr<Stream> stream = new_stream(flags, priority);
  Stream* const handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void Streams::destroy(StreamHandle handle) {
  if (reinterpret_cast<std::uintptr_t>(handle) <= kPerThread)
    throw ApiError{Error::InvalidResourceHandle, "a default stream cannot be destroyed."};
  if (const auto capture = find(handle).capture; capture != nullptr && capture->origin == handle)
    end_capture(*capture);
  streams_.erase(handle);
}

void Streams::end_capture(const Capture& capture) {
  const Capture* const ended = &capture;  // what follows may let go of it
  const auto let_go = [&](auto& holder) {
    if (holder.capture.get() != ended) return;
    holder.capture.reset();
    holder.front.clear();
  };
  const auto keep = [&]() -> std::shared_ptr<Capture> {
    std::shared_ptr<Capture> held;
    for_each([&](const Stream& stream) {
      if (stream.capture.get() == ended) held = stream.capture;
    });
    return held;
  }();
  for_each([&](Stream& stream) { let_go(stream); });
  for (auto& [handle, event] : events_) let_go(*event);
}

std::vector<Capture*> Streams::captures() {
  std::vector<Capture*> all;
  for_each([&](const Stream& stream) {
    if (stream.capture != nullptr && stream.capture->origin == &stream) all.push_back(stream.capture.get());
  });
  return all;
}

Event* Streams::create_event(unsigned flags) {
  auto event = std::make_unique<Event>();
  event->flags = flags;
  event->device = current_device();
  Event* const handle = event.get();
  events_.emplace(handle, std::move(event));
  return handle;
}

Event& Streams::find_event(Event* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) {
    throw ApiError{Error::InvalidResourceHandle, "this is no event: it was never created, or destroyed."};
  }
  return *found->second;
}

void Streams::destroy_event(Event* event) {
  (void)find_event(event);
  events_.erase(event);
}

GraphNode* Graph::add(int type, NodeContents contents, const std::vector<GraphNode*>& after) {
  nodes.push_back(std::make_unique<GraphNode>(GraphNode{type, std::move(contents), this, after}));
  owns_memory = owns_memory || type == kAllocNode || type == kFreeNode;
  return nodes.back().get();
}

std::vector<std::shared_ptr<HostTask>> Streams::all_tasks(int device) {
  std::vector<std::shared_ptr<HostTask>> tasks;
  for_each([&](const Stream& stream) {
    if (stream.device == device && stream.host_task) tasks.push_back(stream.host_task);
  });
  return tasks;
}

std::vector<std::shared_ptr<HostTask>> Streams::tasks_before(const Stream& stream) {
  std::vector<std::shared_ptr<HostTask>> tasks;
  if (stream.host_task) tasks.push_back(stream.host_task);
  const Stream& legacy = legacy_.at(static_cast<std::size_t>(stream.device));
  if (!stream.legacy && stream.clock.blocks && legacy.host_task) tasks.push_back(legacy.host_task);
  if (!stream.legacy) return tasks;
  for_each([&](const Stream& other) {
    if (!other.legacy && other.device == stream.device && other.clock.blocks && other.host_task)
      tasks.push_back(other.host_task);
  });
  return tasks;
}

void start_host_task(Stream& stream, const std::function<void()>& function) {
  auto task = std::make_shared<HostTask>();
  // Nodes of one graph may follow each other: a function waits for the one before it.
  task->thread = std::thread([function, task, before = stream.host_task, known = stream.known] {
    if (before) {
      before->awaited.release();
      before->join();
    }
    constexpr std::chrono::milliseconds kMoment{50};
    static_cast<void>(task->awaited.try_acquire_for(kMoment));
    inside_host_function = true;
    work_order().host_function_begins(known);
    function();
    task->done = true;
  });
  stream.host_task = std::move(task);
}

// The lock is open meanwhile: what the function waits for may be another thread that is in need of it.
void wait_for(Context& c, const std::vector<std::shared_ptr<HostTask>>& tasks) {
  for (const auto& task : tasks) {
    task->awaited.release();
    c.mutex.unlock();
    task->join();
    c.mutex.lock();
    c.memory.use_device(static_cast<std::uint32_t>(current_device()));  // another thread had the lock
  }
}

void record_node(Stream& stream, int type, NodeContents contents) {
  stream.front = {stream.capture->graph->add(type, std::move(contents), stream.front)};
}

Error submit(Context& c, StreamHandle handle, Work work, int type, const Keep& keep) {
  Stream& stream = usable(handle);
  if (stream.capture != nullptr) {
    record_node(stream, type, {std::move(work), keep ? keep() : nullptr});
    return Error::Success;
  }
  if (const auto tasks = streams().tasks_before(stream); !tasks.empty()) {
    wait_for(c, tasks);
    stream.host_task.reset();
  }
  work_order().begin(stream);
  const Error result = work(c, stream);
  work_order().end(c);
  return result;
}

void wait_for_stream(Context& c, const Stream& stream, bool but_the_last) {
  wait_for(c, streams().tasks_before(stream));
  streams().for_each([&](const Stream& other) {
    const bool joins = stream.legacy && other.device == stream.device && other.clock.blocks;
    if (&other != &stream && !joins) return;
    c.timeline.host_waits_for(other.clock.ready);
    work_order().host_waits(other, but_the_last && &other == &stream);
  });
  c.flush_output();
}

void wait_for_all(Context& c, int device) {
  wait_for(c, streams().all_tasks(device));
  c.timeline.host_waits_for(c.timeline.end_of(device));
  work_order().host_waits_for_device(device);
  c.flush_output();
}

}  // namespace lab::cudart
