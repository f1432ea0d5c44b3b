// The wire to a GPU's worker process: one question at a time, and a new worker when the old one is gone.
//
// Enters: packets. Leaves: replies, or why there is none. Owners of driver handles compare
// `generation`: handles of one worker are invalid in the next.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "common/gpu/device/gpu.h"
#include "common/gpu/device/gpu_worker.h"

namespace lab::device {

// A request that the driver refused.
struct Refused {
  int code = 0;
  std::string name, call, log;
};
// The worker did not reply in time, or ended.
struct Lost {
  bool too_late = false;
  Message how;
};

// Talks to a worker, and replaces it.
class Line {
 public:
  Line(GpuOptions options, Worker worker) : options_(options), worker_(worker) {}
  ~Line() { stop_worker(worker_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Grows with each worker: what one made is worth nothing to the next.
  [[nodiscard]] int generation() const { return generation_; }
  [[nodiscard]] const GpuOptions& options() const { return options_; }
  [[nodiscard]] std::byte* area() const { return worker_.area; }
  // What is asked next is about this GPU: of those together with the opened one, which is 0.
  void use(int gpu) { gpu_ = gpu; }
  [[nodiscard]] int gpu() const { return gpu_; }
  [[nodiscard]] bool is_up() const { return worker_.process > 0; }

  // A worker that answers. Throws GpuUnavailable, DeviceError.
  void bring_up();

  // The reply after its status. Throws Refused, Lost, DeviceError, std::bad_alloc.
  Packet ask(const Packet& request, std::chrono::milliseconds limit);

 private:
  GpuOptions options_;
  Worker worker_;
  int generation_ = 1, gpu_ = 0;
};

}  // namespace lab::device
