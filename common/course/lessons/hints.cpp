// Folded parts of a lesson. See hints.h.
#include "common/course/lessons/hints.h"

#include <algorithm>
#include <sstream>

namespace lab::course {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

// The words of `<!-- fits: … -->` between <details> and <summary>.
std::vector<std::string> fits_before(std::string_view lesson, std::size_t summary) {
  constexpr std::string_view kDetails = "<details>", kFits = "<!-- fits:";
  const std::size_t details = lesson.rfind(kDetails, summary);
  const std::size_t fits = details == lesson.npos ? lesson.npos : lesson.find(kFits, details);
  if (fits == lesson.npos || fits > summary) return {};
  const std::size_t begin = fits + kFits.size(), end = lesson.find("-->", begin);
  std::istringstream words{std::string(lesson.substr(begin, end - begin))};
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return list;
}

// How many words of the part are met; 0: it does not fit.
std::size_t rank(const Hint& hint, const Diagnosis& d) {
  if (hint.fits.empty()) return hint.title.find("<code>" + d.code + "</code>") != hint.title.npos ? 1 : 0;
  const bool all = std::all_of(hint.fits.begin() + 1, hint.fits.end(), [&](const std::string& fact) {
    return std::find(d.facts.begin(), d.facts.end(), fact) != d.facts.end();
  });
  return hint.fits.front() == d.code && all ? hint.fits.size() : 0;
}

}  // namespace

std::vector<Hint> folded_parts(std::string_view lesson, std::string_view start) {
  std::vector<Hint> hints;
  constexpr std::string_view kOpen = "<summary>", kMiddle = "</summary>", kClose = "</details>";
  for (std::size_t at = 0; (at = lesson.find(kOpen, at)) != lesson.npos;) {
    const std::size_t title = at + kOpen.size(), middle = lesson.find(kMiddle, title);
    const std::size_t close = middle == lesson.npos ? lesson.npos : lesson.find(kClose, middle);
    if (close == lesson.npos) break;
    const std::string name(lesson.substr(title, middle - title));
    const std::size_t text = middle + kMiddle.size();
    if (name.starts_with(start))
      hints.push_back({name, trimmed(lesson.substr(text, close - text)), fits_before(lesson, at)});
    at = close;
  }
  return hints;
}

const Hint* fitting(const std::vector<Hint>& hints, const Diagnosis& diagnosis) {
  const Hint* best = nullptr;
  std::size_t most = 0;
  for (const Hint& hint : hints) {
    const std::size_t met = rank(hint, diagnosis);
    if (met > most) best = &hint, most = met;
  }
  return best;
}

}  // namespace lab::course
