// Streams, events, callbacks.
//
// Enters: handles. Leaves: order. Work is done when it is handed over, so a stream is always idle when the
// program asks; what is left of streams is their clock, and the graph that one may be recording.
#include <algorithm>
#include <cstring>

#include "common/cudart/driver.h"
#include "common/cudart/streams.h"

using namespace lab::cudart;

namespace {

constexpr unsigned kEventDisableTiming = 2;
constexpr std::size_t kAttributeBytes = 64;  // cudaLaunchAttributeValue

Error wait_for_stream(Context& c, StreamHandle handle) {
  Stream& stream = streams().find(handle);
  if (stream.records_into != nullptr) {
    throw ApiError{Error::StreamCaptureUnsupported,
                   "the stream is being captured into a graph; nothing runs yet."};
  }
  wait_for_stream(c, stream);
  return Error::Success;
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
          work_order().host_function(on);
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
    *stream = streams().create(flags, priority);
  });
}
LAB_API Error cudaStreamCreateWithFlags(StreamHandle* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
LAB_API Error cudaStreamCreate(StreamHandle* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

LAB_API Error cudaStreamDestroy(StreamHandle stream) {
  return enter([&](Context&) { streams().destroy(stream); });
}

LAB_API Error cudaStreamSynchronize(StreamHandle stream) {
  return enter([&](Context& c) { return wait_for_stream(c, stream); });
}

LAB_API Error cudaStreamQuery(StreamHandle stream) {
  return enter([&](Context& c) {
    Stream& asked = streams().find(stream);
    for (const auto& task : streams().tasks_before(asked)) {
      if (!task->done) return Error::NotReady;
    }
    if (work_order().asks_early(asked)) return Error::NotReady;
    return wait_for_stream(c, stream);
  });
}

LAB_API Error cudaStreamWaitEvent(StreamHandle stream, Event* event, unsigned /*flags*/) {
  return enter([&](Context& c) {
    Stream& waiting = streams().find(stream);
    const Event& awaited = streams().find_event(event);
    if (awaited.in_graph != nullptr) {  // joins the capture
      waiting.records_into = awaited.in_graph;
      for (GraphNode* const node : awaited.front) {
        if (std::find(waiting.front.begin(), waiting.front.end(), node) == waiting.front.end())
          waiting.front.push_back(node);
      }
    }
    if (waiting.records_into != nullptr) return Error::Success;
    return wait_work(event)(c, waiting);
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
                                    unsigned /*flags*/) {
  return call_host(stream, "cudaStreamAddCallback", function,
                   [=] { function(stream, Error::Success, data); });
}

LAB_API Error cudaStreamGetFlags(StreamHandle stream, unsigned* flags) {
  return enter([&](Context&) { given(flags) = streams().find(stream).flags; });
}

LAB_API Error cudaStreamGetPriority(StreamHandle stream, int* priority) {
  return enter([&](Context&) { given(priority) = streams().find(stream).priority; });
}

LAB_API Error cudaStreamGetId(StreamHandle stream, unsigned long long* id) {
  return enter([&](Context&) { given(id) = streams().find(stream).id; });
}

LAB_API Error cudaStreamGetDevice(StreamHandle stream, int* device) {
  return enter([&](Context&) { given(device) = streams().find(stream).device; });
}

LAB_API Error cudaStreamAttachMemAsync(StreamHandle stream, void* pointer, std::size_t /*length*/,
                                       unsigned /*flags*/) {
  return enter([&](Context&) {
    need(pointer);
    (void)streams().find(stream);
  });
}

LAB_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return enter([&](Context&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

// Attributes are hints (which lines of L2 persist, how a wait spins): kept to be read back, they change
// nothing here.
LAB_API Error cudaStreamSetAttribute(StreamHandle stream, int attribute, const void* value) {
  return enter([&](Context&) {
    need(value);
    std::memcpy(&streams().find(stream).attributes[attribute], value, kAttributeBytes);
  });
}

LAB_API Error cudaStreamGetAttribute(StreamHandle stream, int attribute, void* value) {
  return enter([&](Context&) {
    need(value);
    std::memcpy(value, &streams().find(stream).attributes[attribute], kAttributeBytes);
  });
}

LAB_API Error cudaStreamCopyAttributes(StreamHandle to, StreamHandle from) {
  return enter([&](Context&) { streams().find(to).attributes = streams().find(from).attributes; });
}

// --- events ---

LAB_API Error cudaEventCreateWithFlags(Event** event, unsigned flags) {
  return enter("cudaEventCreate", [&](Context&) {
    need(event);
    *event = streams().create_event(flags);
  });
}
LAB_API Error cudaEventCreate(Event** event) { return cudaEventCreateWithFlags(event, 0); }

LAB_API Error cudaEventDestroy(Event* event) {
  return enter([&](Context&) { streams().destroy_event(event); });
}

LAB_API Error cudaEventRecordWithFlags(Event* event, StreamHandle stream, unsigned /*flags*/) {
  return enter("cudaEventRecord", [&](Context& c) {
    Event& recorded = streams().find_event(event);
    Stream& on = streams().find(stream);
    recorded.in_graph = on.records_into;
    recorded.front = on.front;
    if (recorded.device != on.device) {
      throw ApiError{Error::InvalidResourceHandle,
                     msg("the event was made on GPU {} and the stream on GPU {}. Create the event while the "
                         "stream's GPU is the current one.",
                         recorded.device, on.device)};
    }
    if (recorded.in_graph != nullptr) return Error::Success;  // an order of nodes, and no node
    return submit(c, stream, record_work(event), kRecordNode);
  });
}

LAB_API Error cudaEventRecord(Event* event, StreamHandle stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

LAB_API Error cudaEventSynchronize(Event* event) {
  return enter([&](Context& c) {
    c.timeline.host_waits_for(streams().find_event(event).at);
    work_order().host_waits(streams().find_event(event));
    c.flush_output();
  });
}

LAB_API Error cudaEventQuery(Event* event) {
  return enter([&](Context&) {
    Event& asked = streams().find_event(event);
    if (work_order().asks_early(asked)) return Error::NotReady;
    work_order().host_waits(asked);
    return Error::Success;
  });
}

LAB_API Error cudaEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  return enter([&](Context& c) {
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
