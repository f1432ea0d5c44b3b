// Pictures of what moves beside plain loads and stores: to another block of the cluster, to another GPU, and
// through the TMA unit.
//
// Enters: a Recording. Leaves: for each such path the request that costs most, as text; "" when there is
// none.
#pragma once

#include <string>

#include "common/course/explore/recording.h"
#include "common/ui/style.h"

namespace lab::report {

[[nodiscard]] std::string traffic_text(const explore::Recording& recording, const Style& style);

}  // namespace lab::report
