// What was found out about a program on this machine, kept as long as its file stays the same.
//
// Enters: a program, the name of a question, how to answer it. Leaves: the answer, from a note in the cache
// where there is one. Asking a compiler for its version costs 10 to 20 ms, hashing one half a second.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace lab::compile {

// "" when the program is not there or `ask` says "", which is not kept. Without a cache: asked each time.
[[nodiscard]] std::string remembered(const std::filesystem::path& program, const std::string& question,
                                     const std::function<std::string()>& ask);

}  // namespace lab::compile
