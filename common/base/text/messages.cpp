// Finished English sentences in another language.
//
// Enters: "thread (0,0,0) of block (1,0,0) reads 4 bytes …". Leaves: the translation of the catalogue's form
// that fits best, with what stood in the places of {} put into the translation. What stood there may be a
// phrase of the catalogue itself.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "common/base/text/catalogue.h"
#include "common/base/text/text.h"

namespace lab::text {
namespace {

constexpr int kDeepest = 6;        // phrases in phrases
constexpr int kMostLookups = 120;  // in one line: a sentence of ours needs a dozen
constexpr std::size_t kLongest =
    1'500;  // bytes of a line: ours are shorter, and a compiler's log is not ours

// "{} of {1:>3}" → pieces "", " of ", "" and the places 0, 1 between them.
struct Form {
  std::vector<std::string> pieces;  // one more than places
  std::vector<std::size_t> places;  // numbers of the arguments
  std::string_view translation;
  bool several_lines = false;
  std::size_t weight = 0;  // letters of the pieces
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Form parse(std::string_view text) {
  Form form;
  form.pieces.emplace_back();
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = i + 1 < text.size() && text[i + 1] == text[i];
    if (text[i] == '{' && !doubled) {
      const std::size_t end = std::min(text.find('}', i), text.size() - 1);
      const char digit = text[i + 1];
      form.places.push_back(digit >= '0' && digit <= '9' ? static_cast<std::size_t>(digit - '0') : next++);
      form.pieces.emplace_back();
      i = end;
      continue;
    }
    form.pieces.back() += text[i];
    if (text[i] == '{' || text[i] == '}') ++i;
    form.weight += is_letter(text[i]) ? 1 : 0;
    form.several_lines |= text[i] == '\n';
  }
  return form;
}

// Two words at least: "{}: {}" fits nearly everything and says nothing.
bool says_something(const Form& form) {
  int words = 0;
  for (const std::string& piece : form.pieces) {
    bool inside = false;
    for (const char c : piece) {
      if (is_letter(c) && !inside) ++words;
      inside = is_letter(c);
    }
  }
  return words >= 2 || (words == 1 && form.weight >= 4);
}

// Texts are translated line by line.
std::string_view without_ends(std::string_view text) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

const std::vector<Form>& forms() {
  // Outlives every destructor: `lab run` reports leaks behind the program's last one.
  static const std::vector<Form>& all = *new const std::vector<Form>([] {
    std::vector<Form> list;
    for (const Entry& entry : catalogue()) {
      Form form = parse(without_ends(entry.english));
      form.translation = without_ends(entry.translation);
      if (!form.places.empty() && says_something(form)) list.push_back(std::move(form));
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Form& a, const Form& b) { return a.weight > b.weight; });
    return list;
  }());
  return all;
}

using Values = std::vector<std::string_view>;

struct Stop {
  std::string_view english, translation;
  bool stays;  // with what stands before it
};
constexpr std::array<Stop, 5> kStops = {
    {{". ", " ", true}, {"? ", " ", true}, {": ", "：", false}, {"; ", "；", false}, {", ", "，", false}}};

// Of a form and a text: each value a part of one clause, or whatever stands between the pieces.
enum class Fit : std::uint8_t { Clauses, Anything };

// A value is a number, a name, a phrase: it holds whole `names`. A text of several lines (a compiler's log)
// is no phrase of the catalogue: it stays as it is.
bool is_value(std::string_view text) {
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  return count('`') % 2 == 0 && count('(') == count(')');
}

// Whether the value between two pieces holds no more than they leave it: clauses of its own only where one of
// them ends or begins one. "2 wavefronts per request, 1 would do: 2" is no number of lanes.
bool keeps_its_clause(std::string_view before, std::string_view value, std::string_view after,
                      bool is_second) {
  constexpr std::string_view kEnds = ".:;,?()\n\"";
  const auto is_end = [&](char c) { return kEnds.find(c) != kEnds.npos; };
  // Up to the first stop of this kind, and to the end of the sentence.
  if (!after.empty() && is_end(after.front()) && after.front() != '(' &&
      (value.find(std::string(after) + ' ') != value.npos || value.find(". ") != value.npos))
    return false;
  if (!before.empty() &&
      is_end(before.ends_with(' ') && before.size() > 1 ? before[before.size() - 2] : before.back()))
    return true;
  if (!after.empty() && is_end(after.front())) return true;
  if (before.empty() && is_second) return true;  // side by side with another value: it goes on from there
  return std::none_of(kStops.begin(), kStops.end(),
                      [&](const Stop& stop) { return value.find(stop.english) != value.npos; });
}

// How long the first word is: "(0,0)", or nothing where a blank or a comma begins.
std::size_t first_word(std::string_view text) { return std::min(text.find_first_of(" ,;:."), text.size()); }

// Fills values from place `k` on, where `text` is what follows piece k.
bool match(const Form& form, std::string_view text, std::size_t k, Values& values, Fit fit, int& tries) {
  if (k == form.places.size()) return text.empty();
  const std::string& piece = form.pieces[k + 1];
  const bool last = k + 1 == form.places.size();
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (--tries < 0) return false;
    if (last) {
      if (!text.ends_with(piece)) return false;
      at = text.size() - piece.size();
    } else if (piece.empty()) {
      at = first_word(text);  // two values side by side
    } else {
      at = text.find(piece, at);
      if (at == text.npos) return false;
    }
    const std::string_view value = text.substr(0, at);
    if (is_value(value) && (fit == Fit::Anything || keeps_its_clause(form.pieces[k], value, piece, k > 0))) {
      if (values.size() <= form.places[k]) values.resize(form.places[k] + 1);
      values[form.places[k]] = value;
      if (match(form, text.substr(at + piece.size()), k + 1, values, fit, tries)) return true;
    }
    if (last || piece.empty()) return false;
  }
  return false;
}

