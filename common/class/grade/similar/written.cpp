// Tokens of CUDA C++, folded, hashed run by run. See written.h.
#include "common/class/grade/similar/written.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>

namespace lab::grade {
namespace {

constexpr std::size_t kRunTokens = 8;
constexpr std::size_t kLeastPrints = 20;  // fewer say nothing about who wrote them

constexpr std::string_view kName = "v", kNumber = "n";

// Types and what decorates them: another type is no other kernel.
constexpr auto kIgnored = std::to_array<std::string_view>(
    {"const",    "unsigned", "signed",   "int",       "long",           "short",     "size_t",
     "float",    "double",   "auto",     "static",    "inline",         "constexpr", "__restrict__",
     "volatile", "char",     "bool",     "void",      "uint32_t",       "int32_t",   "uint64_t",
     "int64_t",  "uint",     "unsigned", "ptrdiff_t", "__forceinline__"});
constexpr auto kKept = std::to_array<std::string_view>(
    {"if", "else", "for", "while", "do", "return", "continue", "break", "template", "class", "struct",
     "typename", "__shared__", "__device__", "__global__", "__syncthreads", "asm", "switch", "case"});
// Names of CUDA: whether one writes threadIdx.x wherever it is meant is a habit.
constexpr auto kOfCuda =
    std::to_array<std::string_view>({"threadIdx.", "blockIdx.", "blockDim.", "gridDim."});
constexpr auto kSigns =
    std::to_array<std::string_view>({"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                     "+=", "-=", "*=", "/=", "++", "--", "->", "::"});

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_word(char c) { return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Folder {
 public:
  explicit Folder(std::string_view text) : text_(text) {}

  std::vector<std::string> tokens() {
    while (at_ < text_.size()) next();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void next() {
    const char c = text_[at_];
    if (rest().starts_with("//") || (c == '#' && first_of_line())) return skip_past("\n");
    if (rest().starts_with("/*")) return skip_past("*/");
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (starts_word(c)) {
      word();
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (at_ < text_.size() && (in_word(text_[at_]) || text_[at_] == '.' || text_[at_] == '\'')) ++at_;
      tokens_.emplace_back(kNumber);
    } else if (c == '"') {
      string();
    } else {
      sign();
    }
  }

  [[nodiscard]] bool first_of_line() const {
    const std::size_t line = text_.substr(0, at_).find_last_of('\n') + 1;  // npos + 1: 0
    return text_.substr(line, at_ - line).find_first_not_of(" \t\r") == std::string_view::npos;
  }

  // `threadIdx.x` is one name.
  void word() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (in_word(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() &&
                                                          starts_word(text_[at_ + 1]))))
      ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (word.starts_with("LAUNCH_SHAPE") || word == "PREDICTIONS") return skip_past("};");
    if (std::find(kIgnored.begin(), kIgnored.end(), word) != kIgnored.end()) return;
    const bool kept = std::find(kKept.begin(), kKept.end(), word) != kKept.end() ||
                      std::any_of(kOfCuda.begin(), kOfCuda.end(),
                                  [&](std::string_view name) { return word.starts_with(name); });
    tokens_.emplace_back(kept ? word : kName);
  }

  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
    tokens_.emplace_back("\"");
  }

  void sign() {
    for (const std::string_view sign : kSigns) {
      if (rest().starts_with(sign)) {
        at_ += sign.size();
        tokens_.emplace_back(sign);
        return;
      }
    }
    tokens_.emplace_back(1, text_[at_++]);
    if (tokens_.back() == ")") drop_cast();
  }

  // A cast, `(size_t)` or `(float*)`, is nothing but its parentheses by now.
  void drop_cast() {
    std::size_t first = tokens_.size() - 1;
    while (first > 0 && tokens_[first - 1] == "*") --first;
    if (first > 0 && tokens_[first - 1] == "(") tokens_.resize(first - 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> tokens_;
};

std::uint64_t hash_of(const std::vector<std::string>& tokens, std::size_t first) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (std::size_t i = first; i < first + kRunTokens; ++i) {
    for (const char c : tokens[i] + " ") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

WrittenPrints written(std::string_view source) {
  const std::vector<std::string> tokens = Folder(source).tokens();
  WrittenPrints prints;
  for (std::size_t i = 0; i + kRunTokens <= tokens.size(); ++i) prints.push_back(hash_of(tokens, i));
  std::sort(prints.begin(), prints.end());
  prints.erase(std::unique(prints.begin(), prints.end()), prints.end());
  return prints;
}

double written_alike(const WrittenPrints& a, const WrittenPrints& b) {
  std::size_t both = 0;
  for (auto in_a = a.begin(), in_b = b.begin(); in_a != a.end() && in_b != b.end();) {
    if (*in_a == *in_b)
      ++both, ++in_a, ++in_b;
    else if (*in_a < *in_b)
      ++in_a;
    else
      ++in_b;
  }
  return double(both) / double(std::max(kLeastPrints, std::min(a.size(), b.size())));
}

}  // namespace lab::grade
