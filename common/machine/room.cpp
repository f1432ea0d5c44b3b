// `lab doctor --room`: the records of many laptops as one table, those that are not ready first, and why. See
// laptop.h.
//
// Enters: files that `lab doctor --workshop --json` wrote, one object per line, or folders of them. Leaves:
// the table, or one object. A file that is no such record is a laptop that is not ready: no laptop drops out
// of the list because of a bad file.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "common/base/errors.h"
#include "common/base/printable.h"
#include "common/base/text/message_json.h"
#include "common/base/text/text.h"
#include "common/machine/readiness.h"
#include "common/ui/style.h"
#include "common/ui/table.h"

namespace lab::machine {
namespace fs = std::filesystem;
using base::Json;
using report::Align;
using report::Ink;
using text::tr;

namespace {

struct Seat {
  std::string name;  // of the file, or the host's where a file holds many
  std::string when, commit, fingerprint, system;
  double seconds = 0;
  bool ready = false;
  std::vector<Message> bad, mind;  // "memory: 0.2 of 8 GiB are free"
};

constexpr std::uintmax_t kLargestFile = 16 << 20;

std::vector<fs::path> files_in(const std::vector<std::string>& places) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const std::string& place : places) {
    if (fs::is_directory(place, error)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
        const auto kind = entry.path().extension();
        if (entry.is_regular_file(error) && (kind == ".json" || kind == ".jsonl"))
          files.push_back(entry.path());
      }
    } else if (fs::is_regular_file(place, error)) {
      files.emplace_back(place);
    } else {
      throw base::UsageError(msg("There is no file or folder {}.", place));
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw base::UsageError(
        "There are no .json files here. On each laptop: ./lab doctor --workshop --json > NAME.json");
  }
  return files;
}

std::string word(const Json& object, const char* key) {
  const Json* at = object.find(key);
  return at != nullptr && at->is_string() ? base::printable(at->get<std::string>()) : "";
}

Seat unreadable(const std::string& name) {
  Seat seat;
  seat.name = name;
  seat.bad.push_back("the file is no record of ./lab doctor --workshop --json");
  return seat;
}

// None that a person could have written by hand makes this throw.
Seat seat_of(const Json& object, const std::string& name) {
  if (!object.is_object() || word(object, "format") != "transpose-lab laptop 1" || !object.contains("rows") ||
      !object["rows"].is_array() || object["rows"].empty())
    return unreadable(name);
  Seat seat{name, word(object, "when"), word(object, "commit"), word(object, "fingerprint"), "", 0, false, {},
            {}};
  if (const Json* time = object.find("edit_to_verdict_seconds"); time != nullptr && time->is_number())
    seat.seconds = time->get<double>();
  for (const Json& row : object["rows"]) {
    if (!row.is_object()) return unreadable(name);
    const std::string state = word(row, "state");
    if (word(row, "name") == "system") seat.system = word(row, "found");
    const Message why =
        text::message_from(row.value("said", nullptr), word(row, "name") + ": " + word(row, "found"));
    if (state == "mind") seat.mind.push_back(why);
    if (state != "mind" && state != "good") seat.bad.push_back(why);
  }
  seat.ready = seat.bad.empty();
  return seat;
}

// The newest record of each name counts: a laptop that was fixed writes another.
void keep_newest(std::map<std::string, Seat>& seats, Seat seat) {
  const auto known = seats.find(seat.name);
  if (known == seats.end() || known->second.when <= seat.when) seats[seat.name] = std::move(seat);
}

