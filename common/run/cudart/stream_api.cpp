// Streams, events, callbacks.
//
// Enters: handles. Leaves: order. Work is done when it is queued, so a stream is always idle when the
// program asks. A stream keeps its clock, and the graph that it may be recording.
#include <algorithm>
#include <cstring>

#include "common/run/cudart/capture.h"
#include "common/run/cudart/driver.h"
#include "common/run/cudart/streams.h"

using namespace lab::cudart;

namespace {

constexpr unsigned kEventDisableTiming = 2;
constexpr unsigned kExternal = 1;  // cudaEventWaitExternal, cudaEventRecordExternal: a node of the graph
constexpr std::size_t kAttributeBytes = 64;  // cudaLaunchAttributeValue
constexpr int kGreatestPriority = -5;
// cudaLaunchAttributeID: those that a stream has.
enum StreamAttribute : int {
  kAccessWindow = 1,
  kSyncPolicy = 3,
  kPriority = 8,
  kMemoryDomainMap = 9,
  kMemoryDomain = 10
};
void check_attribute(int attribute) {
  if (attribute != kAccessWindow && attribute != kSyncPolicy &&
      (attribute < kPriority || attribute > kMemoryDomain))
    throw ApiError{Error::InvalidValue, "this is no attribute of a stream."};
}

Error wait_for_stream(Context& c, StreamHandle handle) {
  Stream& stream = streams().find(handle);
  refuse_captured(stream);
  refuse_unsafe();
  wait_for_stream(c, stream);
  return Error::Success;
}

// A stream that is captured can be asked for its capture alone.
Stream& asked_about(StreamHandle handle) {
  Stream& stream = streams().find(handle);
  refuse_captured(stream);
  return stream;
}

// The waiting stream joins the capture in which the event was recorded.
void join_capture(Stream& waiting, const Event& awaited) {
  if (waiting.capture != nullptr && waiting.capture != awaited.capture) {
    waiting.capture->is_broken = awaited.capture->is_broken = true;
    throw ApiError{Error::StreamCaptureMerge,
                   "the event belongs to another capture than the stream that would wait for it."};
  }
  waiting.capture = awaited.capture;
  for (GraphNode* const node : awaited.front) {
    if (std::find(waiting.front.begin(), waiting.front.end(), node) == waiting.front.end())
      waiting.front.push_back(node);
  }
}

void check_external(unsigned flags, const Stream& stream) {
  if (flags > kExternal) throw ApiError{Error::InvalidValue};
  if (flags == kExternal && stream.capture == nullptr)
    throw ApiError{Error::IllegalState,
                   "a node of a graph is asked for, and the stream is not being captured."};
}

// `named` is the function that the program gave.
template <class Named>
Error call_host(StreamHandle stream, const char* call, Named named, const std::function<void()>& function,
                const Keep& keep = nullptr) {
  return enter(call, [&](Context& c) {
    need(named);
    return submit(
        c, stream,
        [function](Context& now, Stream& on) {
          now.flush_output();
          start_host_task(on, function);
          return Error::Success;
        },
        kHostNode, keep);
  });
}

}  // namespace

namespace lab::cudart {

Work record_work(Event* event) {
  return [event](Context& now, Stream& where) {
    Event& done = streams().find_event(event);
    now.timeline.add(where.clock, where.legacy, 0);
    done.was_recorded = true;
    done.at = where.clock.ready;
    work_order().record(where, done);
    return Error::Success;
  };
}

Work wait_work(Event* event) {
  return [event](Context&, Stream& waiting) {
    const Event& awaited = streams().find_event(event);
    waiting.clock.ready = std::max(waiting.clock.ready, awaited.at);
    work_order().wait(waiting, awaited);
    return Error::Success;
  };
}

}  // namespace lab::cudart

LAB_API Error cudaStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority) {
  return enter("cudaStreamCreate", [&](Context&) {
    need(stream);
    if (flags > 1) throw ApiError{Error::InvalidValue};
    *stream = streams().create(flags, std::clamp(priority, kGreatestPriority, 0));
  });
}
LAB_API Error cudaStreamCreateWithFlags(StreamHandle* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
LAB_API Error cudaStreamCreate(StreamHandle* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

LAB_API Error cudaStreamDestroy(StreamHandle stream) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (stream != nullptr) c.reach_gpu();
    streams().destroy(stream);
  });
}

