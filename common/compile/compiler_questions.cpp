// Reads the file as the built-in compiler's preprocessor does, in which no compiler's own macro is defined:
// what asks for one, or is left over of one, is found however it is spelled. See compiler_questions.h.
#include "common/compile/compiler_questions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "common/base/files.h"
#include "common/base/project.h"
#include "common/compile/builtin/preprocessor.h"

namespace lab::compile {
namespace {

using Names = std::array<std::string_view, 12>;

// What compilers and toolkits define, by how it begins; also where the file defines a name like it.
constexpr Names kOfCompilers = {"__CUDA", "__NVCC",  "__NV",        "NV_",   "CUDA_VERSION", "CUDART_VERSION",
                                "__GNUC", "__clang", "__cplusplus", "__cpp", "_MSC_",        "__has_"};
// In code, where other names of this kind are functions and types.
constexpr std::array<std::string_view, 5> kInCode = {"NV_IF_", "NV_DISPATCH_", "CUDA_VERSION",
                                                     "CUDART_VERSION", "wchar_t"};
constexpr std::array<std::string_view, 4> kLowerCase = {"__clang", "__cplusplus", "__cpp_", "__nvcc"};
// Attributes that are the same everywhere.
constexpr std::array<std::string_view, 2> kHarmless = {"__CUDA_ALIGN__", "__CUDA_HOSTDEVICE__"};

template <class List>
bool begins_with_one(std::string_view name, const List& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view one) { return name.starts_with(one); });
}

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// Names of an implementation, as C++ says: macros in capitals, functions in small letters.
bool is_reserved(std::string_view name) {
  return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && is_upper(name[1]));
}

bool asks_in_code(std::string_view name) {
  if (std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end()) return false;
  const bool is_macro = name.size() > 2 && name.starts_with("__") && is_upper(name[2]);
  return is_macro || begins_with_one(name, kInCode) || begins_with_one(name, kLowerCase);
}

// The course's own headers as they are; of others, whose macros a kernel may use as it likes, nothing.
std::optional<cucc::Source> header(const std::string& name, const std::string& includer) {
  const std::filesystem::path& root = base::project_root();
  for (const std::filesystem::path& place :
       {root / std::filesystem::path(includer).parent_path() / name, root / name}) {
    const std::string shown = base::shown_path(place.lexically_normal());
    if (!shown.starts_with("common/kernel/")) continue;
    if (std::optional<std::string> text = base::read_file(place))
      return cucc::Source{shown, std::move(*text)};
  }
  return cucc::Source{"<" + name + ">", ""};
}

// Where the preprocessor stops, every word of the text counts.
std::optional<cucc::Token> asking_word(std::string_view text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') ++line;
    if (!is_word(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (asks_in_code(word) || begins_with_one(word, kOfCompilers))
      return cucc::Token{cucc::TokenKind::Name, std::string(word), {0, line, 1}, false, false, {}};
    i = end - 1;
  }
  return std::nullopt;
}

class Questions {
 public:
  explicit Questions(std::string_view source)
      : source_(source), sources_{{"kernel.cu", std::string(source)}}, preprocessor_(sources_, header) {}

  std::optional<cucc::Token> first() {
    preprocessor_.define("__CUDACC__", "1");  // lab.cuh belongs in a CUDA file
    preprocessor_.most_tokens = 1 << 16;      // more than any kernel has, and little memory
    preprocessor_.asked = [this](const cucc::Token& name) { note(name); };
    try {
      preprocessor_.add(kKernel);
    } catch (const cucc::Error&) {
      return asking_word(source_);
    }
    for (const cucc::Token& name : reserved_)
      if (!asked_ && !preprocessor_.is_defined(name.text)) asked_ = name;
    for (const cucc::Token& t : preprocessor_.result)
      if (!asked_ && is_own(t) && asks_in_code(t.text)) asked_ = t;
    return asked_;
  }

 private:
  static constexpr int kKernel = 0;
  [[nodiscard]] static bool is_own(const cucc::Token& t) {
    return t.at.file == kKernel && t.kind == cucc::TokenKind::Name;
  }
  void note(const cucc::Token& name) {
    if (!is_own(name) || asked_) return;
    if (begins_with_one(name.text, kOfCompilers))
      asked_ = name;
    else if (is_reserved(name.text))
      reserved_.push_back(name);
  }

  std::string_view source_;
  cucc::Sources sources_;
  cucc::Preprocessor preprocessor_;
  std::optional<cucc::Token> asked_;
  cucc::Tokens reserved_;  // in conditions; may be the file's own, defined further down
};

}  // namespace

std::optional<Refusal> refuse_question_of_compiler(std::string_view source) {
  const std::optional<cucc::Token> asked = Questions(source).first();
  if (!asked) return std::nullopt;
  return Refusal{
      "source-refused",
      msg("line {}: `{}` asks which compiler reads the file, for which GPU, or where the file lies. A "
          "kernel of the course is the same text for all of them; take the question out.",
          asked->at.line, asked->text)};
}

}  // namespace lab::compile
