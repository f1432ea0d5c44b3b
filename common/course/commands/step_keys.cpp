// Keys of `lab step`. See step_keys.h.
#include "common/course/commands/step_keys.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "common/base/errors.h"
#include "common/base/text/text.h"
#include "common/course/report/step_words.h"
#include "common/ui/keys.h"
#include "common/ui/pager.h"

namespace lab::cli {
namespace {

using text::tr;
using text::translated;

constexpr int kGone = -1, kEscape = 27, kDelete = 127;

// Waits for one.
int next_key() {
  for (;;) {
    if (const int key = Keys::pressed(); key != 0) return key;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// An arrow is three keys: as the letter that means the same.
int key_or_arrow() {
  const int key = next_key();
  if (key != kEscape || next_key() != '[') return key;
  switch (next_key()) {
    case 'C':
    case 'B':
      return 'n';
    case 'A':
    case 'D':
      return 'p';
    case 'H':
      return 'g';
    case 'F':
      return 'G';
    default:
      return ' ';
  }
}

// Digits up to Enter; none: no number.
std::optional<int> asked_number(char prompt) {
  constexpr std::size_t kMostDigits = 7;
  fmt::print("{}", prompt);
  std::string digits;
  for (;;) {
    std::fflush(stdout);
    const int key = next_key();
    if (key >= '0' && key <= '9' && digits.size() < kMostDigits) {
      digits += static_cast<char>(key);
      fmt::print("{}", digits.back());
    } else if (key == kDelete && !digits.empty()) {
      digits.pop_back();
      fmt::print("\b \b");
    } else if (key == '\n' || key == '\r' || key == kGone) {
      return digits.empty() ? std::nullopt : std::optional(std::stoi(digits));
    } else if (key == kEscape) {
      return std::nullopt;
    }
  }
}

// Where a key leads; none: nowhere.
std::optional<std::size_t> led_to(const explore::StepRun& run, std::size_t now, int key) {
  const std::size_t last = run.data.steps.size() - 1;
  switch (key) {
    case 'n':
      return now < last ? std::optional(now + 1) : std::nullopt;
    case 'p':
      return now > 0 ? std::optional(now - 1) : std::nullopt;
    case 's':
      return explore::next_of_warp(run, now, false);
    case 'o':
      return explore::next_of_warp(run, now, true);
    case 'b':
      return explore::next_step(run, now + 1, explore::StepTo::Barrier);
    case 'f':
      return explore::next_step(run, now + 1, explore::StepTo::Fault);
    case 'w':
      return explore::next_step(run, now + 1, explore::StepTo::Wrong);
    case '/':
      return explore::next_step_on(run, now + 1, asked_number('/').value_or(0));
    case 'g':
      return 0;
    case 'G':
      return last;
    default:
      return now;
  }
}

// Runs again with another warp at this step; choices that were made behind it are gone. What went wrong.
std::string chosen(explore::StepRun& run, std::size_t now, const RecordAgain& again) {
  const std::optional<int> warp = asked_number(':');
  if (!warp) return "";
  explore::StepTurns turns = run.turns;
  turns.erase(turns.lower_bound(now), turns.end());
  turns[now] = static_cast<std::uint32_t>(*warp);
  try {
    run = again(turns);
  } catch (const base::LabError& error) {
    return translated(error.message());
  }
  return "";
}

// As much of it as the screen has room for, above one more line.
std::string screen_of(const std::string& text) {
  const std::size_t rows = terminal_rows();
  std::size_t end = 0;
  for (std::size_t row = 0; (rows == 0 || row + 2 < rows) && end < text.size(); ++row)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

}  // namespace

void step_by_keys(explore::StepRun run, std::size_t begin, const report::Style& style,
                  const RecordAgain& again) {
  const Keys keys;
  std::string said;
  for (std::size_t now = begin;;) {
    fmt::print("\033[H\033[2J{}", screen_of(report::step_text(run, now, style)));
    fmt::print("{}  {}\n", said,
               tr("n next · p back · s this warp · o over a call · c choose a warp · b barrier · f fault · w "
                  "wrong · / line · g G ends · q quit"));
    std::fflush(stdout);
    const int key = key_or_arrow();
    if (key == 'q' || key == kGone) return;
    if (key == 'c') {
      said = chosen(run, now, again);
      continue;
    }
    const std::optional<std::size_t> to = led_to(run, now, key);
    said = to ? "" : tr("no such step");
    now = to.value_or(now);
  }
}

}  // namespace lab::cli
