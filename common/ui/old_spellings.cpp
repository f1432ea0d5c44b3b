// Commands that moved into a group keep their old spelling.
#include "common/ui/old_spellings.h"

#include <array>

namespace lab::cli {
namespace {

struct Spelling {
  std::string_view old, group;  // the name in the group is the old one
};

constexpr std::array<Spelling, 6> kSpellings{{{"banks", "inspect"},
                                              {"sectors", "inspect"},
                                              {"swizzle", "inspect"},
                                              {"limits", "inspect"},
                                              {"similar", "grade"},
                                              {"verify", "dev"}}};

}  // namespace

std::size_t command_place(const Command& lab, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return i;
    for (const Option& option : lab.options) i += option.names == words[i] && !option.is_flag() ? 1 : 0;
  }
  return words.size();
}

std::vector<std::string> in_new_words(const Command& lab, std::vector<std::string> words) {
  const std::size_t at = command_place(lab, words);
  if (at >= words.size()) return words;
  const auto here = words.begin() + static_cast<std::ptrdiff_t>(at);
  for (const Spelling& spelling : kSpellings) {
    if (*here != spelling.old) continue;
    words.insert(here, std::string(spelling.group));
    return words;
  }
  const Command* group = lab.find(*here);
  if (group == nullptr || group->otherwise.empty()) return words;
  const bool names_one =
      here + 1 != words.end() && (group->find(here[1]) != nullptr || here[1] == "--help" || here[1] == "-h");
  if (!names_one) words.insert(here + 1, group->otherwise);
  return words;
}

std::vector<std::string> old_spellings() {
  std::vector<std::string> words;
  for (const Spelling& spelling : kSpellings) words.emplace_back(spelling.old);
  return words;
}

}  // namespace lab::cli