LAB_API Error cudaStreamSynchronize(StreamHandle stream) {
  return enter([&](Context& c) { return wait_for_stream(c, stream); });
}

LAB_API Error cudaStreamQuery(StreamHandle stream) {
  return enter([&](Context& c) {
    Stream& asked = asked_about(stream);
    refuse_unsafe();
    for (const auto& task : streams().tasks_before(asked)) {
      task->awaited.release();
      if (!task->done) return Error::NotReady;
    }
    if (work_order().asks_early(asked)) return Error::NotReady;
    return wait_for_stream(c, stream);
  });
}

LAB_API Error cudaStreamWaitEvent(StreamHandle stream, Event* event, unsigned flags) {
  return enter([&](Context& c) {
    Stream& waiting = usable(stream);
    if (flags > kExternal) throw ApiError{Error::InvalidValue};
    const Event& awaited = streams().find_event(event);
    check_external(flags, waiting);
    if (flags == kExternal) return submit(c, stream, wait_work(event), kWaitNode);
    if (awaited.capture != nullptr) {
      join_capture(waiting, awaited);
      return Error::Success;
    }
    if (waiting.capture == nullptr) return wait_work(event)(c, waiting);
    if (!awaited.was_recorded) return Error::Success;
    waiting.capture->is_broken = true;
    throw ApiError{Error::StreamCaptureIsolation,
                   "the stream is being captured, and the event was recorded outside of that capture: a "
                   "graph cannot wait for it. Record it "
                   "in the captured stream, or use cudaEventWaitExternal."};
  });
}

LAB_API Error cudaLaunchHostFunc(StreamHandle stream, HostFunction function, void* data) {
  return call_host(
      stream, "cudaLaunchHostFunc", function, [=] { function(data); },
      [=] {
        return std::make_shared<HostNode>(HostNode{function, data});
      });
}

LAB_API Error cudaStreamAddCallback(StreamHandle stream, StreamCallback function, void* data,
                                    unsigned flags) {
  const Error allowed = enter([&](Context&) {
    if (flags != 0) throw ApiError{Error::InvalidValue};
    (void)asked_about(stream);
  });
  if (allowed != Error::Success) return allowed;
  return call_host(stream, "cudaStreamAddCallback", function,
                   [=] { function(stream, Error::Success, data); });
}

LAB_API Error cudaStreamGetFlags(StreamHandle stream, unsigned* flags) {
  return enter([&](Context&) { given(flags) = asked_about(stream).flags; });
}

LAB_API Error cudaStreamGetPriority(StreamHandle stream, int* priority) {
  return enter([&](Context&) { given(priority) = usable(stream).priority; });
}

LAB_API Error cudaStreamGetId(StreamHandle stream, unsigned long long* id) {
  return enter([&](Context&) { given(id) = asked_about(stream).id; });
}

LAB_API Error cudaStreamGetDevice(StreamHandle stream, int* device) {
  return enter([&](Context&) { given(device) = asked_about(stream).device; });
}

LAB_API Error cudaStreamAttachMemAsync(StreamHandle stream, void* pointer, std::size_t length,
                                       unsigned flags) {
  constexpr unsigned kGlobal = 1, kHost = 2, kSingle = 4;  // the last: to this stream, which has to be one
  return enter([&](Context& c) {
    (void)asked_about(stream);
    refuse_unsafe();
    need(pointer);
    const auto found = c.allocated.find(address_of(pointer));  // its start; and whole, on systems of today
    const bool managed = found != c.allocated.end() && found->second.type == MemoryType::Managed;
    if (!managed || (length != 0 && length != found->second.size_bytes) ||
        (flags != kGlobal && flags != kHost && (flags != kSingle || stream == nullptr)))
      throw ApiError{Error::InvalidValue};
  });
}

