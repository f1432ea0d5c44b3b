// What the model says of a launch, as JSON: counters behind the first level, parts, time. Predicted, not
// measured.
//
// Enters: the work of a launch and its prediction. Leaves: the object `modelled` of docs/json.md.
#pragma once

#include "common/model/prediction.h"
#include "common/report/json.h"

namespace lab::report {

[[nodiscard]] Json modelled_json(const model::Work& work, const model::Prediction& predicted);

}  // namespace lab::report
