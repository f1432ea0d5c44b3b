// Where the project lies on this machine, and where its cache may be written.
//
// Enters: the environment (LAB_ROOT, LAB_CACHE_DIR, XDG_CACHE_HOME, HOME). Leaves: folders, and paths as a
// student reads them.
#pragma once

#include <filesystem>
#include <string>

namespace lab::base {

// The folder that holds chapters/ and common/: LAB_ROOT when set, else the source tree this program was built
// in. Throws EnvironmentError when that folder is gone.
[[nodiscard]] const std::filesystem::path& project_root();

// `.cache/` in the project; $XDG_CACHE_HOME/transpose-lab (or ~/.cache/…) where the project is read-only;
// LAB_CACHE_DIR overrides both. Created when missing. Throws EnvironmentError when no folder can be written.
[[nodiscard]] std::filesystem::path cache_root();

// The value of an environment variable; "" where it is not set.
[[nodiscard]] std::string environment_variable(const char* name);

// The file of a program that PATH knows; "" when it knows none of that name.
[[nodiscard]] std::string program_on_path(const std::string& name);

// "chapters/01_naive/transpose.cu" for a file inside the project, the path as it is for any other.
// Control characters in it are spelled out: it stays on its line, whatever the file is called.
[[nodiscard]] std::string shown_path(const std::filesystem::path& path);
// The file that was shown so: of the project, else as it was named here.
[[nodiscard]] std::filesystem::path file_shown_as(const std::string& shown);

}  // namespace lab::base
