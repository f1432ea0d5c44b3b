// Streams, events, captures, callbacks: the calls that may be drawn.
#pragma once

#include "kinds.h"

using CaptureMode = OneOf<0, 0, 1, 2>;
using EventFlags = OneOf<0, 0, 1, 2, 3, 4, 7, 8>;
using StreamFlags = OneOf<0, 1, 0, 1, 2>;
using Priority = OneOf<0, -1, -5, -9, 3>;
using WaitFlags = OneOf<0, 0, 0, 0, 1, 2>;

// "done" stands for both answers that depend on how far the GPU has come.
inline std::string query(cudaError_t code) {
  return code == cudaErrorNotReady || code == cudaSuccess ? "done" : std::to_string(code);
}

struct MakesStream {
  cudaStream_t result = nullptr;
  int slot;
  explicit MakesStream(World& w) : slot(2 + w.draw.below(4)) {}
  cudaStream_t* value() { return &result; }
  std::string shown() const { return "&s" + std::to_string(slot); }
  std::string kept(World& w) const {
    w.streams[static_cast<std::size_t>(slot)] = result;  // the old one is left
    return "";
  }
};
struct MakesEvent {
  cudaEvent_t result = nullptr;
  int slot;
  explicit MakesEvent(World& w) : slot(w.draw.below(4)) {}
  cudaEvent_t* value() { return &result; }
  std::string shown() const { return "&e" + std::to_string(slot); }
  std::string kept(World& w) const {
    w.events[static_cast<std::size_t>(slot)] = result;
    return "";
  }
};
struct LosesStream : Stream {
  using Stream::Stream;
  std::string kept(World& w) const {
    w.streams[static_cast<std::size_t>(slot)] = nullptr;
    return "";
  }
};
struct LosesEvent : Event {
  using Event::Event;
  std::string kept(World& w) const {
    w.events[static_cast<std::size_t>(slot)] = nullptr;
    return "";
  }
};
struct Mode {
  cudaStreamCaptureMode result{};
  explicit Mode(World& w) : result(static_cast<cudaStreamCaptureMode>(w.draw.below(3))) {}
  cudaStreamCaptureMode* value() { return &result; }
  std::string shown() const { return "&"; }
  std::string kept(World&) const { return ":" + std::to_string(result); }
};
inline void on_host(void* counter) { *static_cast<volatile int*>(counter) = 1; }
inline void call_back(cudaStream_t, cudaError_t, void* counter) { *static_cast<volatile int*>(counter) = 1; }
inline int host_counter;
struct Counter {
  explicit Counter(World&) {}
  void* value() const { return &host_counter; }
  std::string shown() const { return "&counter"; }
  std::string kept(World&) const { return ""; }
};

struct NoEdges {
  explicit NoEdges(World&) {}
  const cudaGraphEdgeData* value() const { return nullptr; }
  std::string shown() const { return "null"; }
  std::string kept(World&) const { return ""; }
};
inline void capture_info(World& w) {
  const Stream s(w);
  w.say("cudaStreamGetCaptureInfo", s.shown(), [&] {
    cudaStreamCaptureStatus status{};
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* front = nullptr;
    size_t count = 0;
    unsigned long long id = 0;
    const int code = cudaStreamGetCaptureInfo(s.value(), &status, &id, &graph, &front, nullptr, &count);
    return std::to_string(code) +
           (code == 0 ? ":" + std::to_string(status) + (status == 1 ? ":" + std::to_string(count) : "") : "");
  });
}
inline void stream_query(World& w) {
  const Stream s(w);
  w.say("cudaStreamQuery", s.shown(), [&] { return query(cudaStreamQuery(s.value())); });
}
inline void event_query(World& w) {
  const Event e(w);
  w.say("cudaEventQuery", e.shown(), [&] { return query(cudaEventQuery(e.value())); });
}
inline void elapsed(World& w) {
  const Event a(w), b(w);
  w.say("cudaEventElapsedTime", a.shown() + "," + b.shown(), [&] {
    float ms = 0;
    return query(cudaEventElapsedTime(&ms, a.value(), b.value()));
  });
}
inline void stream_attribute(World& w) {
  const Stream s(w);
  const OneOf<1, 3, 8, 2, 0> which(w);
  w.say("cudaStreamSetAttribute", s.shown() + "," + which.shown(), [&] {
    cudaStreamAttrValue value{};
    value.syncPolicy = cudaSyncPolicyAuto;
    if (which.n.n == 1) value.accessPolicyWindow = {};
    return std::to_string(
        cudaStreamSetAttribute(s.value(), static_cast<cudaStreamAttrID>(which.n.n), &value));
  });
}
inline void stream_get_attribute(World& w) {
  const Stream s(w);
  const OneOf<1, 3, 8, 2, 0> which(w);
  w.say("cudaStreamGetAttribute", s.shown() + "," + which.shown(), [&] {
    cudaStreamAttrValue value{};
    const int code = cudaStreamGetAttribute(s.value(), static_cast<cudaStreamAttrID>(which.n.n), &value);
    return std::to_string(code) + (code == 0 && which.n.n != 1 ? ":" + std::to_string(value.priority) : "");
  });
}
inline void update_dependencies(World& w) {
  const Stream s(w);
  After after(w);
  const OneOf<0, 1> count(w);
  const OneOf<0, 1, 1, 2> flags(w);
  w.say("cudaStreamUpdateCaptureDependencies",
        s.shown() + "," + after.shown() + "," + count.shown() + "," + flags.shown(), [&] {
          return std::to_string(cudaStreamUpdateCaptureDependencies(s.value(), &after.node, nullptr,
                                                                    static_cast<size_t>(count.n.n),
                                                                    static_cast<unsigned>(flags.n.n)));
        });
}

