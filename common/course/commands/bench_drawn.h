// What `lab bench --drawn` does. See bench_drawn.cpp.
#pragma once

#include <string>

namespace lab::cli {

// `seed` "": another one each time. The exit code.
[[nodiscard]] int bench_drawn(int count, const std::string& seed, bool json, int gpu_index);

}  // namespace lab::cli
