// What `lab doctor` says of this machine, and how it says what is missing.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "common/base/text/text.h"
#include "common/machine/environment.h"

using namespace lab::machine;
using State = EnvironmentRow::State;

TEST_CASE("the machine that runs the tests has all that is needed") {
  const std::vector<EnvironmentRow> rows = describe_environment();
  const std::string text = environment_text(rows, lab::text::form_in_language);
  INFO(text);
  CHECK(is_complete(rows));
  for (const char* name : {"system", "processor", "C++ compiler", "Meson", "Ninja", "library fmt", "cache"}) {
    CAPTURE(name);
    CHECK(std::count_if(rows.begin(), rows.end(),
                        [&](const EnvironmentRow& row) { return row.name.english() == name; }) == 1);
  }
  for (const EnvironmentRow& row : rows) {
    CAPTURE(row.name.english());
    CHECK((row.state != State::Ok || !row.version.empty() || !row.where.empty()));
    CHECK((row.state == State::Ok || !row.advice.empty()));
  }
}

TEST_CASE("what is missing is said with what to do, in text and in JSON") {
  const std::vector<EnvironmentRow> rows{{"Ninja", State::Ok, "1.11", "on PATH", ""},
                                         {"Meson", State::Missing, "", "", "./lab setup installs it"},
                                         {"GPU", State::Absent, "", "", "not needed"}};
  CHECK_FALSE(is_complete(rows));
  CHECK(environment_text(rows, lab::text::form_in_language) ==
        "  ok       Ninja  1.11  on PATH\n"
        "  missing  Meson  ./lab setup installs it\n"
        "  absent   GPU    not needed\n");
  const lab::base::Json json = environment_json(rows);
  CHECK(json.at("complete") == false);
  CHECK(json.at("rows").at(1).at("state") == "missing");
  CHECK(json.at("rows").at(1).at("advice") == "./lab setup installs it");
}
