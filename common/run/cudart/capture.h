// Captures: what a call does to one that is under way, and when the call is refused for it.
//
// Enters: streams, events, the thread that calls. Leaves: the code that a GPU gives (measured on an H200: tests/cudart/calls), and a capture
// that is broken from then on, where a GPU's is. Three rules: what waits for a stream that is captured, or asks how far it is, is refused;
// the default stream would wait for each blocking stream, so it is refused while one is captured; and what could touch more than the capture
// records (cudaMalloc, cudaEventQuery, …) is refused to threads that the mode forbids it.
#pragma once

#include "common/run/cudart/streams.h"

// Whether stream 0 of the call that is under way is this thread's own: set by the names that programs with a default stream for each thread
// call (make_stubs.py), taken back when the call is done.
extern "C" __attribute__((visibility("hidden"),
                          tls_model("initial-exec"))) thread_local int lab_default_stream_is_per_thread;

namespace lab::cudart {

// All throw ApiError. A call on the default stream while a blocking stream of its GPU is captured; `breaks`: the capture is broken, too.
void refuse_implicit(const Stream& legacy, bool breaks);
// What waits for a stream, asks how far it is, or cannot be a node: refused where the stream is captured.
void refuse_captured(const Stream& stream);
// The same of an event that was recorded in a capture.
void refuse_captured(const Event& event);
// What could touch more than a capture records: refused to this thread while one is under way that forbids it.
void refuse_unsafe();
// What waits for a whole GPU.
void refuse_any(int device);
// The stream, for work: one whose capture is broken takes none.
[[nodiscard]] Stream& usable(StreamHandle handle);
void break_capture(const Stream& stream);
// cudaThreadExchangeStreamCaptureMode: of this thread.
Capture::Mode exchange_mode(Capture::Mode mode);
// Whether all that the capture's streams recorded comes before what its first stream would record next.
[[nodiscard]] bool all_joined(const Capture& capture);

// A call that a capture forbids.
Error enter_outside_capture(Asks asks, base::FunctionView<Error(Context&)> body,
                            const char* call = __builtin_FUNCTION());
inline Error enter_outside_capture(base::FunctionView<Error(Context&)> body,
                                   const char* call = __builtin_FUNCTION()) {
  return enter_outside_capture(Asks::Gpu, body, call);
}

}  // namespace lab::cudart
