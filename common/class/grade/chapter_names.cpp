// Reads chapter names and numbers out of file names. See chapter_names.h.
#include "common/class/grade/chapter_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "common/base/characters.h"
#include "common/course/judge/named_kernel.h"

namespace lab::grade {
namespace {

char small(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string idea_of(const judge::ChapterInfo& chapter) {
  const std::string_view name = chapter.name;
  const std::size_t cut = name.find('_');
  return letters_of(name.substr(cut == name.npos ? 0 : cut + 1));
}

// Where the letters of `wanted` stand in `text`, separators left out: first and last place.
std::optional<std::pair<std::size_t, std::size_t>> find_letters(std::string_view text,
                                                                std::string_view wanted) {
  for (std::size_t start = 0; start < text.size(); ++start) {
    std::size_t at = start, matched = 0;
    while (at < text.size() && matched < wanted.size()) {
      if (small(text[at]) == wanted[matched]) {
        ++matched;
      } else if (matched == 0 || std::isalnum(static_cast<unsigned char>(text[at])) != 0) {
        break;
      }
      ++at;
    }
    if (matched == wanted.size()) return std::make_pair(start, at);
  }
  return std::nullopt;
}

struct Number {
  int value = 0;
  bool padded = false;  // "05"
};

// Numbers that may mean a chapter: not "v2", not "(1)", not those of long digit runs.
std::vector<Number> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!base::is_digit(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && base::is_digit(text[end])) ++end;
    const bool copy = at > 0 && text[at - 1] == '(';
    const bool version = at > 0 && small(text[at - 1]) == 'v' &&
                         (at == 1 || std::isalpha(static_cast<unsigned char>(text[at - 2])) == 0);
    if (!copy && !version && end - at <= 2)
      numbers.push_back({std::atoi(std::string(text.substr(at, end - at)).c_str()), text[at] == '0'});
    at = end;
  }
  return numbers;
}

void trim_separators(std::string_view& text) {
  constexpr std::string_view kSeparators = " -_";
  while (!text.empty() && kSeparators.find(text.back()) != kSeparators.npos) text.remove_suffix(1);
}

std::string_view without_digits(std::string_view text) {
  while (!text.empty() && base::is_digit(text.back())) text.remove_suffix(1);
  return text;
}

// "05_padding (1)" → "05_padding": what browsers add.
bool take_count(std::string_view& text) {
  if (!text.ends_with(')')) return false;
  const std::string_view inside = text.substr(0, text.size() - 1), before = without_digits(inside);
  if (before.size() == inside.size() || !before.ends_with('(')) return false;
  text = before.substr(0, before.size() - 1);
  trim_separators(text);
  return true;
}

// "05_padding - Copy", "05_padding copy 2" → "05_padding": what desktops add, in their languages. A chapter's
// own name may end so: async_copy.
bool take_word(std::string_view& text) {
  constexpr std::array<std::string_view, 7> kWords = {"(copy)", "copy", "kopie", "copie",
                                                      "copia",  "副本", "拷贝"};
  std::string_view name = without_digits(text);
  if (name.size() < text.size() && !name.ends_with(' ')) return false;  // "copy2" is a name
  trim_separators(name);
  for (const std::string_view word : kWords) {
    if (name.size() < word.size()) continue;
    const std::string_view end = name.substr(name.size() - word.size());
    const bool same =
        std::equal(end.begin(), end.end(), word.begin(), [](char a, char b) { return small(a) == b; });
    if (!same) continue;
    name.remove_suffix(word.size());
    trim_separators(name);
    text = name;
    return true;
  }
  return false;
}

// The name as it stands, and without the marks of a copy: "05_padding - Copy (2)", "Copy of 05_padding".
std::vector<std::string_view> without_copy_marks(std::string_view text) {
  constexpr std::string_view kBefore = "copyof";
  std::vector<std::string_view> forms{text};
  while (take_count(text) || take_word(text)) forms.push_back(text);
  if (letters_of(text).starts_with(kBefore)) forms.push_back(text.substr(kBefore.size() + 1));
  return forms;
}

Mention with_name(int chapter, const std::set<int>& padded, const std::set<int>& plain) {
  if (padded.count(chapter) + plain.count(chapter) > 0) return {kBoth, chapter, false};
  return {kName, chapter, !padded.empty()};  // "04_padding" contradicts itself, "padding_2" does not
}

}  // namespace

std::string letters_of(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) result += small(c);
  }
  return result;
}

ChapterNames::ChapterNames(const Chapters& all) : all_(all) {
  for (const auto* chapter : all)
    names_.push_back({letters_of(chapter->name), idea_of(*chapter), number_of(*chapter)});
  std::stable_sort(names_.begin(), names_.end(),
                   [](const Name& a, const Name& b) { return a.idea.size() > b.idea.size(); });
}

// A copy is as plain as the file that it is of.
Mention ChapterNames::read(std::string_view whole) const {
  Mention best;
  for (const std::string_view form : without_copy_marks(whole)) {
    const Mention mention = read_form(form);
    if (mention.clarity > best.clarity || (mention.clarity == best.clarity && best.torn)) best = mention;
  }
  return best;
}

Mention ChapterNames::read_form(std::string_view text) const {
  const std::string letters = letters_of(text);
  for (const Name& name : names_) {
    if (letters == name.whole) return {kExact, name.number, false};
  }
  std::string rest(text);
  const std::set<int> named = take_names(rest);
  std::set<int> padded, plain;
  for (const Number& n : numbers_in(rest)) {
    if (is_chapter(n.value)) (n.padded ? padded : plain).insert(n.value);
  }
  if (named.size() > 1) return {kName, 0, true};
  if (named.size() == 1) return with_name(*named.begin(), padded, plain);
  const std::set<int>& numbers = padded.empty() ? plain : padded;  // "hw2_05" is about 05
  if (numbers.empty()) return {};
  return {kNumber, *numbers.begin(), numbers.size() > 1};
}

bool ChapterNames::is_work(std::string_view folder) const {
  static const std::set<std::string> kWords = {"",           "chapter",   "ch",      "ex",   "exercise",
                                               "hw",         "week",      "lab",     "task", "part",
                                               "assignment", "transpose", "solution"};
  std::string letters = letters_of(folder);
  std::erase_if(letters, base::is_digit);
  const Mention mention = read(folder);
  return letters == "chapters" || letters == "solutions" || mention.clarity > kNumber ||
         (mention.clarity == kNumber && kWords.contains(letters));
}

bool ChapterNames::is_chapter(int number) const {
  return std::any_of(names_.begin(), names_.end(), [&](const Name& name) { return name.number == number; });
}

std::set<int> ChapterNames::take_names(std::string& text) const {
  std::set<int> found;
  for (const Name& name : names_) {
    const auto place = find_letters(text, name.idea);
    if (!place) continue;
    text.replace(place->first, place->second - place->first, "/");
    found.insert(name.number);
  }
  return found;
}

}  // namespace lab::grade
