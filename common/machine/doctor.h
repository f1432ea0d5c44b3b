// `lab doctor`.
#pragma once

#include "common/ui/session.h"

namespace lab::cli {

Command doctor_command(const Session& session);

}  // namespace lab::cli
