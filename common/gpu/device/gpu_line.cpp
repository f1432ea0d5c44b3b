// Asks, waits, replaces. See gpu_line.h.
#include "common/gpu/device/gpu_line.h"

#include <new>

#include "common/gpu/device/gpu_words.h"

namespace lab::device {

void Line::bring_up() {
  if (is_up()) return;
  worker_ = start_worker(options_.index);
  ++generation_;
  const GpuSurvey survey = read_hello(worker_, options_.start_limit);
  if (survey.usable()) return;
  stop_worker(worker_);
  throw GpuUnavailable(survey, Message(survey.problem).then(survey.advice));
}

Packet Line::ask(const Packet& request, std::chrono::milliseconds limit) {
  bring_up();
  Packet about;
  about.put(gpu_);
  about.bytes() += request.bytes();
  Packet reply;
  const Received got = send(worker_.socket, about) ? receive(worker_.socket, reply, limit) : Received::Gone;
  if (got != Received::Whole) throw Lost{got == Received::TooLate, stop_worker(worker_)};
  switch (reply.get<Status>()) {
    case Status::Done:
      return reply;
    case Status::NoMemory:
      throw std::bad_alloc();
    case Status::DeviceFailed:
      throw DeviceError(text::verbatim(reply.get_text()));
    case Status::CudaFailed:
      break;
  }
  Refused refused;
  refused.code = reply.get<int>();
  refused.name = reply.get_text();
  refused.call = reply.get_text();
  refused.log = reply.get_text();
  if (ends_context(refused.code)) stop_worker(worker_);
  throw refused;
}

}  // namespace lab::device
