// How platforms name the files of a class: whose a file is, by the first part of its path.
//
// Enters: paths of an export, as a platform writes them. Leaves: the platform, and for each path its owner. What each
// platform's rules are stands in layouts.cpp, a function each.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lab::grade {

// Whose a file is, and what it is called inside of that person's submission.
struct Owner {
  std::string key;      // one for each submission; what the platform calls it
  std::string student;  // what the person is called
  std::string number;   // the platform's number of the person or team; "" for none
  std::string name;     // the person's name, as the platform writes it here
  std::string id;       // the person's login, where it stands there
  std::string file;
  std::string time;      // as read_time takes it; "" when the name has none
  bool late = false;     // the platform says so, and not how late
  std::string feedback;  // what the platform calls a file for this person when it is uploaded
};

struct Platform {
  const char* name;
  std::optional<Owner> (*owner)(const std::string& first);
  std::size_t least;  // so many people make it one: names of some platforms are plain
  bool distinctive;   // no student names a file so by chance
  bool attempts;      // several of one person may be there, with times: the newest counts
};

// The platform whose names these are; null for none. Each kernel and archive in it names an owner. `any`: a folder or
// archive for each student will do.
[[nodiscard]] const Platform* platform_of(const std::vector<std::string>& names, bool any);
// Those of whom it cannot be chance.
[[nodiscard]] const std::vector<Platform>& platforms();

// Folders around all of an export, which people and platforms put there: how many.
[[nodiscard]] std::size_t wrappers_around(const std::vector<std::string>& names, const Platform& platform);
[[nodiscard]] std::optional<Owner> owner_of(const Platform& platform, const std::string& path,
                                            std::size_t wrappers);

}  // namespace lab::grade