inline const std::vector<Op> kStreamOps = {
    CALL(cudaStreamSynchronize, Stream) CALL(cudaStreamSynchronize, Stream) CALL(cudaStreamWaitEvent, Stream, Event, WaitFlags)
    CALL(cudaStreamWaitEvent, Stream, Event, Zero) CALL(cudaEventRecord, Event, Stream) CALL(cudaEventRecord, Event, Stream)
    CALL(cudaEventRecordWithFlags, Event, Stream, WaitFlags) CALL(cudaEventSynchronize, Event) CALL(cudaStreamGetFlags, Stream, Out<unsigned>)
    CALL(cudaStreamGetPriority, Stream, Out<int>) CALL(cudaStreamGetDevice, Stream, Out<int>) CALL(cudaStreamGetId, Stream, Unseen<unsigned long long>)
    CALL(cudaStreamCreate, MakesStream) CALL(cudaStreamCreateWithFlags, MakesStream, StreamFlags) CALL(cudaStreamDestroy, LosesStream)
    CALL(cudaStreamCreateWithPriority, MakesStream, StreamFlags, Priority) CALL(cudaEventCreate, MakesEvent)
    CALL(cudaEventCreateWithFlags, MakesEvent, EventFlags) CALL(cudaEventDestroy, LosesEvent) CALL(cudaStreamCopyAttributes, Stream, Stream)
    CALL(cudaDeviceGetStreamPriorityRange, Out<int>, Out<int>) CALL(cudaCtxResetPersistingL2Cache)
    Op{"cudaStreamQuery", stream_query}, Op{"cudaEventQuery", event_query}, Op{"cudaEventElapsedTime", elapsed},
    Op{"cudaStreamSetAttribute", stream_attribute}, Op{"cudaStreamGetAttribute", stream_get_attribute},
    Op{"cudaLaunchHostFunc", [](World& w) { w.run<Stream, Counter>("cudaLaunchHostFunc", [](auto s, auto c) { return cudaLaunchHostFunc(s, on_host, c); }); }},
    Op{"cudaStreamAddCallback", [](World& w) { w.run<Stream, Counter, OneOf<0, 0, 1>>("cudaStreamAddCallback", [](auto s, auto c, auto f) { return cudaStreamAddCallback(s, call_back, c, f); }); }},
    CALL(cudaDeviceSynchronize) CALL(cudaGetLastError) CALL(cudaPeekAtLastError)
};
inline const std::vector<Op> kCaptureOps = {
    CALL(cudaStreamBeginCapture, Stream, CaptureMode) CALL(cudaStreamEndCapture, Stream, MakesGraph)
        CALL(cudaStreamEndCapture, Stream, MakesGraph)
            CALL(cudaStreamIsCapturing, Stream, Out<cudaStreamCaptureStatus>)
                CALL(cudaThreadExchangeStreamCaptureMode, Mode) CALL(
                    cudaStreamBeginCaptureToGraph, Stream, Graph, After, NoEdges, AfterCount, CaptureMode)
                    Op{"cudaStreamGetCaptureInfo", capture_info},
    Op{"cudaStreamUpdateCaptureDependencies", update_dependencies},
    CALL(cudaStreamWaitEvent, Stream, Event, Zero) CALL(cudaEventRecord, Event, Stream)};
