// The names of one function body; see ptx_scope.h. Enters: declarations and uses. Leaves: unique names.
#include "common/sim/ptx/ptx_scope.h"

#include <charconv>
#include <utility>

namespace lab::sim::ptx {
namespace {

constexpr std::size_t kMostDepth = 100;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Scopes::Scopes(const Lexer& lexer, int& opened) : lexer_(lexer), opened_(opened) { scopes_.emplace_back(); }

void Scopes::open(const Token& brace) {
  if (scopes_.size() >= kMostDepth) {
    lexer_.fail(brace, msg("scopes are nested more than {} deep", kMostDepth));
  }
  Scope scope;
  scope.suffix = "@" + std::to_string(++opened_);
  scopes_.push_back(std::move(scope));
}

Scopes::Scope Scopes::pop() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  check_overlaps(scope);
  return scope;
}

std::string Scopes::declare(const Token& name, Named named) {
  return declare_as(name, std::move(named), scopes_.back().suffix);
}

std::string Scopes::declare_apart(const Token& name, Named named) {
  return declare_as(name, std::move(named), "@" + std::to_string(++opened_));
}

std::string Scopes::declare_as(const Token& name, Named named, const std::string& suffix) {
  Scope& scope = scopes_.back();
  named.unique = std::string(name.text) + suffix;
  const auto [at, fresh] = scope.names.try_emplace(name.text, Declared{std::move(named), name});
  if (!fresh) {
    lexer_.fail(name, msg("{} is declared twice in this scope, first on line {}", shown(name),
                          at->second.token.line));
  }
  return at->second.named.unique;
}

void Scopes::moved(std::size_t from, std::size_t to) {
  std::vector<LabelUse>& uses = scopes_.back().uses;
  for (auto use = uses.rbegin(); use != uses.rend() && use->index == from; ++use)
    if (use->where == LabelUse::Where::Operand) use->index = to;
}

std::string Scopes::declare_range(const Token& base, std::uint64_t count, Named named) {
  Scope& scope = scopes_.back();
  // `t<4>` in a nested scope makes t@7_0 … t@7_3: the underscore keeps the index apart from the scope's
  // number.
  named.unique = std::string(base.text) + scope.suffix + (scope.suffix.empty() ? "" : "_");
  const auto [at, fresh] = scope.ranges.try_emplace(base.text, Range{count, std::move(named), base});
  if (!fresh) {
    lexer_.fail(base, msg("the registers {} are declared twice in this scope, first on line {}", shown(base),
                          at->second.token.line));
  }
  return at->second.named.unique;
}

// `%r12` is number 12 of `%r<20>`, but perhaps also number 2 of `%r1<5>`: try every way to cut off digits.
std::optional<Named> Scopes::find_in_ranges(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty()) return std::nullopt;
  std::size_t cut = name.size();
  while (cut > 1 && is_digit(name[cut - 1]) && name.size() - cut < 9) --cut;
  for (; cut < name.size(); ++cut) {
    const std::string_view digits = name.substr(cut);
    if (digits.size() > 1 && digits[0] == '0') continue;  // %r01 is no member of a range
    const auto range = scope.ranges.find(name.substr(0, cut));
    if (range == scope.ranges.end()) continue;
    std::uint64_t index = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (index >= range->second.count) continue;
    Named found = range->second.named;
    found.unique += digits;
    return found;
  }
  return std::nullopt;
}

std::optional<Named> Scopes::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (auto found = find_in_ranges(*scope, name)) return found;
    const auto found = scope->names.find(name);
    if (found != scope->names.end() && found->second.named.kind != NameKind::Label)
      return found->second.named;
  }
  return std::nullopt;
}

// One name must not mean two things: `%r3` beside `%r<9>`, or `%r1<5>`, which begins with %r10, beside
// `%r<20>`.
void Scopes::check_overlaps(const Scope& scope) const {
  for (const auto& [name, declared] : scope.names) {
    if (find_in_ranges(scope, name)) {
      lexer_.fail(declared.token,
                  msg("{} is declared twice in this scope: alone, and as one of a range", shown(name)));
    }
  }
  for (const auto& [base, range] : scope.ranges) {
    const std::string first = std::string(base) + "0";
    std::size_t cut = base.size();
    while (cut > 1 && is_digit(base[cut - 1])) --cut;
    for (; cut < base.size(); ++cut) {
      const auto other = scope.ranges.find(base.substr(0, cut));
      if (other == scope.ranges.end() || range.count == 0 || base[cut] == '0' || base.size() - cut > 8)
        continue;
      std::uint64_t index = 0;
      std::from_chars(first.data() + cut, first.data() + first.size(), index);
      if (index < other->second.count) {
        lexer_.fail(range.token, msg("{} is declared twice in this scope, by two ranges", shown(first)));
      }
    }
  }
}

}  // namespace lab::sim::ptx
