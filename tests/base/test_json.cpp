#include <doctest/doctest.h>

#include <string>

#include "common/base/json.h"

using lab::base::Json;

TEST_CASE("JSON keeps its keys in order and loses none") {
  CHECK(Json::parse(R"({"b": 1, "a": {"b": [2, {}]}})").dump() == R"({"b":1,"a":{"b":[2,{}]}})");
  for (const char* twice : {R"({"a": 1, "a": 1})", R"([{"b": {"a": [], "c": 1, "a": 2}}])"}) {
    CHECK_FALSE(Json::try_parse(twice));
    CHECK_THROWS_WITH((void)Json::parse(twice), "JSON has the key \"a\" twice");
  }
  CHECK(Json::parse(R"([{"a": 1}, {"a": {"a": 2}}])").size() == 2);
}

TEST_CASE("JSON of a stranger has a largest number of values") {
  CHECK(Json::parse("[1, [2], {\"a\": 3}]", 6).size() == 3);
  CHECK_THROWS_WITH((void)Json::parse("[1, [2], {\"a\": 3}]", 5), "JSON has too many values");
  CHECK_THROWS_AS((void)Json::parse("1", 0), Json::exception);
}

TEST_CASE("JSON that is cut or nests too deep is none") {
  const std::string whole = R"({"a": [1, "x", {"b": null}]})";
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_FALSE(Json::try_parse(whole.substr(0, length)));
  CHECK(Json::try_parse(std::string(64, '[') + std::string(64, ']')));
  CHECK_FALSE(Json::try_parse(std::string(65, '[') + std::string(65, ']')));
}
