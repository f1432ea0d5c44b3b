// A compiler that the clock ended, and not its own work: on a busy machine that says nothing about the
// kernel.
//
// Enters: nothing. Leaves: an error that callers can distinguish from the limit of processor time.
#pragma once

#include "common/base/errors.h"

namespace lab::compile {

class WallLimit : public base::LimitError {
 public:
  using base::LimitError::LimitError;
};

}  // namespace lab::compile
