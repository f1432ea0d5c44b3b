// How a program is to be run: what `lab run` asks of the runtime library in that program's process.
//
// Enters: options of the command line (run/commands). Leaves: variables of the program's environment, one for
// each row of kRequest, which the library reads once.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

namespace lab::cudart {

struct Request {
  std::string records;  // the file that launches are written to; "": none
  std::string gpu = "h200", nvrtc, curand;
  // 0 where nothing was said; schedules: -1.
  std::int64_t gpus = 1, launches = 0, schedules = -1, threads = 0, check_memory_mib = 0;
  bool lines = false, as_ptxas = false, time = false, no_check = false, no_leaks = false,
       no_shortcuts = false, every_launch = false, go_on = false, progress = false;
};

struct RequestRow {
  const char* variable;
  std::variant<std::string Request::*, std::int64_t Request::*, bool Request::*> field;
  bool of_shell = false;  // a user may set it: none of these changes a word of what is reported
};

inline constexpr RequestRow kRequest[] = {
    {"LAB_RUN_RECORDS", &Request::records},
    {"LAB_RUN_GPU", &Request::gpu},
    {"LAB_RUN_NVRTC", &Request::nvrtc, true},
    {"LAB_RUN_CURAND", &Request::curand, true},
    {"LAB_RUN_GPUS", &Request::gpus},
    {"LAB_RUN_LAUNCHES", &Request::launches},
    {"LAB_RUN_SCHEDULES", &Request::schedules},
    {"LAB_RUN_THREADS", &Request::threads},
    {"LAB_RUN_CHECK_MEMORY", &Request::check_memory_mib},
    {"LAB_RUN_LINES", &Request::lines},
    {"LAB_RUN_AS_PTXAS", &Request::as_ptxas},
    {"LAB_RUN_TIME", &Request::time},
    {"LAB_RUN_NO_CHECK", &Request::no_check},
    {"LAB_RUN_NO_LEAKS", &Request::no_leaks},
    {"LAB_RUN_NO_SHORTCUTS", &Request::no_shortcuts, true},
    {"LAB_RUN_EVERY_LAUNCH", &Request::every_launch},
    {"LAB_RUN_GO_ON", &Request::go_on},
    {"LAB_RUN_PROGRESS", &Request::progress},
};

// What a variable of the environment says; where there is none, the field stays.
inline void read_field(std::string& field, const char* text) { field = text; }
inline void read_field(std::int64_t& field, const char* text) { field = std::strtoll(text, nullptr, 10); }
inline void read_field(bool& field, const char*) { field = true; }
inline std::string written(const std::string& field) { return field; }
inline std::string written(std::int64_t field) { return std::to_string(field); }
inline std::string written(bool field) { return field ? "1" : ""; }

// All rows, or those alone that a user's shell may set.
inline Request read_request(bool of_shell_alone) {
  Request request;
  for (const RequestRow& row : kRequest) {
    const char* const text = std::getenv(row.variable);
    if (text == nullptr || *text == '\0' || (of_shell_alone && !row.of_shell)) continue;
    std::visit([&](auto field) { read_field(request.*field, text); }, row.field);
  }
  return request;
}

// For programs that are started from here on; what a shell has left in these variables is gone.
inline void write_request(const Request& request) {
  for (const RequestRow& row : kRequest) {
    const std::string text = std::visit([&](auto field) { return written(request.*field); }, row.field);
    if (text.empty())
      ::unsetenv(row.variable);
    else
      ::setenv(row.variable, text.c_str(), 1);
  }
}

// What this process was asked for.
inline const Request& request() {
  static const Request request = read_request(false);
  return request;
}

}  // namespace lab::cudart
