// What nearly every command includes, compiled once for all of them (Meson's cpp_pch).
#include <fmt/core.h>
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/cli/cli.h"
#include "common/cli/command.h"
