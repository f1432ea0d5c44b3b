// What is said, as data: a form of the catalogue and the values of its places.
//
// Enters: msg("{} sectors, {} would do", n, ideal), in any room. Leaves: a Message. It travels with its
// values, through JSON too, and becomes a sentence where it is printed: english() for records and tests,
// translated() of text.h in the reader's language. The English form is the id, as in gettext. Nothing reads a
// finished sentence back: what decides by a finding asks its kind and its values.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab::text {

class Message;

// A number that is printed with blanks between its thousands.
struct Big {
  std::uint64_t value = 0;
  bool operator==(const Big&) const = default;
};
template <std::integral T>
[[nodiscard]] constexpr Big big(T value) {
  return {static_cast<std::uint64_t>(value)};
}

// Bytes of a variable in shared memory: "`tile` + 132 bytes", or from there to `last_bytes`. Code that knows
// the declaration fills in the elements, which are printed instead.
struct Place {
  std::string variable;
  std::uint32_t variable_offset_bytes = 0;
  std::uint64_t bytes = 0, last_bytes = 0;
  std::string element = {}, last_element = {};
  bool operator==(const Place&) const = default;
};

// The number of a line of a source file: a message can be asked for its lines.
struct Line {
  std::int64_t number = 0;
  bool operator==(const Line&) const = default;
};

using Argument = std::variant<std::int64_t, std::uint64_t, double, Big, std::string, Place, Line, Message>;

class Message {
 public:
  Message() = default;
  Message(const char* form) : form_(form) {}  // NOLINT(google-explicit-constructor): a literal is a form
  Message(std::string_view form, std::vector<Argument> arguments);
  Message(const Message&);
  Message(Message&&) noexcept;
  Message& operator=(const Message&);
  Message& operator=(Message&&) noexcept;
  ~Message();

  [[nodiscard]] bool empty() const { return form_.empty(); }
  // As in the source: the catalogue's key.
  [[nodiscard]] const std::string& form() const { return form_; }
  [[nodiscard]] const std::vector<Argument>& arguments() const { return arguments_; }
  [[nodiscard]] std::string english() const;

  // Goes on without a gap.
  Message& operator+=(Message more);
  // A further sentence; where this one has no stop yet, one is put between them.
  Message& then(Message sentence);
  // A further line.
  Message& line(Message more);

  // Each place in shared memory that is named, also in phrases.
  template <class Act>
  void for_each_place(const Act& act) {
    each_place(*this, act);
  }
  template <class Act>
  void for_each_place(const Act& act) const {
    each_place(*this, act);
  }

  // Each name or text among the values, also in phrases.
  template <class Act>
  void for_each_name(const Act& act) {
    for (Argument& argument : arguments_) {
      if (auto* const name = std::get_if<std::string>(&argument)) act(*name);
      if (auto* const phrase = std::get_if<Message>(&argument)) phrase->for_each_name(act);
    }
  }

  // Each line of a source file that is named, also in phrases.
  template <class Act>
  void for_each_line(const Act& act) const {
    for (const Argument& argument : arguments_) {
      if (const auto* const line = std::get_if<Line>(&argument)) act(line->number);
      if (const auto* const phrase = std::get_if<Message>(&argument)) phrase->for_each_line(act);
    }
  }

  bool operator==(const Message&) const;

 private:
  template <class Self, class Act>
  static void each_place(Self& self, const Act& act);
  std::string form_;
  std::vector<Argument> arguments_;
};

template <class Self, class Act>
void Message::each_place(Self& self, const Act& act) {
  for (auto& argument : self.arguments_) {
    if (auto* const place = std::get_if<Place>(&argument)) act(*place);
    if (auto* const phrase = std::get_if<Message>(&argument)) phrase->for_each_place(act);
  }
}

namespace detail {

inline Argument argument(Argument value) { return value; }
inline Argument argument(const char* phrase) { return Message(phrase); }
inline Argument argument(std::string name) { return name; }
inline Argument argument(char letter) { return std::string(1, letter); }
inline Argument argument(std::string_view name) { return std::string(name); }
inline Argument argument(Message phrase) { return phrase; }
inline Argument argument(Place place) { return place; }
inline Argument argument(Big number) { return number; }
inline Argument argument(Line line) { return line; }
inline Argument argument(std::floating_point auto number) { return static_cast<double>(number); }
inline Argument argument(std::signed_integral auto number) { return static_cast<std::int64_t>(number); }
inline Argument argument(std::unsigned_integral auto number) { return static_cast<std::uint64_t>(number); }

// How many values the places {} and {1} of a form take.
consteval std::size_t places_in(std::string_view form) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != '{' && form[i] != '}') continue;
    if (i + 1 < form.size() && form[i + 1] == form[i]) {
      ++i;
    } else if (form[i] == '{') {
      const char digit = form[i + 1];
      const std::size_t needs =
          digit >= '0' && digit <= '9' ? static_cast<std::size_t>(digit - '0') + 1 : count + 1;
      if (needs > count) count = needs;
    }
  }
  return count;
}

// A literal with as many places as there are values.
template <std::size_t N>
struct Form {
  consteval Form(const char* literal) : text(literal) {  // NOLINT(google-explicit-constructor)
    if (places_in(text) != N) throw "a form has as many places as it is given values";
  }
  std::string_view text;
};

}  // namespace detail

template <class... T>
[[nodiscard]] Message msg(detail::Form<sizeof...(T)> form, T&&... values) {
  return {form.text, {detail::argument(std::forward<T>(values))...}};
}

// An exception carries its message; what() is the English of it.
class Spoken {
 public:
  explicit Spoken(Message message) : message_(std::move(message)) {}
  virtual ~Spoken() = default;
  [[nodiscard]] const Message& message() const { return message_; }

 private:
  Message message_;
};
template <class Exception>
class Said : public Exception, public Spoken {
 public:
  explicit Said(const Message& message) : Exception(message.english()), Spoken(message) {}
};
// That of an exception of ours; what() of any other.
[[nodiscard]] Message message_of(const std::exception& error);

// As in records and tests.
[[nodiscard]] std::vector<std::string> english(const std::vector<Message>& messages);

// Words that are not ours: a compiler's log, what another program printed.
[[nodiscard]] Message verbatim(std::string words);

// {"form": "…", "arguments": […]}: numbers and names as they are, phrases likewise, places as objects.
[[nodiscard]] std::string json_of(const Message& message);

// The sentence, with each form as `lookup` gives it.
using Lookup = std::string_view (*)(std::string_view form);
[[nodiscard]] std::string rendered(const Message& message, Lookup lookup);

}  // namespace lab::text

// In every room.
namespace lab {

using text::Big;
using text::big;
using text::english;
using text::Message;
using text::msg;

}  // namespace lab
