// Reads chapter names and numbers out of file names. See chapter_names.h.
#include "common/grade/chapter_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "common/base/characters.h"
#include "common/judge/named_kernel.h"

namespace lab::grade {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

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
      if (lower(text[at]) == wanted[matched]) {
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
    const bool version = at > 0 && lower(text[at - 1]) == 'v' &&
                         (at == 1 || std::isalpha(static_cast<unsigned char>(text[at - 2])) == 0);
    if (!copy && !version && end - at <= 2)
      numbers.push_back({std::atoi(std::string(text.substr(at, end - at)).c_str()), text[at] == '0'});
    at = end;
  }
  return numbers;
}

// "05_padding (1)", "05_padding - Copy": what browsers and desktops add. Such a file is as plain as the
// other.
std::string_view without_copy_mark(std::string_view text) {
  const auto trim = [&] {
    while (!text.empty() && std::string_view(" -_").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
  };
  if (const std::size_t open = text.rfind('(');
      open != std::string_view::npos && open > 0 && text.ends_with(')')) {
    const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
    if (!inner.empty() && std::all_of(inner.begin(), inner.end(), base::is_digit))
      text = text.substr(0, open), trim();
  }
  if (text.size() > 5 && letters_of(text).ends_with("copy") && lower(text.back()) == 'y') {
    text.remove_suffix(4);
    trim();
  }
  return text;
}

Mention with_name(int chapter, const std::set<int>& padded, const std::set<int>& plain) {
  if (padded.count(chapter) + plain.count(chapter) > 0) return {kBoth, chapter, false};
  return {kName, chapter, !padded.empty()};  // "04_padding" contradicts itself, "padding_2" does not
}

}  // namespace

std::string letters_of(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) result += lower(c);
  }
  return result;
}

Mention ChapterNames::read(std::string_view whole) const {
  const std::string_view text = without_copy_mark(whole);
  for (const auto* chapter : all_) {
    if (letters_of(text) == letters_of(chapter->name)) return {kExact, number_of(*chapter), false};
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

bool ChapterNames::is_chapter(int number) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto* c) { return number_of(*c) == number; });
}

// Cut out, longest first, so that the 4 of float4 is no number.
std::set<int> ChapterNames::take_names(std::string& text) const {
  Chapters by_length = all_;
  std::stable_sort(by_length.begin(), by_length.end(),
                   [](const auto* a, const auto* b) { return idea_of(*a).size() > idea_of(*b).size(); });
  std::set<int> found;
  for (const auto* chapter : by_length) {
    const auto place = find_letters(text, idea_of(*chapter));
    if (!place) continue;
    text.replace(place->first, place->second - place->first, "/");
    found.insert(number_of(*chapter));
  }
  return found;
}

}  // namespace lab::grade
