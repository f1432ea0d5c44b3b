// From a message to its sentence.
//
// Enters: forms with values, a catalogue. Leaves: text; values that are phrases are rendered first.
#include "common/base/text/message.h"

#include <fmt/args.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace lab::text {
namespace {

constexpr std::string_view kJoined = "{}{}", kSentences = "{} {}", kStopped = /* message */ "{}. {}";

std::string with_blanks(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ' ');
  return text;
}

std::string_view as_is(std::string_view form) { return form; }

std::string place_text(const Place& place, Lookup lookup) {
  const auto one = [&](const std::string& element, std::uint64_t bytes) {
    if (!element.empty()) return "`" + element + "`";
    return rendered(msg("`{}` + {} bytes", place.variable, big(bytes)), lookup);
  };
  const std::string first = one(place.element, place.bytes);
  const std::string last = one(place.last_element, place.last_bytes);
  return first == last ? first : first + "–" + last;
}

constexpr std::array<std::string_view, 6> kSentenceEnds = {".", "?", "!", "。", "？", "！"};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

struct AsJson {
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(std::uint64_t number) const { return std::to_string(number); }
  std::string operator()(Line line) const { return std::to_string(line.number); }
  std::string operator()(Big number) const { return fmt::format("{{\"count\":{}}}", number.value); }
  std::string operator()(const std::string& name) const { return quoted(name); }
  std::string operator()(const Message& phrase) const { return json_of(phrase); }
  std::string operator()(const Place& place) const {
    return fmt::format(
        "{{\"variable\":{},\"bytes\":{},\"last_bytes\":{},\"element\":{},\"last_element\":{}}}",
        quoted(place.variable), place.bytes, place.last_bytes, quoted(place.element),
        quoted(place.last_element));
  }
};

bool ends_a_sentence(std::string_view text) {
  for (const std::string_view stop : kSentenceEnds)
    if (text.ends_with(stop)) return true;
  return text.empty() || text.ends_with('\n');
}

// Between Chinese sentences stands no blank.
void close_gaps(std::string& text) {
  for (const std::string_view stop : {"。", "？", "！"}) {
    for (std::size_t at = text.find(stop); at != text.npos; at = text.find(stop, at + stop.size()))
      while (text.compare(at + stop.size(), 1, " ") == 0) text.erase(at + stop.size(), 1);
  }
}

}  // namespace

Message::Message(std::string_view form, std::vector<Argument> arguments)
    : form_(form), arguments_(std::move(arguments)) {}
Message::Message(const Message&) = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(const Message&) = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;

// Spelled out: clang 14 crashes on a default comparison of a type that holds variants of itself.
bool Message::operator==(const Message& other) const {
  const auto same = [](const Argument& a, const Argument& b) {
    return a.index() == b.index() &&
           std::visit(
               [&b](const auto& value) { return value == *std::get_if<std::decay_t<decltype(value)>>(&b); },
               a);
  };
  return form_ == other.form_ && std::equal(arguments_.begin(), arguments_.end(), other.arguments_.begin(),
                                            other.arguments_.end(), same);
}

std::string Message::english() const { return rendered(*this, as_is); }

Message& Message::operator+=(Message more) {
  if (more.empty()) return *this;
  return *this = empty() ? std::move(more) : Message(kJoined, {std::move(*this), std::move(more)});
}

Message& Message::then(Message sentence) {
  if (sentence.empty()) return *this;
  return *this = empty() ? std::move(sentence) : Message(kSentences, {std::move(*this), std::move(sentence)});
}

Message& Message::line(Message more) {
  if (more.empty()) return *this;
  return *this = empty() ? std::move(more) : Message("{}\n{}", {std::move(*this), std::move(more)});
}

Message message_of(const std::exception& error) {
  const auto* const spoken = dynamic_cast<const Spoken*>(&error);
  return spoken != nullptr ? spoken->message() : verbatim(error.what());
}

std::string json_of(const Message& message) {
  std::string out = "{\"form\":" + quoted(message.form()) + ",\"arguments\":[";
  for (const Argument& argument : message.arguments()) {
    if (out.back() != '[') out += ',';
    out += std::visit(AsJson(), argument);
  }
  return out + "]}";
}

std::vector<std::string> english(const std::vector<Message>& messages) {
  std::vector<std::string> all;
  for (const Message& message : messages) all.push_back(message.english());
  return all;
}

Message verbatim(std::string words) { return words.empty() ? Message() : Message("{}", {std::move(words)}); }

std::string rendered(const Message& message, Lookup lookup) {
  if (message.arguments().empty()) return std::string(lookup(message.form()));
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  std::string_view form = message.form();
  for (const Argument& argument : message.arguments()) {
    if (const auto* phrase = std::get_if<Message>(&argument)) {
      std::string text = rendered(*phrase, lookup);
      if (&argument == &message.arguments().front() && form == kSentences && !ends_a_sentence(text))
        form = kStopped;
      values.push_back(text);
    } else if (const auto* place = std::get_if<Place>(&argument)) {
      values.push_back(place_text(*place, lookup));
    } else if (const auto* number = std::get_if<Big>(&argument)) {
      values.push_back(with_blanks(number->value));
    } else if (const auto* line = std::get_if<Line>(&argument)) {
      values.push_back(line->number);
    } else {
      std::visit(
          [&]<class T>(const T& value) {
            if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) values.push_back(value);
          },
          argument);
    }
  }
  std::string text = fmt::vformat(lookup(form), values);
  if (lookup != as_is) close_gaps(text);
  return text;
}

}  // namespace lab::text
