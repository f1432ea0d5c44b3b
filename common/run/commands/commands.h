// The command that runs CUDA programs.
#pragma once

#include "common/ui/session.h"

namespace lab::cli {

Command run_command(const Session& session);

}  // namespace lab::cli
