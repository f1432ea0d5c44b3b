// Streams and events: what hands work over, in which order, and to whom it is lent while a graph is recorded.
//
// Enters: work as functions. Leaves: work done at once, or a node of the graph that the stream records.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "common/run/cudart/context.h"
#include "common/run/cudart/order.h"

namespace lab::cudart {

using Work = std::function<Error(Context&, Stream&)>;

struct Graph;

// A value that kernels set and that says which body of a node runs. Its handle is the address where it lies.
struct Condition {
  sim::DeviceAddress handle = 0;
  std::uint32_t value = 0;  // at the start of each launch of the graph
};
struct ConditionalNode {
  enum class Kind : int { If, While, Switch } kind = Kind::If;
  sim::DeviceAddress handle = 0;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<Graph*> shown;  // the same, as the program sees them
};

// cudaGraphNodeType.
constexpr int kKernelNode = 0, kCopyNode = 1, kFillNode = 2, kHostNode = 3, kChildNode = 4, kEmptyNode = 5,
              kWaitNode = 6, kRecordNode = 7, kAllocNode = 10, kFreeNode = 11, kConditionalNode = 13;

// What a node does, and what a program may ask it.
struct NodeContents {
  Work work;
  std::shared_ptr<void> parameters{};  // of its kind (graph.h), as the program gave them; null: not kept
  std::shared_ptr<Graph> child{};      // of a node that is a graph: its own copy
};
struct GraphNode {
  int type = 0;  // cudaGraphNodeType
  NodeContents contents;
  Graph* graph = nullptr;
  std::vector<GraphNode*> after{};  // what must be done before
  std::shared_ptr<ConditionalNode> conditional{};
  const GraphNode* cloned_from = nullptr;
};

// Parameters of nodes, as the API has them (those of copies: Copy3D).
struct KernelNode {
  void* function;
  Dim3 grid, block;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
};
struct FillNode {
  void* to;
  std::size_t pitch_bytes;
  unsigned value, elem_bytes;
  std::size_t width_elems, height;
};
struct HostNode {
  HostFunction function;
  void* data;
};

// Objects of the program that live as long as something refers to them (graph_objects_api.cpp).
struct UserObject;
class HeldObjects {
 public:
  HeldObjects() = default;
  HeldObjects(const HeldObjects& other);
  HeldObjects& operator=(HeldObjects other) noexcept;
  ~HeldObjects();
  void add(UserObject* object, unsigned count) { held_[object] += count; }
  [[nodiscard]] bool drop(UserObject* object, unsigned count);  // false: it does not hold so many

