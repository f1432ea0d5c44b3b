// What streams, events and waits of the host order, and which pieces of work touch the same memory without
// it.
//
// Enters: work as it is handed over, with the ranges that it touches; events, waits. Leaves: findings. Work
// is done at once here, in one of the orders that CUDA allows; each piece has a number on its stream, and a
// stream, an event and the host each know up to which number of every stream they come later. Managed and
// pinned memory that work may still use is taken from the host meanwhile (mprotect): a touch is reported, and
// the program goes on.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "common/run/cudart/touched.h"

namespace lab::cudart {

class Context;
struct Stream;
struct Event;
struct GraphStep;

// Managed and pinned memory.
[[nodiscard]] inline bool host_can_reach(sim::DeviceAddress at) {
  return at >= sim::kVisibleBase && at < sim::kVisibleEnd;
}

// Streams by number, and up to which piece of their work is known to be done.
using Known = std::map<std::uint64_t, std::uint64_t>;
void join(Known& known, const Known& more);

// A kernel that may begin before the one before it is done begins when that one may let it: of the work on
// its stream, what comes up to `begins_behind` is done then.
struct LastKernel {
  std::uint64_t number = 0, begins_behind = 0;
  bool lets_next_begin = false;     // it says when; else the next one begins when all its blocks are done
  bool behind_done_blocks = false;  // the one before it says nothing
};

// The steps of a graph while a stream runs them: of two that no dependency orders, each counts as being on a
// stream of its own.
class GraphOrder {
 public:
  GraphOrder(Stream& on, const std::vector<GraphStep>& steps);
  ~GraphOrder();
  GraphOrder(const GraphOrder&) = delete;
  GraphOrder& operator=(const GraphOrder&) = delete;
  void begin(std::size_t step);
  void end(std::size_t step);

 private:
  struct Step {
    std::uint64_t line = 0;  // the stream that it counts as being on
    bool goes_on = false;    // a later step is on it
    Known known;             // what comes later than it knows
  };
  [[nodiscard]] std::uint64_t line_of(std::size_t step);

  Stream& on_;
  const std::vector<GraphStep>& graph_;
  const std::uint64_t id_;
  const Known before_;
  const bool was_branching_;
  bool branches_ = false;
  std::size_t lines_ = 0;
  std::vector<Step> steps_;
};

class WorkOrder {
 public:
  // Work on this stream begins: what it comes later than is settled.
  void begin(Stream& stream);
  // It is done: what work may still use is withheld from the host again, also where this piece touched
  // nothing.
  void end(Context& c);
  // The next step of a graph may use what is withheld from the host.
  void begin_step() const;
  // The work that began is a kernel. `overlaps`: it may begin before the kernel before it is done.
  // `lets_next_begin`: it does so by itself.
  void begin_kernel(Stream& stream, bool overlaps, bool lets_next_begin);
  // What it touched, and what it is called: "the kernel `f(int*)`", "cudaMemcpyAsync".
  void touches(Context& c, const Stream& stream, const std::vector<Touched>& list, const Message& what);
  void record(const Stream& stream, Event& event);
  void wait(Stream& stream, const Event& event);
  void host_waits(const Stream& stream, bool but_the_last = false);
  void host_waits(const Event& event);
  void host_waits_for_device(int device);
  // Whether the host asks too early: it has waited for no such work, and asks for the first time since. A GPU
  // would mostly still be busy; the next answer is that it is done.
  [[nodiscard]] bool asks_early(Stream& stream) const;
  [[nodiscard]] bool asks_early(Event& event) const;
  // A copy between two GPUs comes later than all work of both, and later work of both later than the copy.
  void behind_device(Stream& stream, int device);
  void before_device(const Stream& stream, int device);
  // A function of the host begins behind what it knows to be done: by any means (a flag, a thread that it
  // starts) all of the host may learn of it from now on.
  void host_function_begins(const Known& known);
  // The host touched memory that is withheld. Early: work may still use that very place, which is reported,
  // and all is given back. Beside: only its page is withheld, and lent for one access (`take_back`).
  enum class HostTouch : std::uint8_t { NotWithheld, Early, Beside };
  HostTouch host_touches(Context& c, sim::DeviceAddress address);
  void take_back();
  // cudaFree of memory that came by the order of a stream: work that the host has not waited for may use it.
  void host_frees(Context& c, sim::DeviceAddress base) const;
  void forget(sim::DeviceAddress base);  // it is freed

 private:
  struct Use {
    Touched range;
    std::uint64_t stream = 0, number = 0;
    int device = 0;
    Message what;
    bool branch = false;  // of a graph
  };
  struct Withheld {
    Use use;
    std::uint64_t size_bytes = 0;
    Known until;  // all work that may use these pages
  };
  void give_back_all() const;
  void withhold(Context& c);
  void drop(const Known& known);

  // Host functions begin, and the host touches memory, without the lock of the context.
  mutable std::recursive_mutex mutex_;
  Known host_;
  std::map<sim::DeviceAddress, std::vector<Use>>
      uses_;                                         // by buffer; of work that the host has not waited for
  std::vector<sim::DeviceAddress> lent_;             // pages, for one access of the host
  std::map<sim::DeviceAddress, Withheld> withheld_;  // by first page
  bool all_given_ = false;                           // work began, and nothing is withheld yet
};

[[nodiscard]] WorkOrder& work_order();

}  // namespace lab::cudart
