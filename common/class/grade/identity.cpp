// Finds people by their keys and names. See identity.h.
#include "common/class/grade/identity.h"

#include <algorithm>

#include "common/base/characters.h"
#include "common/base/words.h"
#include "common/class/grade/submission.h"

namespace lab::grade {
namespace {

std::string key_form(const std::string& key) { return alike_form(key); }

}  // namespace

std::string plain_form(std::string_view name) {
  std::string form, text = alike_form(name);
  for (const char* mark : {"amp;", "quot;", "lt;", "gt;", "#039;"})  // of names that went through HTML
    text = base::replaced_all(std::move(text), mark, "");
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (control || std::string_view("&<>\"`|':\\/?*").find(c) != std::string_view::npos) continue;
    const char plain = c == '_' ? ' ' : c;
    if (plain != ' ' || (!form.empty() && form.back() != ' ')) form += plain;
  }
  while (form.ends_with(' ')) form.pop_back();
  return form;
}

void Directory::enter(Index& index, const std::string& key, std::size_t person) {
  if (key.empty()) return;
  std::vector<std::size_t>& people = index[key];
  if (people.empty() || people.back() != person) people.push_back(person);
}

std::vector<std::size_t> Directory::at(const Index& index, const std::string& key) {
  const auto found = key.empty() ? index.end() : index.find(key);
  return found == index.end() ? std::vector<std::size_t>{} : found->second;
}

std::size_t Directory::add(const Identity& person) {
  const std::size_t number = people_.size();
  people_.push_back(person);
  enter(ids_, key_form(person.id), number);
  enter(emails_, key_form(person.email), number);
  enter(numbers_, person.number, number);
  if (person.name.empty()) return number;
  add_name(number, person.name);
  for (const std::string& behind : {person.number, person.id})
    if (!behind.empty()) enter(labels_, plain_form(person.name) + " " + plain_form(behind), number);
  return number;
}

void Directory::add_name(std::size_t person, const std::string& name) {
  enter(plain_, plain_form(name), person);
  for (const std::string& form : forms_of_name(name)) enter(alike_, form, person);
}

void Directory::add_label(std::size_t person, const std::string& label) {
  enter(labels_, plain_form(label), person);
}

void Directory::compare_ids(const std::vector<Identity>& people) {
  same_ids_ = std::any_of(people.begin(), people.end(),
                          [&](const Identity& who) { return !at(ids_, key_form(who.id)).empty(); });
}

std::vector<std::size_t> Directory::find(const Identity& who) const {
  for (const auto& [index, key] : {std::pair(&ids_, &who.id), std::pair(&emails_, &who.email)})
    if (auto found = at(*index, key_form(*key)); !found.empty()) return found;
  std::vector<std::size_t> found = named(who.name);
  std::erase_if(found, [&](std::size_t person) {
    return same_ids_ && !who.id.empty() && !people_[person].id.empty();  // two ids, and not the same one
  });
  return found;
}

std::vector<std::size_t> Directory::numbered(const std::string& number) const { return at(numbers_, number); }

std::vector<std::size_t> Directory::named(const std::string& name) const {
  if (name.empty()) return {};
  if (auto found = at(plain_, plain_form(name)); !found.empty()) return found;
  return at(alike_, joined_name(name));
}

std::vector<std::size_t> Directory::called(const std::string& text) const {
  const std::string plain = plain_form(text);
  for (const auto& [index, key] : {std::pair(&ids_, key_form(text)), std::pair(&emails_, key_form(text)),
                                   std::pair(&labels_, plain), std::pair(&plain_, plain)})
    if (auto found = at(*index, key); !found.empty()) return found;
  std::vector<std::size_t> found = at(alike_, joined_name(text));
  for (const std::size_t person : with_login(key_form(text)))
    if (std::find(found.begin(), found.end(), person) == found.end()) found.push_back(person);
  return found;
}

// "transpose-adalovelace": GitHub Classroom puts the assignment's name before a login; ILIAS writes
// Lovelace_Ada_LOGIN_1234.
std::vector<std::size_t> Directory::with_login(std::string form) const {
  constexpr std::size_t kShortest = 3;
  std::vector<std::size_t> found;
  for (const bool whole : {true, false}) {
    for (std::size_t bar = form.find_first_of("-_"); bar != std::string::npos;
         bar = form.find_first_of("-_", bar + 1)) {
      const std::string login = form.substr(bar + 1);
      if (login.size() < kShortest) break;
      for (const std::size_t person : at(ids_, login)) found.push_back(person);
    }
    const std::size_t last = form.rfind('_');
    const bool number =
        last != std::string::npos && last + 1 < form.size() &&
        std::all_of(form.begin() + static_cast<std::ptrdiff_t>(last) + 1, form.end(), base::is_digit);
    if (!whole || !number) break;
    form.resize(last);
  }
  return found;
}

}  // namespace lab::grade
