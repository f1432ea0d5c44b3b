// The choice of a language, tr, messages.
#include "common/base/text/message_json.h"
#include "common/base/text/text.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

using namespace lab::text;

namespace {

// The language of one test, and English again.
struct In {
  explicit In(Language language) { set_language(language); }
  ~In() { set_language(Language::English); }
};

// The four variables as given, "" for unset; put back at the end.
class Environment {
 public:
  explicit Environment(const std::array<const char*, 4>& values) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const char* old = std::getenv(kNames[i]);
      old_[i] = old == nullptr ? "" : old;
      set(i, values[i]);
    }
  }
  ~Environment() {
    for (std::size_t i = 0; i < kNames.size(); ++i) set(i, old_[i].c_str());
  }

 private:
  static constexpr std::array kNames = {"LAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"};
  static void set(std::size_t i, const char* value) {
    if (*value != '\0') {
      setenv(kNames[i], value, 1);
    } else {
      unsetenv(kNames[i]);
    }
  }
  std::array<std::string, 4> old_;
};

Language seen(const std::array<const char*, 4>& values) {
  const Environment environment(values);
  return language_of_environment();
}

}  // namespace

TEST_CASE("names of languages") {
  CHECK(language_named("zh") == Language::Chinese);
  CHECK(language_named("zh_CN.UTF-8") == Language::Chinese);
  CHECK(language_named("zh-Hans") == Language::Chinese);
  CHECK(language_named("en_GB") == Language::English);
  CHECK(language_named("C.UTF-8") == Language::English);
  CHECK_FALSE(language_named("zhuang").has_value());
  CHECK_FALSE(language_named("fr_FR.UTF-8").has_value());
  CHECK_FALSE(language_named("").has_value());
}

TEST_CASE("the first variable that is set decides") {
  CHECK(seen({"", "", "", ""}) == Language::English);
  CHECK(seen({"", "", "", "zh_CN.UTF-8"}) == Language::Chinese);
  CHECK(seen({"", "", "zh_CN", "en_US.UTF-8"}) == Language::Chinese);
  CHECK(seen({"", "C", "", "zh_CN.UTF-8"}) == Language::English);
  CHECK(seen({"zh", "C", "C", "C"}) == Language::Chinese);
  CHECK(seen({"en", "zh_CN.UTF-8", "", ""}) == Language::English);
  CHECK(seen({"fr", "zh_CN.UTF-8", "", ""}) == Language::English);
}

TEST_CASE("tr fills the places of the other language") {
  CHECK(tr("{} sectors, {} would do", 32, 4) == "32 sectors, 4 would do");
  const In chinese(Language::Chinese);
  CHECK(tr("{} sectors, {} would do", 32, 4) == "32 个扇区，本来 4 个就够");
  CHECK(tr("goal {}", "4 096") == "目标 4 096");
}

TEST_CASE("words of another program are found by their form, and stay English where it is none") {
  CHECK(translated_words("--rows is required") == "--rows is required");
  const In chinese(Language::Chinese);
  CHECK(translated_words("--rows is required") == "必须给出 --rows");
  CHECK(translated_words("identifier \"foo\" is undefined") == "identifier \"foo\" is undefined");
  CHECK(translated_words("hello {} world") == "hello {} world");
  CHECK(translated_words(std::string(50'000, 'a')) == std::string(50'000, 'a'));
  std::string commas;
  for (int i = 0; i < 480; ++i) commas += "a, ";
  CHECK(translated_words(commas) == commas);
}

TEST_CASE("a message comes back from JSON, and only what fits is taken") {
  lab::Message said = msg("{} of {} elements are wrong.", lab::big(36), -4087);
  said.line(
      msg("{}: {}", msg("shape {}", "1×2"), msg("{:.1f} lanes of `{}`", 2.5, Place{"tile", 64, 132, 132})));
  CHECK(message_from(json(said)).english() == said.english());
  CHECK(message_from(json(said), said.english()).form() == said.form());
  CHECK(message_from(json(said), "of a hand").english() == "of a hand");
  for (const char* text :
       {"null", "5", "{\"form\": \"{:d}\", \"arguments\": [\"a\"]}", "{\"form\": 3, \"arguments\": []}",
        "{\"form\": \"{\", \"arguments\": [1]}", "{\"form\": \"{}\", \"arguments\": [{\"variable\": 1}]}"})
    CHECK(message_from(lab::base::Json::parse(text)).english() == "");
}

TEST_CASE("a message is its form and its values, in either language") {
  const lab::Message place = msg("{}", Place{"tile", 64, 132, 132});
  lab::Message said =
      msg("thread {} of block {} reads {} at {}", "(3,4)", "(0,0)", place, msg("line {}", 21));
  said.then("Where another thread stores it, put __syncthreads() before this read.");
  CHECK(
      said.english() ==
      "thread (3,4) of block (0,0) reads `tile` + 132 bytes at line 21. Where another thread stores it, put "
      "__syncthreads() before this read.");
  said.for_each_place([](Place& p) { p.element = p.last_element = "tile[1][0]"; });
  CHECK(said.english().starts_with("thread (3,4) of block (0,0) reads `tile[1][0]` at line 21. Where"));
  const In chinese(Language::Chinese);
  CHECK(translated(said) ==
        "线程 (3,4)（线程块 (0,0)）读取 `tile[1][0]`（第 21 行）。如果是别的线程存的，在这次读取之前放一个 "
        "__syncthreads()。");
  CHECK(translated(verbatim("line 21: {} of it")) == "line 21: {} of it");
}

TEST_CASE("lines that a message names are among its values") {
  lab::Message said = msg("line {} is loaded {} times", lab::text::Line{31}, 12);
  said.line(msg("Its loop is at {}.", msg("{}, {}", lab::text::Line{7}, lab::text::Line{9})));
  CHECK(said.english() == "line 31 is loaded 12 times\nIts loop is at 7, 9.");
  std::vector<std::int64_t> lines;
  said.for_each_line([&](std::int64_t line) { lines.push_back(line); });
  CHECK(lines == std::vector<std::int64_t>{31, 7, 9});
  CHECK(message_from(json(said)).english() == said.english());
}

TEST_CASE("a range of one place is one place; numbers have blanks between thousands") {
  CHECK(msg("{}", Place{"tile", 0, 0, 124}).english() == "`tile` + 0 bytes–`tile` + 124 bytes");
  CHECK(msg("{}", Place{"tile", 0, 0, 12, "tile[0]", "tile[0]"}).english() == "`tile[0]`");
  CHECK(msg("{} bytes", lab::big(4096)).english() == "4 096 bytes");
  CHECK(msg("{:.1f} times", 2.25).english() == "2.2 times");
}

TEST_CASE("an exception carries its message") {
  const Said<std::runtime_error> error(msg("line {}", 7));
  CHECK(std::string(error.what()) == "line 7");
  const In chinese(Language::Chinese);
  CHECK(translated(message_of(error)) == "第 7 行");
  CHECK(translated(message_of(std::runtime_error("line 7"))) == "line 7");
}
