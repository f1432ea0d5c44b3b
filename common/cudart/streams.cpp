// Streams and events. See streams.h.
#include "common/cudart/streams.h"

#include <utility>

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

Stream& Streams::find(StreamHandle handle) {
  if (reinterpret_cast<std::uintptr_t>(handle) <= 2)
    return legacy_.at(static_cast<std::size_t>(current_device()));
  const auto found = streams_.find(handle);
  if (found == streams_.end()) {
    throw ApiError{Error::InvalidResourceHandle, "this is no stream, or one that was destroyed."};
  }
  return *found->second;
}

Stream* Streams::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  stream->id = ++next_id_;
  stream->clock.blocks = (flags & 1) == 0;  // cudaStreamNonBlocking
  stream->device = stream->clock.device = current_device();
  Stream* const handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void Streams::destroy(StreamHandle handle) {
  if (find(handle).legacy)
    throw ApiError{Error::InvalidResourceHandle, "a default stream cannot be destroyed."};
  streams_.erase(handle);
}

void Streams::end_capture(const Graph* graph) {
  for (auto& [handle, stream] : streams_) {
    if (stream->records_into != graph) continue;
    stream->records_into = nullptr, stream->began_capture = false;
    stream->front.clear();
  }
  for (auto& [handle, event] : events_) {
    if (event->in_graph == graph) event->in_graph = nullptr, event->front.clear();
  }
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
  return nodes.back().get();
}

std::vector<std::shared_ptr<HostTask>> Streams::all_tasks(int device) {
  std::vector<std::shared_ptr<HostTask>> tasks;
  for_each([&](const Stream& stream) {
    if (stream.device == device && stream.host_task) tasks.push_back(stream.host_task);
  });
  return tasks;
}

std::vector<std::shared_ptr<HostTask>> Streams::tasks_before(const Stream& stream) const {
  std::vector<std::shared_ptr<HostTask>> tasks;
  if (stream.host_task) tasks.push_back(stream.host_task);
  const Stream& legacy = legacy_.at(static_cast<std::size_t>(stream.device));
  if (!stream.legacy && stream.clock.blocks && legacy.host_task) tasks.push_back(legacy.host_task);
  if (!stream.legacy) return tasks;
  for (const auto& [handle, other] : streams_) {
    if (other->device == stream.device && other->clock.blocks && other->host_task)
      tasks.push_back(other->host_task);
  }
  return tasks;
}

void start_host_task(Stream& stream, const std::function<void()>& function) {
  auto task = std::make_shared<HostTask>();
  task->thread = std::thread([function, task] {
    inside_host_function = true;
    function();
    task->done = true;
  });
  stream.host_task = std::move(task);
}

// The lock is open meanwhile: what the function waits for may be another thread that is in need of it.
void wait_for(Context& c, const std::vector<std::shared_ptr<HostTask>>& tasks) {
  for (const auto& task : tasks) {
    c.mutex.unlock();
    {
      const std::lock_guard only_one(task->joining);
      if (task->thread.joinable()) task->thread.join();
    }
    c.mutex.lock();
    c.memory.use_device(static_cast<std::uint32_t>(current_device()));  // another thread had the lock
  }
}

void record_node(Stream& stream, int type, NodeContents contents) {
  stream.front = {stream.records_into->add(type, std::move(contents), stream.front)};
}

Error submit(Context& c, StreamHandle handle, Work work, int type, const Keep& keep) {
  Stream& stream = streams().find(handle);
  if (stream.records_into != nullptr) {
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
