// A JSON value, and the one file that knows nlohmann-json.
#include "common/base/json.h"

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

namespace lab::base {

struct Json::Body {
  std::string text;
  std::vector<Json> elements;
  std::vector<JsonMember> members;
};

using Library = nlohmann::ordered_json;

// The parser's events → a tree. What an open object holds is known by a table, so that neither a key that
// comes twice nor a million keys go by unseen.
class JsonBuilder : public nlohmann::json_sax<Library> {
 public:
  explicit JsonBuilder(std::size_t most_values) : left_(most_values) {}

  Json root;
  std::string problem;

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return false; }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_array() override { return close(); }
  bool end_object() override { return close(); }
  bool key(string_t& name) override {
    if (!open_.back().keys.insert(name).second) return refuse("JSON has the key \"" + name + "\" twice");
    open_.back().here->body_->members.push_back({name, nullptr});
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string text = error.what();  // "[json.exception.parse_error.101] parse error at …"
    return refuse(text.substr(text.find("] ") + 2));
  }

 private:
  static constexpr std::size_t kDeepest = 64;
  struct Open {
    Json* here;  // it grows only while it is the last
    std::unordered_set<std::string> keys;
  };

  bool refuse(std::string why) {
    problem = std::move(why);
    return false;
  }
  // The place of the next value; null: there are too many.
  Json* place() {
    if (left_-- == 0) return nullptr;
    if (open_.empty()) return &root;
    Json::Body& parent = *open_.back().here->body_;
    if (open_.back().here->is_object()) return &parent.members.back().value;
    return &parent.elements.emplace_back();
  }
  bool put(Json value) {
    Json* const here = place();
    if (here == nullptr) return refuse("JSON has too many values");
    *here = std::move(value);
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= kDeepest) return refuse("JSON nests too deep");
    Json* const here = place();
    if (here == nullptr) return refuse("JSON has too many values");
    *here = std::move(value);
    open_.push_back({here, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Open> open_;  // from the root inwards
  std::size_t left_;        // values that may come
};

namespace {

bool read(std::string_view text, JsonBuilder& builder) {
  // As Library::sax_parse, which would also compile readers of five binary formats.
  const auto bytes = [&] { return nlohmann::detail::input_adapter(text.begin(), text.end()); };
  nlohmann::detail::parser<Library, decltype(bytes())> parser(bytes());
  if (parser.sax_parse(&builder)) return true;
  if (builder.problem.empty()) builder.problem = "no JSON";
  return false;
}

}  // namespace

struct JsonPrinter {
  static Library of(const Json& json) {
    using Kind = Json::Kind;
    switch (json.kind_) {
      case Kind::Null:
        return nullptr;
      case Kind::Bool:
        return json.bool_;
      case Kind::Signed:
        return json.signed_;
      case Kind::Unsigned:
        return json.unsigned_;
      case Kind::Real:
        return json.real_;
      case Kind::String:
        return json.body_->text;
      case Kind::Array: {
        Library list = Library::array();
        for (const Json& one : json.body_->elements) list.push_back(of(one));
        return list;
      }
      case Kind::Object: {
        Library::object_t members;
        members.reserve(json.body_->members.size());
        for (const JsonMember& one : json.body_->members)
          members.Container::emplace_back(one.key, of(one.value));
        return members;
      }
    }
    return nullptr;
  }
};

Json::Json() : signed_(0) {}
Json::~Json() = default;
void Json::FreeBody::operator()(Body* body) const { delete body; }
Json::Json(Json&& other) noexcept { *this = std::move(other); }
Json& Json::operator=(Json&& other) noexcept {
  kind_ = std::exchange(other.kind_, Kind::Null);
  unsigned_ = other.unsigned_;  // the largest of the union: all its bytes
  body_ = std::move(other.body_);
  return *this;
}

Json::Json(const Json& other)
    : kind_(other.kind_), unsigned_(other.unsigned_), body_(other.body_ ? new Body(*other.body_) : nullptr) {}
Json& Json::operator=(const Json& other) {
  if (this != &other) *this = Json(other);
  return *this;
}

Json::Json(std::string_view text) : Json() { body(Kind::String).text = text; }

Json::Json(std::initializer_list<Json> list) : Json() {
  bool pairs = true;
  for (const Json& one : list) pairs = pairs && one.is_array() && one.size() == 2 && one.at(0).is_string();
  if (!pairs) {
    body(Kind::Array).elements = list;
    return;
  }
  body(Kind::Object);
  for (const Json& one : list) (*this)[one.at(0).body_->text] = one.at(1);
}

Json::Body& Json::body(Kind kind) {
  kind_ = kind;
  body_.reset(new Body);
  return *body_;
}

Json Json::array() { return array({}); }
Json Json::array(std::initializer_list<Json> list) {
  Json json;
  json.body(Kind::Array).elements = list;
  return json;
}
Json Json::object() {
  Json json;
  json.body(Kind::Object);
  return json;
}

Json Json::parse(std::string_view text, std::size_t most_values) {
  JsonBuilder builder(most_values);
  if (!read(text, builder)) throw exception(builder.problem);
  return std::move(builder.root);
}
std::optional<Json> Json::try_parse(std::string_view text) {
  JsonBuilder builder(SIZE_MAX);
  if (!read(text, builder)) return std::nullopt;
  return std::move(builder.root);
}

std::string Json::dump(int indent) const {
  return JsonPrinter::of(*this).dump(indent, ' ', false, Library::error_handler_t::replace);
}

std::size_t Json::size() const {
  switch (kind_) {
    case Kind::Null:
      return 0;
    case Kind::Array:
      return body_->elements.size();
    case Kind::Object:
      return body_->members.size();
    default:
      return 1;
  }
}

const Json* Json::find(std::string_view key) const {
  for (const JsonMember& member : items()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* found = find(key)) return *found;
  throw exception("JSON has no key \"" + std::string(key) + "\" here");
}
const Json& Json::element(std::size_t index) const {
  if (is_array() && index < body_->elements.size()) return body_->elements[index];
  throw exception("JSON has no element " + std::to_string(index) + " here");
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) body(Kind::Object);
  if (!is_object()) throw exception("JSON that is no object has no key \"" + std::string(key) + "\"");
  if (const Json* found = find(key)) return const_cast<Json&>(*found);
  return body_->members.emplace_back(JsonMember{std::string(key), Json()}).value;
}
Json Json::value(std::string_view key, const Json& otherwise) const {
  if (!is_object()) throw exception("JSON that is no object has no key \"" + std::string(key) + "\"");
  const Json* found = find(key);
  return found == nullptr ? otherwise : *found;
}

void Json::push_back(Json value) {
  if (is_null()) body(Kind::Array);
  if (!is_array()) throw exception("JSON that is no array takes no further element");
  body_->elements.push_back(std::move(value));
}
void Json::erase(std::string_view key) {
  if (is_object())
    std::erase_if(body_->members, [key](const JsonMember& member) { return member.key == key; });
}
void Json::update(const Json& object) {
  for (const JsonMember& member : object.items()) (*this)[member.key] = member.value;
}

const Json* Json::begin() const { return is_array() ? body_->elements.data() : nullptr; }
const Json* Json::end() const { return is_array() ? begin() + body_->elements.size() : nullptr; }
Json* Json::begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
Json* Json::end() { return const_cast<Json*>(std::as_const(*this).end()); }
const std::vector<JsonMember>& Json::items() const {
  static const std::vector<JsonMember> none;
  return is_object() ? body_->members : none;
}

template <JsonReadable T>
T Json::get() const {
  if constexpr (std::same_as<T, std::string>) {
    if (is_string()) return body_->text;
  } else if constexpr (std::same_as<T, bool>) {
    if (is_boolean()) return bool_;
  } else {
    if (kind_ == Kind::Signed) return static_cast<T>(signed_);
    if (kind_ == Kind::Unsigned) return static_cast<T>(unsigned_);
    if (kind_ == Kind::Real) return static_cast<T>(real_);
  }
  throw exception("JSON holds a value of another type here");
}
template bool Json::get<bool>() const;
template int Json::get<int>() const;
template unsigned Json::get<unsigned>() const;
template long Json::get<long>() const;
template unsigned long Json::get<unsigned long>() const;
template long long Json::get<long long>() const;
template unsigned long long Json::get<unsigned long long>() const;
template double Json::get<double>() const;
template std::string Json::get<std::string>() const;

bool Json::equals(const Json& other) const {
  if (is_number() && other.is_number()) {
    if (kind_ == other.kind_)
      return kind_ == Kind::Real ? real_ == other.real_ : unsigned_ == other.unsigned_;
    if (kind_ == Kind::Real || other.kind_ == Kind::Real) return get<double>() == other.get<double>();
    return get<std::int64_t>() == other.get<std::int64_t>();  // as the library compares them
  }
  if (kind_ != other.kind_) return false;
  if (is_null()) return true;
  if (is_boolean()) return bool_ == other.bool_;
  const auto same = [](const JsonMember& a, const JsonMember& b) {
    return a.key == b.key && a.value == b.value;
  };
  return body_->text == other.body_->text && body_->elements == other.body_->elements &&
         std::equal(body_->members.begin(), body_->members.end(), other.body_->members.begin(),
                    other.body_->members.end(), same);
}

}  // namespace lab::base
