// Captures. See capture.h.
#include "common/run/cudart/capture.h"

#include <set>
#include <utility>

extern "C" {
thread_local int lab_default_stream_is_per_thread = 0;
}

namespace lab::cudart {
namespace {

thread_local Capture::Mode mode_of_thread = Capture::Mode::Global;

// Breaks those that `concerns` picks; whether there was one.
template <class Concerns>
bool break_all(const Concerns& concerns) {
  bool found = false;
  for (Capture* const capture : streams().captures()) {
    if (!concerns(*capture)) continue;
    capture->is_broken = found = true;
  }
  return found;
}

// Whether it keeps this thread from calls that are not safe.
bool forbids(const Capture& capture) {
  using Mode = Capture::Mode;
  if (mode_of_thread == Mode::Relaxed || capture.mode == Mode::Relaxed) return false;
  if (capture.thread == std::this_thread::get_id()) return true;
  return mode_of_thread == Mode::Global && capture.mode == Mode::Global;
}

}  // namespace

void refuse_implicit(const Stream& legacy, bool breaks) {
  bool found = false;
  for (Capture* const capture : streams().captures()) {
    if (!capture->origin->clock.blocks || capture->origin->device != legacy.device) continue;
    found = true;
    capture->is_broken = capture->is_broken || breaks;
  }
  if (!found) return;
  throw ApiError{Error::StreamCaptureImplicit,
                 "the default stream waits for every stream made without cudaStreamNonBlocking, and one of "
                 "these is being captured. Use "
                 "another stream here, or make the captured one with cudaStreamNonBlocking."};
}

void refuse_captured(const Stream& stream) {
  if (stream.capture == nullptr) return;
  stream.capture->is_broken = true;
  throw ApiError{Error::StreamCaptureUnsupported,
                 "the stream is being captured into a graph; nothing of it runs yet."};
}

void refuse_captured(const Event& event) {
  if (event.capture == nullptr) return;
  event.capture->is_broken = true;
  throw ApiError{Error::CapturedEvent,
                 "the event was recorded in a stream that is being captured: nothing of that runs yet."};
}

void refuse_unsafe() {
  if (break_all(forbids))
    throw ApiError{Error::StreamCaptureUnsupported,
                   "a stream is being captured, and this call is not allowed meanwhile. Call it before "
                   "cudaStreamBeginCapture or after "
                   "cudaStreamEndCapture; cudaStreamCaptureModeRelaxed allows it."};
}

void refuse_any(int device) {
  if (break_all([&](const Capture& capture) { return capture.origin->device == device; }))
    throw ApiError{Error::StreamCaptureUnsupported,
                   "a stream of this GPU is being captured: it has nothing that could be waited for."};
}

Stream& usable(StreamHandle handle) {
  Stream& stream = streams().find(handle);
  if (stream.capture != nullptr && stream.capture->is_broken)
    throw ApiError{Error::StreamCaptureInvalidated,
                   "an earlier call broke the capture of this stream: it takes no more work."};
  return stream;
}

void break_capture(const Stream& stream) {
  if (stream.capture != nullptr) stream.capture->is_broken = true;
}

Capture::Mode exchange_mode(Capture::Mode mode) { return std::exchange(mode_of_thread, mode); }

bool all_joined(const Capture& capture) {
  std::set<const GraphNode*> before;
  std::vector<const GraphNode*> next(capture.origin->front.begin(), capture.origin->front.end());
  while (!next.empty()) {
    const GraphNode* const node = next.back();
    next.pop_back();
    if (before.insert(node).second) next.insert(next.end(), node->after.begin(), node->after.end());
  }
  bool joined = true;
  streams().for_each([&](const Stream& stream) {
    if (stream.capture.get() != &capture) return;
    for (const GraphNode* const node : stream.front) joined = joined && before.count(node) != 0;
  });
  return joined;
}

Error enter_outside_capture(Asks asks, base::FunctionView<Error(Context&)> body, const char* call) {
  return enter(call, asks, [&](Context& c) {
    refuse_unsafe();
    return body(c);
  });
}

}  // namespace lab::cudart
