// What the model says of a launch, as JSON: counters behind the first level, parts, time. Predicted, not
// measured.
//
// Enters: the work of a launch and its prediction. Leaves: the object `modelled` of docs/json_run.md.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/json.h"
#include "common/gpu/model/prediction.h"

namespace lab::report {

using Json = base::Json;

// A number of that object, or a list of them, and where they stand in a launch's work.
struct KeyedNumber {
  const char* key;
  std::vector<std::uint64_t*> values;
};
struct ModelledNumbers {
  std::vector<KeyedNumber> of_memory, of_work;  // of the object itself; of its `work`
};
[[nodiscard]] ModelledNumbers modelled_numbers(model::Work& work);
[[nodiscard]] Json modelled_json(const model::Work& work, const model::Prediction& predicted);

}  // namespace lab::report
