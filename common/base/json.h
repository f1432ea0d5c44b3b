// A JSON value: a tree that keeps its keys in the order in which they came.
//
// Enters: values and braces, as `{{"rows", 4}, {"lanes", {0, 1}}}`, or text. Leaves: text, or values asked
// for by type. The parser and the printer are nlohmann-json's, included by json.cpp alone: its templates cost
// seconds in every file that sees them.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lab::base {

struct JsonMember;

// What a value can be read as. `char` is none of them: `text = json` would be ambiguous.
template <class T>
concept JsonReadable = std::same_as<T, bool> || std::same_as<T, int> || std::same_as<T, unsigned> ||
    std::same_as<T, long> || std::same_as<T, unsigned long> || std::same_as<T, long long> ||
    std::same_as<T, unsigned long long> || std::same_as<T, double> || std::same_as<T, std::string>;

class Json {
 public:
  // Text that is no JSON, a key that is missing, a value of another type.
  struct exception : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  Json();
  Json(std::nullptr_t) : Json() {}
  template <std::same_as<bool> T>  // no pointer becomes a bool
  Json(T value) : kind_(Kind::Bool), bool_(value) {}
  template <std::signed_integral T>
  Json(T value) : kind_(Kind::Signed), signed_(value) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : kind_(Kind::Unsigned), unsigned_(value) {}
  Json(double value) : kind_(Kind::Real), real_(value) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  template <class T>
  Json(const std::vector<T>& list) : Json(array()) {
    for (const T& one : list) push_back(one);
  }
  template <class T, std::size_t N>
  Json(const std::array<T, N>& list) : Json(array()) {
    for (const T& one : list) push_back(one);
  }
  template <class T>
  Json(const std::map<std::string, T>& members) : Json(object()) {
    for (const auto& [key, value] : members) (*this)[std::string_view(key)] = value;
  }
  // An object when each element is a pair that starts with a text, else an array.
  Json(std::initializer_list<Json> list);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  [[nodiscard]] static Json array();
  [[nodiscard]] static Json array(std::initializer_list<Json> list);
  [[nodiscard]] static Json object();
  // Throws `exception`. What nests deeper than 64 is no JSON of ours: walking it would run out of stack. Nor
  // is what names a key twice: one of the two would be lost. `most_values`: of a stranger's text, whose tree
  // could be forty times as large as the text.
  [[nodiscard]] static Json parse(std::string_view text, std::size_t most_values = SIZE_MAX);
  [[nodiscard]] static std::optional<Json> try_parse(std::string_view text);

  // `indent` below 0: one line. Bytes that are no UTF-8 are replaced.
  [[nodiscard]] std::string dump(int indent = -1) const;

  [[nodiscard]] bool is_null() const { return kind_ == Kind::Null; }
  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::Bool; }
  [[nodiscard]] bool is_string() const { return kind_ == Kind::String; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::Array; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::Object; }
  [[nodiscard]] bool is_number() const { return is_number_integer() || kind_ == Kind::Real; }
  [[nodiscard]] bool is_number_integer() const { return kind_ == Kind::Signed || kind_ == Kind::Unsigned; }

  [[nodiscard]] std::size_t size() const;  // of a text or number 1, of null 0
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] const Json* find(std::string_view key) const;  // null: there is none

  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] const Json& at(const char* key) const { return at(std::string_view(key)); }
  [[nodiscard]] const Json& at(std::integral auto index) const {
    return element(static_cast<std::size_t>(index));
  }
  [[nodiscard]] Json& at(std::integral auto index) {
    return const_cast<Json&>(element(static_cast<std::size_t>(index)));
  }
  [[nodiscard]] const Json& operator[](const char* key) const { return at(std::string_view(key)); }
  [[nodiscard]] const Json& operator[](std::string_view key) const { return at(key); }
  [[nodiscard]] const Json& operator[](std::integral auto index) const { return at(index); }
  // Made when it is missing; null becomes an object.
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  Json& operator[](std::string_view key);
  [[nodiscard]] Json value(std::string_view key, const Json& otherwise) const;

  void push_back(Json value);  // null becomes an array
  void erase(std::string_view key);
  void update(const Json& object);

  // The elements of an array; of anything else, none.
  [[nodiscard]] const Json* begin() const;
  [[nodiscard]] const Json* end() const;
  [[nodiscard]] Json* begin();
  [[nodiscard]] Json* end();
  // The members of an object; of anything else, none.
  [[nodiscard]] const std::vector<JsonMember>& items() const;

  template <JsonReadable T>
  [[nodiscard]] T get() const;
  template <JsonReadable T>
  operator T() const {
    return get<T>();
  }

  // Numbers are equal by value, objects when their keys come in the same order too.
  friend bool operator==(const Json& a, const Json& b) { return a.equals(b); }
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  friend bool operator==(const Json& a, T b) { return a.equals(Json(b)); }

 private:
  friend struct JsonPrinter;
  friend class JsonBuilder;
  enum class Kind : std::uint8_t { Null, Bool, Signed, Unsigned, Real, String, Array, Object };
  struct Body;  // text, elements, members
  struct FreeBody {
    void operator()(Body* body) const;
  };
  [[nodiscard]] const Json& element(std::size_t index) const;
  [[nodiscard]] bool equals(const Json& other) const;
  Body& body(Kind kind);

  Kind kind_ = Kind::Null;
  union {
    bool bool_;
    std::int64_t signed_;
    std::uint64_t unsigned_;
    double real_;
  };
  std::unique_ptr<Body, FreeBody> body_;
};

struct JsonMember {
  std::string key;
  Json value;
};

}  // namespace lab::base
