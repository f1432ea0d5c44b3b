// Lists of hand-ins as platforms and people write them: tables, times, names, rosters, and what being late
// costs.
#include <doctest/doctest.h>

#include <set>

#include "common/base/errors.h"
#include "common/class/grade/csv.h"
#include "common/class/grade/manifest.h"
#include "common/class/grade/overrides.h"
#include "common/class/grade/roster.h"
#include "common/class/grade/rubric.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/times.h"
#include "tests/drawn/draws.h"

using namespace lab;
using namespace lab::grade;

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  return context.run();
}

namespace {

const std::string kZone = "Europe/Berlin";

std::string refusal(const std::string& text, const std::string& zone = "") {
  try {
    (void)Manifest::parse(text, "list.csv", zone);
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "";
}

// The newest time of a student's file.
std::string time_of(const Manifest& list, const std::string& entry, const std::string& file = "") {
  const auto found = list.students().find(list.student_of(entry));
  const HandIn* row = found == list.students().end() ? nullptr : newest(found->second, file);
  return row == nullptr ? "none" : row->time;
}

const CasesOfChapters kCases = {{"05_padding", {}}, {"06_xor_swizzle", {}}};

LatePolicy late(const std::string& text) { return Rubric::parse(text, "r.toml", kCases).late(); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
bool has(const lab::Message& message, const std::string& part) { return has(message.english(), part); }

}  // namespace

TEST_CASE("one table, however it was saved") {
  const std::string table = "student,file,time\nada,05.cu,2027-03-01T22:00:00Z\n";
  const auto with = [&](char separator, const std::string& line_end) {
    std::string text;
    for (const char c : table)
      text += c == ',' ? std::string(1, separator) : c == '\n' ? line_end : std::string(1, c);
    return text;
  };
  std::string wide = "\xFF\xFE";
  for (const char c : with('\t', "\r\n")) wide += {c, '\0'};
  for (const std::string& text :
       {table, with(';', "\r\n"), with('\t', "\n"), with(',', "\r"), "\xEF\xBB\xBF" + table, wide,
        std::string("\n\n Student , FILE,Time\n\n\"ada\",\"05.cu\",\"2027-03-01T22:00:00Z\""),
        std::string("id,time,student,note,file\n1,2027-03-01T22:00:00Z, ada ,\"a, b\n\"\"c\"\"\",05.cu\n")}) {
    CAPTURE(text);
    CHECK(time_of(Manifest::parse(text, "list.csv", ""), "ada", "05.cu") == "2027-03-01T22:00:00Z");
  }
  CHECK(read_csv("a,5\" disk\nb,\"x\"\"y\"").rows[0].cells[1] == "5\" disk");
  CHECK(read_csv("a,5\" disk\nb,\"x\"\"y\"").rows[1].cells[1] == "x\"y");
}

TEST_CASE("tables of platforms name folders as the platform does") {
  const Manifest gradescope = Manifest::parse(
      "Name,SID,Email,Total Score,Submission ID,Submission Time\nAda,1,a@x,,321,2027-03-01 22:10:00 "
      "-0800\nBob,2,b@x,,,\n",
      "g.csv", "");
  CHECK(time_of(gradescope, "submission_321") == "2027-03-01 22:10:00 -0800");
  CHECK(gradescope.empty_rows() == 1);
  const Manifest github = Manifest::parse(
      "assignment_name,github_username,student_repository_name,submission_timestamp\nhw,ada,hw-ada,2027-03-"
      "01 20:10:00 UTC\n",
      "h.csv", "");
  CHECK(time_of(github, "hw-ada") == "2027-03-01 20:10:00 UTC");
}

TEST_CASE("a name is found in the spelling of another system, as long as it is the only one") {
  const Manifest list = Manifest::parse(
      "student,file,time\nZoe\xCC\x88,,2027-03-01T22:00:00Z\n\xED\x95\x9C,,2027-03-01T22:00:00Z\n"
      "bob.zip,,2027-03-01T22:00:00Z\nADA,,2027-03-01T22:00:00Z\nEve,,2027-03-01T22:00:00Z\neve,,2027-03-"
      "02T22:00:00Z\n",
      "list.csv", "");
  for (const char* entry :
       {"Zo\xC3\xAB", "ZOE\xCC\x88", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "bob", "ada", "Eve", "eve"}) {
    CAPTURE(entry);
    CHECK(!list.student_of(entry).empty());
  }
  CHECK(list.student_of("EVE").empty());  // which of the two?
  CHECK(list.student_of("zoe").empty());  // another name
}

TEST_CASE("a row about an archive or a folder is about what is in it") {
  const Manifest list = Manifest::parse(
      "student,file,time\nada,ada/hw.zip,2027-03-01T22:00:00Z\nada,late/,2027-03-02T22:00:00Z\n", "list.csv",
      "");
  CHECK(time_of(list, "ada", "hw.zip/05.cu") == "2027-03-01T22:00:00Z");
  CHECK(time_of(list, "ada", "late/05.cu") == "2027-03-02T22:00:00Z");
  CHECK(time_of(list, "ada", "later/05.cu") == "none");
}

TEST_CASE("what is no list says its line") {
  for (const auto& [given, words] : std::vector<std::pair<std::string, std::string>>{
           {"", "list.csv:1: it is empty"},
           {"\n\nname,when\nada,x\n", "list.csv:3: these titles are of no list that is known: name, when"},
           {"student,file,time,time\n", "list.csv:1: two columns are called \"time\""},
           {"student,file,time\n\"a\nb\",,\nLovelace, Ada,05.cu,2027-03-01T22:00:00Z\n",
            "list.csv:4: the row has 4 cells and the first line 3"},
           {"student,file,time\nada,,\n\"bob,,2027-03-01T22:00:00Z\ncem,,\n",
            "list.csv:3: a quote begins here"},
           {"student,file,time\n,05.cu,2027-03-01T22:00:00Z\n", "list.csv:2: the student's name is missing"},
           {"student,file,time\nada,,2027-03-01T22:00\n", "list.csv:2: \"2027-03-01T22:00\" has no offset"},
           {"student,file,time\nada,,01/03/2027 22:00\n", "list.csv:2: \"01/03/2027 22:00\" is no time"}}) {
    const std::string& text = given;  // clang 14 captures no structured binding
    CAPTURE(text);
    CHECK(has(refusal(text), words));
  }
  std::string many = "student,file,time\n";
  for (int i = 0; i < 50; ++i) many += "ada,,x\n";
  CHECK(has(refusal(many), "\n  … 30"));
}

TEST_CASE("times") {
  const std::int64_t at = 1'804'114'140;  // 2027-03-03T22:49:00Z
  for (const char* text :
       {"2027-03-03T22:49:00Z", "2027-03-03 23:49 +0100", "2027-03-03T23:49:00.25+01:00", "2027-03-03T22:49Z",
        "2027-03-03 14:49:00 -08", "2027-03-03 22:49:00 UTC", "Wednesday, 3 March 2027, 10:49 PM GMT",
        "3 Mar 2027, 22:49 +0000", "2027-03-04T04:19:00+05:30"}) {
    CAPTURE(text);
    CHECK(seconds_of(text) == at);
  }
  for (const char* text :
       {"", "2027-03-03T22:49:00", "2027-02-29T22:49:00Z", "2027-03-03T24:00:00Z", "2027-3-3T22:49:00Z",
        "2027-03-03T22:49:00 EST", "2027-03-03T22:49:00+1", "2027-03-03T22:49:00+15:00",
        "3 Mar 2027, 13:49 PM Z", "03.03.2027 22:49", "1804111740"}) {
    CAPTURE(text);
    CHECK(!seconds_of(text));
  }
}

TEST_CASE("a zone's clock is put on and back") {
  const auto in_zone = [](const char* text) {
    const auto time = read_time(text);
    return text_of_time(time->local, offset_in(kZone, time->local));
  };
  REQUIRE(is_time_zone(kZone));
  CHECK(in_zone("2027-03-01 12:00") == "2027-03-01T12:00:00+01:00");
  CHECK(in_zone("2027-07-01 12:00") == "2027-07-01T12:00:00+02:00");
  CHECK(in_zone("2027-03-28 01:59") == "2027-03-28T01:59:00+01:00");
  CHECK(in_zone("2027-03-28 03:00") == "2027-03-28T03:00:00+02:00");
  CHECK(in_zone("2027-10-31 02:30") ==
        "2027-10-31T02:30:00+02:00");  // comes twice: the first, for the student
  CHECK(in_zone("2027-10-31 03:00") == "2027-10-31T03:00:00+01:00");
  for (const char* name : {"", "Nowhere/Town", "../etc/passwd", "/etc/passwd", "Europe"})
    CHECK(!is_time_zone(name));
}

TEST_CASE("what being late costs") {
  const LatePolicy policy = late(
      "time_zone = \"Europe/Berlin\"\n[late]\ndeadline = 2027-03-01T23:59:00\ngrace_minutes = "
      "10\npercent_per_day = 30\nlast_day = 3\n"
      "[late.deadlines]\n\"06_xor_swizzle\" = \"2027-03-08T23:59:00Z\"\n[late.extensions]\nada = "
      "2027-03-05T12:00:00+01:00\n");
  const auto percent = [&](const char* time, const char* chapter = "05_padding",
                           const char* student = "bob") {
    Places class_of_two;
    for (const char* name : {"ada", "bob"}) class_of_two.places.emplace_back().student = name;
    give_more_time(policy, class_of_two);
    const Place& place = class_of_two.places[std::string(student) == "ada" ? 0 : 1];
    return policy.percent(chapter, *seconds_of(time), place.extension);
  };
  CHECK(percent("2027-03-01T23:59:00+01:00") == 0);
  CHECK(percent("2027-03-02T00:09:00+01:00") == 0);   // the last second of grace
  CHECK(percent("2027-03-02T00:09:01+01:00") == 30);  // counted from the deadline
  CHECK(percent("2027-03-02T23:59:00+01:00") == 30);
  CHECK(percent("2027-03-02T23:59:01+01:00") == 60);
  CHECK(percent("2027-03-04T23:59:00+01:00") == 90);
  CHECK(percent("2027-03-04T23:59:01+01:00") == 100);
  CHECK(percent("2027-03-08T23:59:00Z", "06_xor_swizzle") == 0);
  CHECK(percent("2027-03-05T12:00:00+01:00", "05_padding", "ada") == 0);
  CHECK(percent("2027-03-06T12:00:00+01:00", "05_padding", "ada") == 30);
  CHECK(percent("2027-03-08T23:00:00Z", "06_xor_swizzle", "ada") == 0);  // the later of the two
  CHECK(late("[late]\ndeadline = 2027-03-01T23:59:00Z\n")
            .percent("05_padding", *seconds_of("2027-03-02T00:00:00Z")) == 100);
}

TEST_CASE("a day ends when the clock says so, put on or back meanwhile") {
  const std::string terms = "percent_per_day = 20\n";
  const LatePolicy autumn =
      late("time_zone = \"Europe/Berlin\"\n[late]\ndeadline = 2027-10-30T23:59:00\n" + terms);
  const auto percent = [](const LatePolicy& policy, const char* time) {
    return policy.percent("05_padding", *seconds_of(time));
  };
  CHECK(percent(autumn, "2027-10-30T23:59:00+02:00") == 0);
  CHECK(percent(autumn, "2027-10-31T23:59:00+01:00") == 20);  // 25 hours later
  CHECK(percent(autumn, "2027-10-31T23:59:01+01:00") == 40);
  CHECK(percent(autumn, "2027-11-02T22:59:00Z") == 60);
  const LatePolicy spring =
      late("time_zone = \"Europe/Berlin\"\n[late]\ndeadline = 2027-03-27T23:59:00\n" + terms);
  CHECK(percent(spring, "2027-03-28T23:59:00+02:00") == 20);  // 23 hours later
  CHECK(percent(spring, "2027-03-28T23:59:01+02:00") == 40);
  const LatePolicy within =
      late("time_zone = \"Europe/Berlin\"\n[late]\ndeadline = 2027-10-31T02:59:00\n" + terms);
  CHECK(percent(within, "2027-10-31T02:30:00+02:00") == 0);
  CHECK(percent(within, "2027-10-31T02:30:00+01:00") == 20);  // the same on the clock, an hour later
  const LatePolicy nowhere = late("[late]\ndeadline = 2027-10-30T23:59:00+02:00\n" + terms);
  CHECK(percent(nowhere, "2027-10-31T23:59:00+01:00") == 40);  // days of 24 hours
}

TEST_CASE("more time is a person's, whatever a platform calls the person") {
  for (const char* called :
       {"Ada Lovelace", "Ada Lovelace_4711", "lovelaceada", "ADA LOVELACE", "Lovelace, Ada", "ada.lovelace"})
    CHECK_MESSAGE(may_be_called("Ada Lovelace", called), std::string(called));
  for (const char* called : {"Ada", "Ada Lovelace Jr", "Ida Lovelace", "adalovelac"})
    CHECK_MESSAGE(!may_be_called("Ada Lovelace", called), std::string(called));
  CHECK(may_be_called("李小龙", "李小龙_4012"));
  CHECK(may_be_called("Zo\u00eb \u00d8rsted", "Zoe\u0308 \u00d8rsted_12"));
}

TEST_CASE("a late policy that says nothing, or nonsense, is refused with line and key") {
  const auto mistakes = [](const std::string& text) {
    try {
      (void)late(text);
    } catch (const base::UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string deadline = "[late]\ndeadline = 2027-03-01T23:59:00Z\n";
  for (const auto& [given, words] : std::vector<std::pair<std::string, std::string>>{
           {"[late]\ndeadline = 2027-03-01T23:59:00\n", "r.toml:2: a deadline is a time with its offset"},
           {"[late]\ndeadline = \"tomorrow\"\n", "r.toml:2: a deadline is"},
           {"[late]\npercent_per_day = 5\n", "r.toml:1: [late] has no deadline"},
           {deadline + "percent_per_day = -1\n",
            "r.toml:3: percent_per_day must be a whole number from 0 to 100"},
           {deadline + "percent_per_day = 12.5\n", "r.toml:3: percent_per_day must be"},
           {deadline + "grace_minutes = \"ten\"\n", "r.toml:3: grace_minutes must be"},
           {deadline + "last_day = true\n", "r.toml:3: last_day must be"},
           {deadline + "extensions = 5\n", "r.toml:3: [late.extensions] must be a table of students"},
           {deadline + "[late.extensions]\nada = 3\n", "r.toml:4: a deadline is"},
           {deadline + "[late.deadlines]\n\"99\" = 2027-03-01T23:59:00Z\n",
            "r.toml:4: there is no chapter \"99\""},
           {"time_zone = \"Berlin\"\n", "r.toml:1: time_zone is a name of this machine's list"},
           {"late = 5\n", "r.toml:1: [late] must be a table"}}) {
    const std::string& text = given;
    CAPTURE(text);
    CHECK(has(mistakes(text), words));
  }
  Places unknown;
  unknown.places.emplace_back().student = "bob";
  const LatePolicy policy = late(deadline + "[late.extensions]\nada = 2027-03-08T23:59:00Z\n");
  give_more_time(policy, unknown);
  REQUIRE(unknown.notes.size() == 1);
  CHECK(has(unknown.notes[0], "gives ada more time, and no submission has that name"));
  const auto notes = late_notes(policy, unknown);
  REQUIRE(notes.size() == 1);
  CHECK(has(notes[0], "nothing is late"));
  Places two;
  for (const char* id : {"s12", "s13"}) {
    Place& place = two.places.emplace_back();
    place.student = std::string("Bo Li (") + id + ")";
    place.who = {"", id, "", "Bo Li"};
  }
  give_more_time(late(deadline + "[late.extensions]\n\"Bo Li\" = 2027-03-08T23:59:00Z\n"), two);
  CHECK_FALSE(two.places[0].extension);
  REQUIRE(two.notes.size() == 1);
  CHECK(has(two.notes[0], "Bo Li (s12), Bo Li (s13)"));
  give_more_time(late(deadline + "[late.extensions]\ns13 = 2027-03-08T23:59:00Z\n"), two);
  CHECK_FALSE(two.places[0].extension);
  CHECK(two.places[1].extension);
}

TEST_CASE("drawn tables of the desk are read whole, or refused with their lines") {
  drawn::Draws draw(drawn::seed_of_run("tables of the desk"));
  const std::vector<std::string> pieces = {"id",
                                           "name",
                                           "seat",
                                           "extension",
                                           "Anonymous ID",
                                           "student",
                                           "chapter",
                                           "points",
                                           "comment",
                                           "ada",
                                           "bob",
                                           "7",
                                           "-1",
                                           "7.5",
                                           "7.555",
                                           "1e9",
                                           "nan",
                                           "99999999999999999999",
                                           "5",
                                           "05",
                                           "99",
                                           "soon",
                                           "2027-03-08T23:59:00Z",
                                           "2027-03-08 23:59",
                                           "\"",
                                           "\"a, b\"",
                                           ",",
                                           ",",
                                           ",",
                                           ",",
                                           ";",
                                           "\t",
                                           "\n",
                                           "\n",
                                           "\n",
                                           "\r\n",
                                           "\xff",
                                           "\xef\xbb\xbf",
                                           std::string(1, '\0'),
                                           "=1+1"};
  std::size_t read = 0, refused = 0;
  for (std::size_t i = 0; i < drawn::draws_of_run(4000); ++i) {
    std::string text = draw.one_in(2) ? "id,name,seat,extension\n" : "";
    for (std::size_t n = draw.below(30); n > 0; --n) text += draw.among(pieces);
    const auto whole = [&](const auto& parse) {
      try {
        parse();
        ++read;
      } catch (const base::UsageError& error) {
        ++refused;
        CAPTURE(text);
        CHECK(has(std::string(error.what()), "\n  t.csv:"));
        CHECK(has(std::string(error.what()), "nothing was graded"));
      }
    };
    whole([&] {
      const Roster roster = Roster::parse(text, "t.csv", draw.one_in(2) ? "Europe/Berlin" : "");
      for (const Member& m : roster.members()) CHECK_FALSE(m.label().empty());
    });
    whole([&] {
      for (const auto& [whom, decided] : read_overrides(text, "t.csv"))
        CHECK((decided.points.has_value() || !decided.comment.empty()));
    });
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}

TEST_CASE("each person of a drawn roster has one place, whoever handed in what") {
  drawn::Draws draw(drawn::seed_of_run("people and places"));
  const std::vector<std::string> names = {"Ada Lovelace", "Bo Li",      "Bo Li", "van der Berg, Kim",
                                          "Grace Hopper", "Zoë Ørsted", "Li Bo"};
  for (std::size_t i = 0; i < drawn::draws_of_run(2000); ++i) {
    std::string table = "id,name,group,anonymous id\n";
    std::vector<std::string> ids;
    for (std::size_t n = 0; n < 2 + draw.below(6); ++n) {
      ids.push_back("s" + std::to_string(100 + n));
      table += ids.back() + ",\"" + draw.among(names) + "\"," +
               (draw.one_in(2)   ? "Red"
                : draw.one_in(2) ? "Blue"
                                 : "") +
               ",x" + std::to_string(n) + "\n";
    }
    const Roster roster = Roster::parse(table, "t.csv", "");
    Places found;
    for (std::size_t n = draw.below(8); n > 0; --n) {
      Place& place = found.places.emplace_back();
      const std::string who = draw.among(names);
      place.student = draw.one_in(3)   ? draw.among(ids)
                      : draw.one_in(2) ? who + "_" + std::to_string(4000 + n)
                      : draw.one_in(2) ? who + ", " + draw.among(names)
                      : draw.one_in(2) ? "Red"
                                       : "transpose-" + draw.among(ids);
      place.kind = draw.one_in(4) ? Place::Kind::None : Place::Kind::Folder;
      if (place.kind == Place::Kind::Folder) place.path = "class/" + std::to_string(n);
    }
    const std::size_t handed_in = found.places.size();
    const bool anonymous = draw.one_in(2);
    try {
      enrol(found, roster, anonymous);
    } catch (const base::UsageError& error) {
      CHECK(anonymous);
      CHECK(has(std::string(error.what()), "in the roster"));
      continue;
    }
    std::set<std::string> students;
    for (const Place& place : found.places) {
      CHECK(students.insert(place.student).second);
      CHECK(place.anonymous == anonymous);
    }
    CHECK(found.places.size() >= roster.members().size());
    CHECK(found.places.size() <= roster.members().size() + handed_in);
    if (anonymous) CHECK(found.places.size() == roster.members().size());
  }
}

TEST_CASE("points by hand under other titles are refused") {
  CHECK_THROWS(read_overrides("student,chapter,comment,points\n", "o.csv"));
  CHECK_THROWS(read_overrides("student,chapter,pionts\n", "o.csv"));
  CHECK(read_overrides("Student,Chapter,Points\n", "o.csv").empty());
}
