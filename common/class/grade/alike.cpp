// Names that people take for one: "Zoë" has two spellings, and macOS keeps another one than Windows types.
// See submission.h.
#include <algorithm>
#include <string>
#include <vector>

#include "common/base/characters.h"
#include "common/base/words.h"
#include "common/class/grade/decompositions.h"
#include "common/class/grade/submission.h"

namespace lab::grade {
namespace {

std::string three_bytes(char32_t code) {  // of three bytes, as Korean letters have
  return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

// Korean syllables are made of letters by a rule (Unicode, 3.12).
std::string letters_of_syllable(char32_t index) {
  constexpr char32_t kVowels = 21, kFinals = 28;
  std::string letters =
      three_bytes(0x1100 + index / (kVowels * kFinals)) + three_bytes(0x1161 + index / kFinals % kVowels);
  if (index % kFinals != 0) letters += three_bytes(0x11A7 + index % kFinals);
  return letters;
}

// The parts of one sequence of two or three bytes; the sequence itself when it has none.
std::string decomposed(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  const char32_t code = sequence.size() == 2 ? char32_t{byte(0) & 0x1Fu} << 6 | (byte(1) & 0x3Fu)
                                             : char32_t{byte(0) & 0x0Fu} << 12 |
                                                   char32_t{byte(1) & 0x3Fu} << 6 | (byte(2) & 0x3Fu);
  constexpr char32_t kFirst = 0xAC00, kSyllables = 11172;
  if (code >= kFirst && code < kFirst + kSyllables) return letters_of_syllable(code - kFirst);
  const auto found = std::lower_bound(kDecompositions.begin(), kDecompositions.end(), code,
                                      [](const Decomposition& d, char32_t c) { return d.letter < c; });
  return found != kDecompositions.end() && found->letter == code ? found->parts : std::string(sequence);
}

}  // namespace

std::string alike_form(std::string_view name) {
  std::string form;
  for (std::size_t at = 0; at < name.size();) {
    const auto first = static_cast<unsigned char>(name[at]);
    const std::size_t length = std::min<std::size_t>(first < 0xC0   ? 1
                                                     : first < 0xE0 ? 2
                                                     : first < 0xF0 ? 3
                                                                    : 4,
                                                     name.size() - at);
    const std::string_view sequence = name.substr(at, length);
    form += length == 2 || (length == 3 && first >= 0xE0) ? decomposed(sequence) : std::string(sequence);
    at += length;
  }
  return lower(form);
}

namespace {

// The words of a name in one form: what stands between them, marks that no platform keeps, and numbers before or
// behind them (a platform's own, or part of a name that is written the other way round), left out.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : base::replaced_all(alike_form(name), "\u2019", "")) {
    if (std::string_view("&<>\"`|':\\/?*!%@=+").find(c) != std::string_view::npos) continue;
    if (std::string_view(" _-.,()").find(c) == std::string_view::npos) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  const auto is_number = [](const std::string& word) {
    return std::all_of(word.begin(), word.end(), base::is_digit);
  };
  while (words.size() > 1 && is_number(words.back())) words.pop_back();
  while (words.size() > 1 && is_number(words.front())) words.erase(words.begin());
  return words;
}

}  // namespace

std::string joined_name(std::string_view name) { return base::joined(words_of(name), ""); }

std::vector<std::string> forms_of_name(std::string_view name) {
  std::vector<std::string> words = words_of(name), forms;
  for (std::size_t i = 0; i < words.size(); ++i) {
    forms.push_back(base::joined(words, ""));
    std::rotate(words.begin(), words.begin() + 1, words.end());  // the family's name first
  }
  return forms;
}

bool may_be_called(std::string_view person, std::string_view student) {
  const std::vector<std::string> forms = forms_of_name(person);
  return std::find(forms.begin(), forms.end(), joined_name(student)) != forms.end();
}

}  // namespace lab::grade
