// Messages out of JSON, as json_of() wrote them.
//
// A record may come from another version or from a hand: what does not render is taken as words.
#include "common/base/text/message_json.h"

#include <exception>

namespace lab::text {
namespace {

using base::Json;

// Throws Json::exception for what is none.
Message read(const Json& said);

Argument argument_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.contains("form")) return read(value);
  if (value.contains("count")) return Big{value.at("count")};
  if (value.is_object())
    return Place{.variable = value.at("variable"),
                 .bytes = value.at("bytes"),
                 .last_bytes = value.at("last_bytes"),
                 .element = value.at("element"),
                 .last_element = value.at("last_element")};
  if (!value.is_number_integer()) return value.get<double>();
  return value.dump().starts_with('-') ? Argument(value.get<std::int64_t>()) : value.get<std::uint64_t>();
}

Message read(const Json& said) {
  std::vector<Argument> arguments;
  for (const Json& value : said.at("arguments")) arguments.push_back(argument_of(value));
  return {said.at("form").get<std::string>(), std::move(arguments)};
}

}  // namespace

Json json(const Message& message) { return Json::try_parse(json_of(message)).value_or(nullptr); }

Message message_from(const Json& said) {
  try {
    Message message = read(said);
    (void)message.english();
    return message;
  } catch (const std::exception&) {  // no message, or a form that does not fit its values
    return {};
  }
}

Message message_from(const Json& said, const std::string& english) {
  Message message = message_from(said);
  return message.english() == english ? message : verbatim(english);
}

}  // namespace lab::text
