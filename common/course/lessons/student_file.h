// Writing into a student's own file: never without a copy of what was there.
//
// Enters: a file, its new text. Leaves: the new text, and the old one beside it under a name that was free,
// or where a copy from before holds it already: what would not be lost is not copied again. Throws
// EnvironmentError when the copy cannot be written; then the file is as it was.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace lab::course {

// Returns the copy's path; "" when there was no file to copy.
// `essence`: what of a text must not be lost; none: all of it.
std::filesystem::path replace_keeping_copy(const std::filesystem::path& file, const std::string& text,
                                           const std::function<std::string(std::string)>& essence = {});

}  // namespace lab::course
