// The machine itself: system, processor, memory, disk, clock, terminal. See readiness.h.
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "common/base/clock.h"
#include "common/base/project.h"
#include "common/machine/readiness.h"

namespace lab::machine {
namespace fs = std::filesystem;

namespace {

// Chapter 09, the largest, was measured with 120 MiB; editors and a browser want the rest.
constexpr double kLeastMemoryGib = 0.5, kGoodMemoryGib = 1;
constexpr double kLeastDiskGib = 0.2, kGoodDiskGib = 1;
constexpr int kGoodColumns = 80;
constexpr double kGib = 1024.0 * 1024 * 1024;

std::map<std::string, std::string> release() {
  std::ifstream file("/etc/os-release");
  std::map<std::string, std::string> words;
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    std::erase(value, '"');
    words[line.substr(0, equals)] = value;
  }
  return words;
}

// "12", "24.04" as numbers; 0 for what is none.
double number_in(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

ReadinessRow ready_system_row() {
  auto words = release();
  utsname kernel{};
  uname(&kernel);
  const std::string machine = kernel.machine;
  const std::string version = kernel.release;
  const std::string name = words["PRETTY_NAME"].empty() ? "Linux" : words["PRETTY_NAME"];
  const bool windows = version.find("icrosoft") != std::string::npos;
  const bool old_windows = windows && version.find("WSL2") == std::string::npos &&
                           version.find("microsoft-standard") == std::string::npos;
  ReadinessRow row{/* message */ "system", ReadinessRow::State::Good,
                   text::verbatim(name + ", " + machine +
                                  (old_windows ? ", WSL 1"
                                   : windows   ? ", WSL 2"
                                               : "")),
                   ""};
  const bool known = (words["ID"] == "debian" && number_in(words["VERSION_ID"]) >= 12) ||
                     (words["ID"] == "ubuntu" && number_in(words["VERSION_ID"]) >= 24);
  if (old_windows) {
    row.state = ReadinessRow::State::Mind;
    row.advice = "WSL 1 is slow and has no namespaces. In Windows: wsl --set-version NAME 2";
  } else if (machine != "x86_64") {
    row.state = ReadinessRow::State::Mind;
    row.advice = "The course was made and measured on x86-64; what is judged below is what counts.";
  } else if (!known) {
    row.state = ReadinessRow::State::Mind;
    row.advice =
        "Not one of those the course is made for (Debian 12, Ubuntu 24.04 and later); what is judged "
        "below is what counts.";
  }
  return row;
}

ReadinessRow ready_processor_row() {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  ReadinessRow row{/* message */ "processor", ReadinessRow::State::Good,
                   cores == 1 ? Message(/* message */ "1 core") : msg("{} cores", cores), ""};
  if (cores == 1) {
    row.state = ReadinessRow::State::Mind;
    row.advice = "One core is slow; the row \"verdict\" says how slow.";
  }
  return row;
}

ReadinessRow memory_row() {
  std::ifstream file("/proc/meminfo");
  std::map<std::string, double> kib;
  std::string name, unit;
  for (double value = 0; file >> name >> value; std::getline(file, unit)) kib[name] = value;
  const double all = kib["MemTotal:"] * 1024 / kGib;
  const double available = kib["MemAvailable:"] * 1024 / kGib;
  ReadinessRow row{/* message */ "memory", ReadinessRow::State::Good,
                   msg("{:.1f} of {:.1f} GiB are free", available, all), ""};
  if (available < kGoodMemoryGib) {
    row.state = available < kLeastMemoryGib ? ReadinessRow::State::Bad : ReadinessRow::State::Mind;
    row.advice = "Close programs, the browser first.";
  }
  return row;
}

ReadinessRow disk_row() {
  struct statvfs disk {};
  ReadinessRow row{/* message */ "disk", ReadinessRow::State::Good, "", ""};
  if (statvfs(base::project_root().c_str(), &disk) != 0) {
    return {row.name, ReadinessRow::State::Bad, "the disk does not answer",
            "Move the course to another disk."};
  }
  const double available = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / kGib;
  row.found = msg("{:.1f} GiB are free", available);
  if (available < kGoodDiskGib) {
    row.state = available < kLeastDiskGib ? ReadinessRow::State::Bad : ReadinessRow::State::Mind;
    row.advice = "Make room: a gigabyte is enough.";
  }
  return row;
}

// A clock that stands before the files of the course makes every build and every "was it changed?" wrong.
ReadinessRow clock_row() {
  const std::string shown = base::utc_now("%Y-%m-%d %H:%M");
  ReadinessRow row{/* message */ "clock", ReadinessRow::State::Good, text::verbatim(shown + " UTC"), ""};
  std::error_code error;
  const fs::path& root = base::project_root();
  for (const fs::path& file :
       {root / "meson.build", root / "common" / "kernel" / "lab.cuh", fs::path("/proc/self/exe")}) {
    const auto written = fs::last_write_time(file, error);
    if (error || written <= fs::file_time_type::clock::now() + std::chrono::minutes(2)) continue;
    row.state = ReadinessRow::State::Bad;
    row.found = msg("{} UTC, before files of the course were written", shown);
    row.advice = "Set the clock: sudo date -s 'YYYY-MM-DD HH:MM' (in WSL: sudo hwclock -s).";
    break;
  }
  return row;
}

// Also when standard output is a file: the terminal that this was typed in.
int terminal_columns() {
  std::FILE* terminal = std::fopen("/dev/tty", "r");
  if (terminal == nullptr) return 0;
  winsize size{};
  const bool known = ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0;
  std::fclose(terminal);
  return known ? size.ws_col : 0;
}

ReadinessRow terminal_row() {
  const bool colours = base::environment_variable("NO_COLOR").empty() &&
                       base::environment_variable("TERM") != "dumb" &&
                       !base::environment_variable("TERM").empty();
  const int columns = terminal_columns();
  ReadinessRow row{/* message */ "terminal", ReadinessRow::State::Good,
                   /* message */ "not started from a terminal", ""};
  if (columns == 0) return row;
  row.found = colours ? msg("{} columns, colours", columns) : msg("{} columns, no colours", columns);
  if (columns < kGoodColumns) {
    row.state = ReadinessRow::State::Mind;
    row.advice = "Make the window wider: tables want 80 columns, the ladder 140.";
  }
  return row;
}

ReadinessRow letters_row() {
  std::string locale;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = base::environment_variable(name);
  std::string small = locale;
  for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (small.find("utf-8") != std::string::npos || small.find("utf8") != std::string::npos)
    return {/* message */ "letters", ReadinessRow::State::Good, "UTF-8", ""};
  return {"letters", ReadinessRow::State::Mind,
          locale.empty() ? Message(/* message */ "no UTF-8") : msg("no UTF-8: {}", locale),
          "Pictures and Chinese need it: export LANG=C.UTF-8"};
}

}  // namespace

void add_machine_rows(Readiness& laptop) {
  for (ReadinessRow (*look)() :
       {ready_system_row, ready_processor_row, memory_row, disk_row, clock_row, terminal_row, letters_row})
    laptop.rows.push_back(look());
}

}  // namespace lab::machine