std::string translated_phrase(std::string_view english, int depth);

thread_local int lookups_left = 0;  // of the line that is being translated

std::string filled(std::string_view translation, const Values& values, int depth) {
  const Form form = parse(translation);
  std::string text = form.pieces[0];
  for (std::size_t k = 0; k < form.places.size(); ++k) {
    if (form.places[k] < values.size()) text += translated_phrase(values[form.places[k]], depth + 1);
    text += form.pieces[k + 1];
  }
  return text;
}

std::optional<std::string> translated_whole(std::string_view english, int depth, Fit fit) {
  if (--lookups_left < 0) return std::nullopt;
  const std::string_view exact = translated(english);
  if (exact != english && (depth == 0 || english.find(' ') != english.npos)) return filled(exact, {}, depth);
  const bool several_lines = english.find('\n') != english.npos;
  for (const Form& form : forms()) {
    if (several_lines && !form.several_lines) continue;
    const std::string& first = form.pieces.front();
    if (!english.starts_with(first) || !english.ends_with(form.pieces.back())) continue;
    Values values;
    int tries = 100;
    if (match(form, english.substr(first.size()), 0, values, fit, tries))
      return filled(form.translation, values, depth);
  }
  return std::nullopt;
}

// Between Chinese sentences stands no blank.
void join(std::string& text, std::string_view gap, std::string_view more) {
  const std::string_view before = text;
  const bool stop = before.ends_with("。") || before.ends_with("？") || before.ends_with("：");
  if (!(stop && gap == " ")) text += gap;
  text += more;
}

// Words of ours: not `names` in quotes, not 0x7f00.
bool has_words(std::string_view text) {
  bool quoted = false, number = false;
  for (const char c : text) {
    quoted ^= c == '`';
    number = (c >= '0' && c <= '9') || (number && is_letter(c));
    if (!quoted && !number && is_letter(c)) return true;
  }
  return false;
}

// As it is in the catalogue, or the longest beginning that is, up to a stop, and then the rest.
std::string translated_phrase(std::string_view english, int depth) {
  if (depth > kDeepest || !has_words(english) || english.find('\n') != english.npos)
    return std::string(english);
  if (auto whole = translated_whole(english, depth, Fit::Clauses)) return *whole;
  if (english.starts_with(' ')) return ' ' + translated_phrase(english.substr(1), depth);
  if (english.ends_with('.')) {
    if (auto whole = translated_whole(english.substr(0, english.size() - 1), depth, Fit::Clauses))
      return *whole + "。";
  }
  for (const Stop& stop : kStops) {
    for (std::size_t at = english.rfind(stop.english); at != english.npos && at > 0 && lookups_left > 0;
         at = english.rfind(stop.english, at - 1)) {
      const std::string_view begin = english.substr(0, at + (stop.stays ? 1 : 0));
      auto part = has_words(begin) ? translated_whole(begin, depth, Fit::Clauses) : std::string(begin);
      if (!part && stop.english == ". ") {  // a phrase with the stop of its sentence
        part = translated_whole(english.substr(0, at), depth, Fit::Clauses);
        if (part) *part += "。";
      }
      if (!part) continue;
      std::string text = *part;
      if (const auto more = translated_whole(english.substr(begin.size()), depth, Fit::Clauses))
        return text + *more;
      join(text, stop.translation, translated_phrase(english.substr(at + 2), depth + 1));
      return text;
    }
  }
  // A list whose end is known: "g++, on PATH".
  for (std::size_t at = english.rfind(", "); at != english.npos && at > 0 && lookups_left > 0;
       at = english.rfind(", ", at - 1)) {
    if (const auto end = translated_whole(english.substr(at + 2), depth, Fit::Clauses))
      return std::string(english.substr(0, at)) + "，" + *end;
  }
  if (auto whole = translated_whole(english, depth, Fit::Anything)) return *whole;
  return std::string(english);
}

}  // namespace

std::string translated_message(std::string_view english) {
  if (language() == Language::English || english.empty()) return std::string(english);
  lookups_left = kMostLookups;
  if (auto whole = translated_whole(english, 0, Fit::Clauses)) return *whole;
  std::string text;
  while (!english.empty()) {
    const std::size_t end = std::min(english.find('\n'), english.size());
    const std::string_view line = english.substr(0, end);
    lookups_left = kMostLookups;
    text += line.size() < kLongest ? translated_phrase(line, 0) : std::string(line);
    if (end < english.size()) text += '\n';
    english.remove_prefix(std::min(end + 1, english.size()));
  }
  return text;
}

}  // namespace lab::text
