// The commands that belong to no product, and the tree of all of them.
#pragma once

#include "common/ui/session.h"

namespace lab::cli {

// The commands as `lab` has them.
[[nodiscard]] Command all_commands(Session& session);
Command judge_command(const Session& session);
Command completion_command(const Session& session);
Command dev_command(const Session& session);

}  // namespace lab::cli
