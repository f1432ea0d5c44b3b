// Which person is meant: the one matcher for rosters, worksheets, exports, extensions, decisions by hand and gradebooks.
//
// Enters: people with the keys that a platform or a list gives them, and another list's keys for one of
// them. Leaves: the person: one, none, or several, which the caller reports and never guesses. Keys decide
// before names; names are for show, and platforms change them: Moodle drops ' " & / and writes a blank for _.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lab::grade {

struct Identity {
  std::string number;  // the platform's, within one export: Moodle draws new ones for each assignment
  std::string id;      // a school's number or a login: the same in each export
  std::string email;
  std::string name;  // for show
};

class Directory {
 public:
  // Returns the number by which the others speak of this person: 0, 1, 2, …
  std::size_t add(const Identity& person);
  // A further name of that person, which no one else has: a label, an anonymous id.
  void add_label(std::size_t person, const std::string& label);

  // A name that others may have too.
  void add_name(std::size_t person, const std::string& name);

  // By id, else by e-mail, else by name; not by number, which is one export's own. A name is no match where
  // both have ids of one kind and these differ.
  [[nodiscard]] std::vector<std::size_t> find(const Identity& who) const;
  // What a person wrote, or a folder is called: an id, an e-mail, a label, a name, "NAME_NUMBER",
  // "transpose-LOGIN".
  [[nodiscard]] std::vector<std::size_t> called(const std::string& text) const;
  [[nodiscard]] std::vector<std::size_t> numbered(const std::string& number) const;
  [[nodiscard]] std::vector<std::size_t> named(const std::string& name) const;

  // Whether these people's ids are of the same kind as the directory's: one of them is known here.
  void compare_ids(const std::vector<Identity>& people);

 private:
  using Index = std::unordered_map<std::string, std::vector<std::size_t>>;
  static void enter(Index& index, const std::string& key, std::size_t person);
  static std::vector<std::size_t> at(const Index& index, const std::string& key);

  [[nodiscard]] std::vector<std::size_t> with_login(std::string form) const;

  std::vector<Identity> people_;
  Index labels_, ids_, emails_, numbers_, plain_, alike_;
  bool same_ids_ = false;
};

// A name as Moodle puts it into a file's: without ' " & / and the like, with a blank for _; accents in one
// form, letters of English in lower case.
[[nodiscard]] std::string plain_form(std::string_view name);

}  // namespace lab::grade