LAB_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return enter([&](Context&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

// Attributes are hints (which lines of L2 persist, how a wait spins): kept to be read back, they change
// nothing here.
LAB_API Error cudaStreamSetAttribute(StreamHandle stream, int attribute, const void* value) {
  return enter(Asks::HostFirst, [&](Context& c) {
    need(value);
    check_attribute(attribute);
    c.reach_gpu();
    Stream& on = usable(stream);
    std::memcpy(&on.attributes[attribute], value, kAttributeBytes);
    if (attribute == kPriority)
      on.priority = std::clamp(*static_cast<const int*>(value), kGreatestPriority, 0);
  });
}

LAB_API Error cudaStreamGetAttribute(StreamHandle stream, int attribute, void* value) {
  return enter([&](Context&) {
    need(value);
    Stream& asked = usable(stream);
    check_attribute(attribute);
    if (attribute == kSyncPolicy && asked.attributes.count(attribute) == 0) {  // none was set
      constexpr int kNone = -1;
      std::memcpy(&asked.attributes[attribute], &kNone, sizeof kNone);
    }
    if (attribute == kPriority)
      std::memcpy(&asked.attributes[attribute], &asked.priority, sizeof asked.priority);
    std::memcpy(value, &asked.attributes[attribute], kAttributeBytes);
  });
}

LAB_API Error cudaStreamCopyAttributes(StreamHandle to, StreamHandle from) {
  return enter([&](Context&) { usable(to).attributes = usable(from).attributes; });
}

// --- events ---

LAB_API Error cudaEventCreateWithFlags(Event** event, unsigned flags) {
  return enter("cudaEventCreate", [&](Context&) {
    need(event);
    constexpr unsigned kFlags = 7, kInterprocess = 4;
    if (flags > kFlags || (flags & (kInterprocess | kEventDisableTiming)) == kInterprocess)
      throw ApiError{Error::InvalidValue};
    *event = streams().create_event(flags);
  });
}
LAB_API Error cudaEventCreate(Event** event) { return cudaEventCreateWithFlags(event, 0); }

LAB_API Error cudaEventDestroy(Event* event) {
  return enter([&](Context&) { streams().destroy_event(event); });
}

LAB_API Error cudaEventRecordWithFlags(Event* event, StreamHandle stream, unsigned flags) {
  return enter("cudaEventRecord", [&](Context& c) {
    const Stream& on = usable(stream);
    Event& recorded = streams().find_event(event);
    check_external(flags, on);
    if (recorded.device != on.device) {
      throw ApiError{Error::InvalidResourceHandle,
                     msg("the event was made on GPU {} and the stream on GPU {}. Create the event while the "
                         "stream's GPU is the current one.",
                         recorded.device, on.device)};
    }
    const bool is_node = flags == kExternal;
    recorded.capture = is_node ? nullptr : on.capture;
    recorded.front = on.front;
    if (recorded.capture != nullptr) return Error::Success;  // an order of nodes, and no node
    return submit(c, stream, record_work(event), kRecordNode);
  });
}

LAB_API Error cudaEventRecord(Event* event, StreamHandle stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

LAB_API Error cudaEventSynchronize(Event* event) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (event != nullptr) c.reach_gpu();
    const Event& awaited = streams().find_event(event);
    refuse_captured(awaited);
    refuse_unsafe();
    c.timeline.host_waits_for(awaited.at);
    work_order().host_waits(awaited);
    c.flush_output();
  });
}

LAB_API Error cudaEventQuery(Event* event) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (event != nullptr) c.reach_gpu();
    Event& asked = streams().find_event(event);
    refuse_captured(asked);
    refuse_unsafe();
    if (work_order().asks_early(asked)) return Error::NotReady;
    work_order().host_waits(asked);
    return Error::Success;
  });
}

LAB_API Error cudaEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  return enter(Asks::HostFirst, [&](Context& c) {
    if (start != nullptr && end != nullptr) c.reach_gpu();
    const Event &from = streams().find_event(start), &to = streams().find_event(end);
    if (!from.was_recorded || !to.was_recorded) {
      throw ApiError{Error::InvalidResourceHandle, "one of the events was never recorded."};
    }
    if (((from.flags | to.flags) & kEventDisableTiming) != 0) {
      throw ApiError{Error::InvalidResourceHandle,
                     "one of the events was created with cudaEventDisableTiming."};
    }
    if (from.device != to.device)
      throw ApiError{Error::InvalidResourceHandle, "the two events were made on different GPUs."};
    *milliseconds = static_cast<float>((to.at - from.at) * 1e3);
    c.records.note(RunNote::Times);
  });
}
LAB_ALIAS(cudaEventElapsedTime, cudaEventElapsedTime_v2)

// The driver's name.
LAB_SAME(cuStreamGetDevice, cudaStreamGetDevice);
LAB_SAME(cuStreamGetId, cudaStreamGetId);
