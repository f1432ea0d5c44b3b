// Commands that the Python package carries out. See python.cpp.
#pragma once

#include <string>
#include <vector>

#include "common/ui/session.h"

namespace lab::cli {

// Becomes `python -m transpose_lab.commands WORDS`. Throws EnvironmentError where there is no Python.
int become_python(std::vector<std::string> words);
Command mcp_command();

}  // namespace lab::cli
