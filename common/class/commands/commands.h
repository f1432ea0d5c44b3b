// The commands that grade a class.
#pragma once

#include "common/ui/session.h"

namespace lab::cli {

Command grade_command(const Session& session);
Command similar_command(const Session& session);

}  // namespace lab::cli
