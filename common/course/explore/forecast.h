// What a transpose would take on a GPU, by the model of time (common/gpu/model), and what it asks of each part.
//
// Enters: a kernel under examination, a matrix, a GPU of data/gpus. Leaves: one counted run with what the
// model makes of it. A large matrix is counted on a smaller one that is as ragged, with a second-level cache
// that is as much smaller, and the counts are scaled. The launch is one of many on matrices that take turns,
// so that the cache holds nothing of them.
#pragma once

#include "common/course/judge/loads_at_once.h"
#include "common/course/judge/subject.h"
#include "common/gpu/device/gpu_data.h"
#include "common/gpu/model/prediction.h"

namespace lab::explore {

struct Forecast {
  judge::Problem asked, simulated;
  judge::Run run;                 // on the simulated matrix; when it is not correct the rest is empty
  model::Work work;               // of the matrix that was asked for
  judge::AtOnceFindings at_once;  // on their way at once, and blocks of a multiprocessor
  model::Prediction predicted;
  double instructions_per_byte = 0;  // of lanes; each byte of both matrices once
};

// `subject` runs on one host thread: the cache sees blocks in their order.
[[nodiscard]] Forecast forecast(judge::Subject& subject, const judge::Target& target,
                                const judge::Problem& asked, const device::GpuData& gpu);

// What the GPU could do for each byte while it copies: where the two ways of being busy meet.
[[nodiscard]] double balance_of(const device::GpuData& gpu);

}  // namespace lab::explore