 private:
  std::map<UserObject*, unsigned> held_;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;      // as they were added
  std::vector<Condition> conditions;                  // those with a value at the start
  std::vector<sim::DeviceAddress> condition_handles;  // all that were made for it
  HeldObjects objects;
  bool owns_memory = false;  // also where a node for it was refused, as on an H200
  GraphNode* add(int type, NodeContents contents, const std::vector<GraphNode*>& after = {});
};

// A function of the host on its way. It must not call the runtime. It begins when something waits for it, or a moment later: what the
// caller does right behind it comes first, as where a GPU still works on what the stream has before it.
struct HostTask {
  ~HostTask() {
    if (thread.joinable())
      thread
          .detach();  // no thread waits: its stream is gone, and the last to hold it may be the thread itself
  }
  void join() {
    const std::lock_guard only_one(joining);
    if (thread.joinable()) thread.join();
  }
  std::thread thread;
  std::counting_semaphore<> awaited{0};
  std::mutex joining;
  std::atomic<bool> done{false};
};

// A capture: a graph that one stream records, and others that joined it. What breaks it stays broken until the stream
// that began it ends it (capture.h).
struct Capture {
  enum class Mode : int { Global, ThreadLocal, Relaxed };
  Graph* graph = nullptr;
  Mode mode = Mode::Global;
  std::thread::id thread{};
  const struct Stream* origin = nullptr;
  bool owns_graph = true;  // false: the program gave it
  bool is_broken = false;
};

struct Stream {
  StreamClock clock;
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  bool legacy = false;
  int device = 0;                                       // the GPU that it was made on
  Known known;                                          // order.h
  std::uint64_t works = 0;                              // pieces of work so far
  bool asked = false;                                   // the last cudaStreamQuery said that it is not done
  LastKernel last_kernel;                               // order.h
  bool branches = false;                                // it runs a graph with steps that nothing orders
  std::shared_ptr<Capture> capture;                     // work is noted, not done
  std::vector<GraphNode*> front;                        // what the next node comes after
  std::map<int, std::array<std::byte, 64>> attributes;  // hints, as the program set them
  std::shared_ptr<HostTask> host_task;                  // what later work of this stream waits for
};

struct Event {
  unsigned flags = 0;
  int device = 0;
  bool was_recorded = false;
  double at = 0;                     // simulated seconds
  Known known;                       // what it comes later than
  bool asked = false;                // the last cudaEventQuery said that it is not done
  std::shared_ptr<Capture> capture;  // recorded while its stream was captured
  std::vector<GraphNode*> front;     // after these of its nodes
};

constexpr std::uintptr_t kPerThread = 2;  // cudaStreamPerThread; 0 and 1 are the default stream

class Streams {
 public:
  Streams();
  // 0 and 1 are the default stream of the current GPU, 2 is this thread's own. Throws ApiError: no such stream
  // (InvalidResourceHandle); the default one while a stream is captured that it would wait for (capture.h).
  [[nodiscard]] Stream& find(StreamHandle handle);
  [[nodiscard]] Stream& find_only(StreamHandle handle);  // captures aside
  Stream* create(unsigned flags, int priority);
  void destroy(StreamHandle handle);
  void end_capture(const Capture& capture);
  // Those that have begun and not ended.
  [[nodiscard]] std::vector<Capture*> captures();
  // What work on this stream has to wait for: its own host function, and those of streams that it is ordered
  // with.
  [[nodiscard]] std::vector<std::shared_ptr<HostTask>> tasks_before(const Stream& stream);
  [[nodiscard]] std::vector<std::shared_ptr<HostTask>> all_tasks(int device);
  template <class Body>
  void for_each(const Body& body) {
    for (Stream& stream : legacy_) body(stream);
    for (const auto& [place, stream] : of_threads_) body(*stream);
    for (const auto& [handle, stream] : streams_) body(*stream);
  }

  Event* create_event(unsigned flags);
  [[nodiscard]] Event& find_event(Event* event);
  void destroy_event(Event* event);

 private:
  std::array<Stream, sim::kMostDevices> legacy_;  // of each GPU
  std::map<Stream*, std::unique_ptr<Stream>> streams_;
  std::map<std::pair<std::uint64_t, int>, std::unique_ptr<Stream>> of_threads_;  // by thread and GPU
  [[nodiscard]] std::unique_ptr<Stream> new_stream(unsigned flags, int priority);
  std::map<Event*, std::unique_ptr<Event>> events_;
  unsigned long long next_id_ = 1;
};

[[nodiscard]] Streams& streams();

// Memory that belongs to graphs: where it lies is known before the graph runs (memory_api.cpp).
[[nodiscard]] void* allocate_for_graph(Context& c, std::uint64_t size_bytes);

// Notes work in the graph that the stream records.
void record_node(Stream& stream, int type, NodeContents contents);
// Does the work now, or notes it in the graph that the stream records, as a node of a type with the
// parameters that `keep` makes.
using Keep = std::function<std::shared_ptr<void>()>;
Error submit(Context& c, StreamHandle handle, Work work, int type, const Keep& keep = nullptr);
// The work of recording an event and of waiting for one (stream_api.cpp).
[[nodiscard]] Work record_work(Event* event);
[[nodiscard]] Work wait_work(Event* event);
// Calls a function of the host in a thread of its own; what comes later on the stream waits for it.
void start_host_task(Stream& stream, const std::function<void()>& function);
void wait_for(Context& c, const std::vector<std::shared_ptr<HostTask>>& tasks);
// What a call that waits for everything on a GPU does: output appears, the host's clock moves on.
void wait_for_all(Context& c, int device = current_device());
// The default stream comes with those that it blocks, and not with the others.
// `but_the_last`: the work that was handed over last may still be under way.
void wait_for_stream(Context& c, const Stream& stream, bool but_the_last = false);

}  // namespace lab::cudart
