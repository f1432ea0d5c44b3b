// Words of other programs in the chosen language: what CLI11 says of a command line, what a compiler's log
// says.
//
// Enters: a finished English sentence whose form the catalogue has. Leaves: its translation with the same
// values. Nothing that the lab itself says is read back like this: it is a Message.
#include <algorithm>
#include <vector>

#include "common/base/text/catalogue.h"
#include "common/base/text/text.h"

namespace lab::text {
namespace {

// "{} is required" → "", " is required".
std::vector<std::string> pieces_of(std::string_view form) {
  std::vector<std::string> pieces(1);
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool doubled = i + 1 < form.size() && form[i + 1] == form[i];
    if (form[i] == '{' && !doubled) {
      i = std::min(form.find('}', i), form.size() - 1);
      pieces.emplace_back();
      continue;
    }
    pieces.back() += form[i];
    if (form[i] == '{' || form[i] == '}') ++i;
  }
  return pieces;
}

// What stands in the places of a form; none where it does not fit.
std::optional<std::vector<Argument>> values_of(std::string_view english,
                                               const std::vector<std::string>& pieces) {
  if (!english.starts_with(pieces.front()) || !english.ends_with(pieces.back())) return std::nullopt;
  std::vector<Argument> values;
  english.remove_prefix(pieces.front().size());
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    if (last && english.size() < pieces[i].size()) return std::nullopt;
    const std::size_t end = last ? english.size() - pieces[i].size() : english.find(pieces[i]);
    if (end == english.npos || (pieces[i].empty() && !last)) return std::nullopt;
    values.emplace_back(translated_words(english.substr(0, end)));  // it may be a phrase of the catalogue
    english.remove_prefix(end + pieces[i].size());
  }
  return english.empty() ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace

// By the form that fits with the most letters of its own: a form of few, such as "{}: {}", fits nearly
// everything and says nothing. Where none fits, what stands before a colon and what behind it, each by
// itself.
std::string translated_words(std::string_view english) {
  if (const std::string_view exact = form_in_language(english); exact != english) return std::string(exact);
  if (english.find(' ') == english.npos) return std::string(english);
  std::string best(english);
  std::size_t most = 6;
  for (const Entry& entry : catalogue()) {
    const std::vector<std::string> pieces = pieces_of(entry.english);
    std::size_t letters = 0;
    for (const std::string& piece : pieces) letters += piece.size();
    if (letters <= most || entry.english.find('\n') != entry.english.npos) continue;
    const auto values = values_of(english, pieces);
    if (!values) continue;
    most = letters;
    best = translated(Message(entry.english, *values));
  }
  const std::size_t colon = english.find(": ");
  if (best != english || colon == english.npos) return best;
  return translated(Message(
      "{}: {}", {translated_words(english.substr(0, colon)), translated_words(english.substr(colon + 2))}));
}

}  // namespace lab::text