std::vector<Seat> read_seats(const std::vector<fs::path>& files) {
  std::map<std::string, Seat> seats;
  for (const fs::path& file : files) {
    const std::string name = base::printable(file.stem().string());
    std::error_code error;
    std::vector<Json> objects;
    std::ifstream in(file);
    bool whole = fs::file_size(file, error) <= kLargestFile && !error && in.good();
    for (std::string line; whole && std::getline(in, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const std::optional<Json> object = Json::try_parse(line);
      whole = object.has_value();
      if (whole) objects.push_back(*object);
    }
    if (!whole || objects.empty()) {
      keep_newest(seats, unreadable(name));
    } else if (objects.size() == 1) {
      keep_newest(seats, seat_of(objects[0], name));
    } else {
      for (const Json& object : objects) {
        const std::string host = object.is_object() ? word(object, "host") : "";
        keep_newest(seats, seat_of(object, host.empty() ? name : host));
      }
    }
  }
  std::vector<Seat> list;
  list.reserve(seats.size());
  for (auto& [name, seat] : seats) list.push_back(std::move(seat));
  return list;
}

// The version that most laptops have; another one judges differently, so it is a reason not to be ready.
std::string mark_other_versions(std::vector<Seat>& seats) {
  std::map<std::string, int> votes;
  for (const Seat& seat : seats)
    if (!seat.fingerprint.empty()) ++votes[seat.fingerprint];
  std::string most;
  for (const auto& [fingerprint, count] : votes)
    if (most.empty() || count > votes[most]) most = fingerprint;
  for (Seat& seat : seats) {
    if (seat.fingerprint.empty() || seat.fingerprint == most) continue;
    seat.ready = false;
    seat.bad.push_back(msg("version {}, most have {}", seat.fingerprint.substr(0, 8), most.substr(0, 8)));
  }
  return most;
}

Json room_json(const std::vector<Seat>& seats, const std::string& fingerprint, std::ptrdiff_t ready) {
  Json list = Json::array();
  for (const Seat& seat : seats) {
    list.push_back({{"bad", english(seat.bad)},
                    {"commit", seat.commit},
                    {"edit_to_verdict_seconds", seat.seconds},
                    {"fingerprint", seat.fingerprint},
                    {"mind", english(seat.mind)},
                    {"name", seat.name},
                    {"ready", seat.ready},
                    {"system", seat.system},
                    {"when", seat.when}});
  }
  return {{"fingerprint", fingerprint}, {"laptops", seats.size()}, {"list", list}, {"ready", ready}};
}

std::string why(const Seat& seat) {
  std::string all;
  for (const std::vector<Message>* list : {&seat.bad, &seat.mind})
    for (const Message& one : *list)
      all += (all.empty() ? "" : "; ") + base::printable(text::translated(one));
  return all;
}

void print_room(const std::vector<Seat>& seats, std::ptrdiff_t ready, const report::Style& style) {
  report::Table table;
  table.column("laptop", Align::Left).column("ready", Align::Left);
  table.column("edit to verdict").may_go();
  table.column("version", Align::Left).may_go();
  table.column("system", Align::Left).may_go();
  table.column("why", Align::Left);
  for (const Seat& seat : seats) {
    table.row({{seat.name, seat.ready ? Ink::Plain : Ink::Strong},
               {seat.ready ? tr("yes") : tr("NO"), seat.ready ? Ink::Good : Ink::Bad},
               {seat.seconds > 0 ? fmt::format("{:.1f} s", seat.seconds) : "–"},
               {seat.fingerprint.substr(0, 8)},
               {seat.system},
               {why(seat)}});
  }
  fmt::print("{}\n", table.text(style, "  "));
  const auto all = static_cast<std::ptrdiff_t>(seats.size());
  const std::string verdict =
      ready == all ? tr("All {} laptops are ready.", all)
                   : tr("{} of {} laptops are ready. See to those at the top first.", ready, all);
  fmt::print("  {}\n", style.paint(verdict, ready == all ? Ink::Good : Ink::Bad));
}

}  // namespace

int show_room(const std::vector<std::string>& places, bool plain, bool as_json) {
  std::vector<Seat> seats = read_seats(files_in(places));
  const std::string fingerprint = mark_other_versions(seats);
  std::stable_sort(seats.begin(), seats.end(), [](const Seat& a, const Seat& b) {
    return std::pair(a.ready, a.mind.empty()) < std::pair(b.ready, b.mind.empty());
  });
  const std::ptrdiff_t ready =
      std::count_if(seats.begin(), seats.end(), [](const Seat& seat) { return seat.ready; });
  if (as_json) {
    fmt::print("{}\n", room_json(seats, fingerprint, ready).dump());
  } else {
    print_room(seats, ready, report::style_for_stdout(plain));
  }
  return static_cast<int>(ready == static_cast<std::ptrdiff_t>(seats.size()) ? base::ExitCode::Passed
                                                                             : base::ExitCode::Environment);
}

}  // namespace lab::machine
