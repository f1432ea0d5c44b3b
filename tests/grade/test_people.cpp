// Who is who: the directory of people, platforms' worksheets in many languages, times spelled in them, names of files.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/class/grade/identity.h"
#include "common/class/grade/layouts.h"
#include "common/class/grade/roster.h"
#include "common/class/grade/times.h"
#include "common/class/grade/worksheet.h"

using namespace lab;
using namespace lab::grade;

namespace {

using Found = std::vector<std::size_t>;

Directory three() {
  Directory people;
  people.add({"44", "s1", "ada@x", "Ada O'Hara"});
  people.add({"45", "s2", "bo@x", "Bo Li"});
  people.add({"46", "s3", "bo2@x", "Bo Li"});
  return people;
}

std::int64_t utc(const char* text) { return seconds_of(text).value(); }

Place place_of(const Owner& owner) {
  Place place;
  place.student = place.platform_name = owner.key;
  place.who = {owner.number, owner.id, "", owner.name};
  place.path = "class/" + owner.key;
  place.kind = Place::Kind::Folder;
  return place;
}

Place moodle(const std::string& prefix) {
  return place_of(*owner_of(platforms().front(), prefix + "_assignsubmission_file/05.cu", 0));
}

std::map<std::string, std::string> owners(const char* platform, const std::vector<std::string>& names) {
  std::map<std::string, std::string> found;
  for (const Platform& one : platforms()) {
    if (std::string_view(one.name) != platform) continue;
    for (const std::string& name : names)
      if (const auto owner = owner_of(one, name, 0)) found[owner->key] = owner->student;
  }
  return found;
}

}  // namespace

TEST_CASE("keys decide before names, and two of one name are never one") {
  const Directory people = three();
  CHECK(people.find({"", "s3", "", "Somebody"}) == Found{2});
  CHECK(people.find({"", "", "BO@X", "Somebody"}) == Found{1});
  CHECK(people.find({"", "", "", "Bo Li"}) == Found{1, 2});
  CHECK(people.called("bo2@x") == Found{2});
  CHECK(people.called("Bo Li") == Found{1, 2});
  CHECK(people.called("Bo Li_46") == Found{2});
  CHECK(people.called("transpose-s2").empty());  // too short to be taken for a login
  CHECK(people.called("nobody").empty());
}

TEST_CASE("a name is found as platforms write it") {
  const Directory people = three();
  for (const char* called :
       {"Ada O'Hara", "Ada OHara", "Ada OHara_44", "oharaada", "O'Hara, Ada", "ADA O\u2019HARA"})
    CHECK_MESSAGE(people.called(called) == Found{0}, std::string(called));
  Directory numbers;
  numbers.add({"", "s1", "", "4711_0815 Zo\u00eb"});
  CHECK(numbers.called("Zo\u00eb 4711 0815") == Found{0});
  CHECK(plain_form("Jean_Luc \"Kay\" & Co/x") == plain_form("Jean Luc Kay  Cox"));
  CHECK(plain_form("A &amp; B") == plain_form("A  B"));
}

TEST_CASE("a name says nothing against an id") {
  Directory people = three();
  people.compare_ids({{"", "s1", "", ""}});
  CHECK(people.find({"", "s9", "", "Ada O'Hara"}).empty());  // another one of that name
  Directory others = three();
  others.compare_ids({{"", "4711", "", ""}});  // numbers of another kind
  CHECK(others.find({"", "4711", "", "Ada O'Hara"}) == Found{0});
}

TEST_CASE("times as platforms spell them, in many languages") {
  const std::int64_t at = utc("2026-11-20T20:10:00Z");
  for (const char* text : {"Friday, 20 November 2026, 8:10 PM",
                           "Friday, November 20, 2026, 8:10 PM",
                           "Freitag, 20. November 2026, 20:10",
                           "vendredi 20 novembre 2026, 20:10",
                           "viernes, 20 de noviembre de 2026, 20:10",
                           "2026年11月20日 星期五 20:10",
                           "2026年11月20日(金曜日) 20:10",
                           "2026년 11월 20일 금요일 오후 8:10",
                           "пятница, 20 ноября 2026, 20:10",
                           "Пятница, 20 Ноября 2026, 20:10",
                           "piątek, 20 listopada 2026, 20:10",
                           "Perjantai, 20. marraskuuta 2026, 20.10",
                           "divendres, 20 de novembre de 2026, 20:10",
                           "Thứ Sáu, 20 tháng 11 2026, 20:10",
                           "vrijdag, 20 november 2026, 20:10",
                           "venerdì, 20 novembre 2026, 20:10",
                           "sexta-feira, 20 de novembro de 2026, 20:10",
                           "pátek, 20. listopadu 2026, 20:10",
                           "Cuma, 20 Kasım 2026, 20:10",
                           "الجمعة، ٢٠ نوفمبر ٢٠٢٦، ٨:١٠ م",
                           "Παρασκευή, 20 Νοεμβρίου 2026, 8:10 μ.μ.",
                           "2026 m. lapkričio 20 d., penktadienis, 20:10",
                           "Nov 20, 2026 8:10 PM",
                           "20.11.2026 20:10 Freitag",
                           "Extension granted until: Friday, 20 November 2026, 8:10 PM",
                           "fredag den 20. november 2026 20:10",
                           "ostirala, 2026(e)ko azaroaren 20(e)an, 20:10(e)tan"}) {
    CAPTURE(std::string(text));
    const auto time = read_time(text);
    REQUIRE(time);
    CHECK(time->local == at);
  }
}

TEST_CASE("one language's morning is a word of another's date") {
  for (const auto& [text, at] :
       {std::pair("domingo, 11 de enero de 2026, 12:07", "2026-01-11T12:07:00Z"),
        std::pair("domingo, 11 de janeiro de 2026 \u00e0s 12:07", "2026-01-11T12:07:00Z"),
        std::pair("diumenge, 11 de gener 2026, 12:07", "2026-01-11T12:07:00Z"),
        std::pair("venres, 23 de xaneiro de 2026, 8:10 PM", "2026-01-23T20:10:00Z"),
        std::pair("2026. janu\u00e1r 11., vas\u00e1rnap, de. 12:07", "2026-01-11T00:07:00Z"),
        std::pair("23/01/2026 8:10 PM", "2026-01-23T20:10:00Z")}) {
    CAPTURE(std::string(text));
    const auto time = read_time(text);
    REQUIRE(time);
    CHECK(time->local == utc(at));
  }
}

TEST_CASE("what may be two times is none") {
  CHECK_FALSE(read_time("11/12/2026 20:10"));
  CHECK_FALSE(read_time("20 listopada 2026, 20:10"));  // November in Polish, October in Croatian
  CHECK(read_time("petak, 20. listopada 2026., 20:10") == std::nullopt);  // no Friday in October
  CHECK(read_time("utorak, 20. listopada 2026., 20:10").value().local == utc("2026-10-20T20:10:00Z"));
  CHECK_FALSE(read_time("2 days 9 hours late"));
  CHECK_FALSE(read_time("Submitted for grading"));
}

TEST_CASE("Moodle's worksheet is read by position and content, in any language") {
  for (const char* text :
       {"Identifier,Full name,Email address,ID number,Status,Grade,Maximum grade,Grade can be changed,Last "
        "modified "
        "(submission),Last modified (grade)\nParticipant 11,Mia,m@x,s1,Submitted for grading -  - "
        ",,13.00,Yes,\"Friday, 20 "
        "November 2026, 8:10 PM\",-\nParticipant 12,Bo,b@x,s2,No submission -  - ,,13.00,Yes,-,-\n",
        "ID,Vollständiger Name,E-Mail-Adresse,ID-Nummer,Status,Bewertung,Beste Bewertung,Bewertung kann "
        "geändert "
        "werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar\nTeilnehmer/in "
        "11,Mia,m@x,s1,"
        "Zur Bewertung abgegeben -  - ,,\"13,00\",Ja,\"Freitag, 20. November 2026, "
        "20:10\",-,<b>gut</b>\nTeilnehmer/in 12,Bo,b@x,s2,"
        "Keine Abgabe -  - ,,\"13,00\",Ja,-,-,\n",
        "编号,全名,电子邮件地址,学号,状态,成绩,最高成绩,成绩可以更改,最后修改（提交）,"
        "最后修改（成绩）\n参与者11,Mia,m@x,s1,已提交 -  - "
        ",,13.00,是,2026年11月20日 星期五 20:10,-\n参与者12,Bo,b@x,s2,没有提交 -  - ,,13.00,是,-,-\n"}) {
    CAPTURE(std::string(text));
    const auto sheet = Worksheet::read(text, "s.csv");
    REQUIRE(sheet);
    CHECK(sheet->kind == Worksheet::Kind::Moodle);
    REQUIRE(sheet->rows.size() == 2);
    const WorksheetRow& mia = sheet->rows[0];
    CHECK(mia.who.number == "11");
    CHECK(mia.who.name == "Mia");
    CHECK(mia.who.email == "m@x");
    CHECK(mia.who.id == "s1");
    CHECK(read_time(mia.submitted).value().local == utc("2026-11-20T20:10:00Z"));
    CHECK(sheet->rows[1].submitted.empty());
    CHECK(sheet->grade == std::optional<std::size_t>(5));
    CHECK(sheet->most == std::optional<std::int64_t>(1300));
    CHECK(std::find(sheet->kept.begin(), sheet->kept.end(), 10) ==
          sheet->kept.end());  // a comment does not go back
    CHECK(std::find(sheet->kept.begin(), sheet->kept.end(), 9) != sheet->kept.end());
  }
}

TEST_CASE("a blind worksheet has no names") {
  const auto sheet = Worksheet::read(
      "Identifier,Status,Grade,Maximum grade,Grade can be changed,Last modified (submission),Last modified "
      "(grade)\nParticipant 12,Submitted for grading -  - ,,13.00,Yes,\"Friday, 20 November 2026, 8:10 "
      "PM\",-\n",
      "s.csv");
  REQUIRE(sheet);
  CHECK(sheet->rows[0].who.name.empty());
  CHECK(sheet->rows[0].who.number == "12");
  CHECK_FALSE(sheet->rows[0].submitted.empty());
}

TEST_CASE("an extension stands in the status") {
  const auto sheet = Worksheet::read(
      "Identifier,Full name,Status,Grade,Maximum grade,Grade can be changed,Last modified (submission),Last "
      "modified "
      "(grade)\nParticipant 12,Bo,\"Submitted for grading - Extension granted until: Monday, 23 November "
      "2026, 12:00 PM -  - "
      "\",,13.00,Yes,\"Friday, 20 November 2026, 8:10 PM\",-\nParticipant 13,Cy,\"Draft (not submitted) - 2 "
      "days 9 hours late - "
      " - \",,13.00,No,\"Friday, 20 November 2026, 8:10 PM\",-\n",
      "s.csv");
  REQUIRE(sheet);
  CHECK(read_time(sheet->rows[0].extension).value().local == utc("2026-11-23T12:00:00Z"));
  CHECK(sheet->rows[1].extension.empty());
  CHECK(sheet->rows[1].draft);
  CHECK(sheet->rows[1].locked);
  CHECK_FALSE(sheet->rows[0].locked);
}

TEST_CASE("gradebooks of other platforms") {
  const auto canvas = Worksheet::read(
      "Student,ID,SIS User ID,SIS Login ID,Section,Homework 5 (1234),Final Score\n,,,,,Manual Posting,(read "
      "only)\n    Points "
      "Possible,,,,,10,(read only)\n\"Li, Bo\",123,s12,bo,A,,\n\"Li, Bo\",124,s13,bo2,A,,\n",
      "c.csv");
  REQUIRE(canvas);
  CHECK(canvas->rows.size() == 2);
  CHECK(canvas->rows[1].who.number == "124");
  CHECK(canvas->most_of(5) == std::optional<std::int64_t>(1000));
  const auto brightspace = Worksheet::read(
      "OrgDefinedId,Username,Last Name,First Name,Email,Homework 5 Points Grade <Numeric MaxPoints:20 "
      "Weight:1>,End-of-Line "
      "Indicator\n#s12,#bo,Li,Bo,bo@x,,#\n",
      "b.csv");
  REQUIRE(brightspace);
  CHECK(brightspace->kind == Worksheet::Kind::Brightspace);
  CHECK(brightspace->rows[0].who.id == "s12");
  CHECK(brightspace->rows[0].who.name == "Bo Li");
  CHECK(brightspace->most_of(5) == std::optional<std::int64_t>(2000));
  const auto blackboard = Worksheet::read(
      "Last Name\tFirst Name\tUsername\tStudent ID\tLast Access\tAvailability\tHomework 5 [Total Pts: 13 "
      "Score] "
      "|88\nLi\tBo\tbo\ts12\t\tYes\t\n",
      "bb.csv");
  REQUIRE(blackboard);
  CHECK(blackboard->kind == Worksheet::Kind::Blackboard);
  CHECK(blackboard->most_of(6) == std::optional<std::int64_t>(1300));
  const auto sakai = Worksheet::read(
      "Homework 5,Points,,,,,\n,,,,,,\nDisplay ID,ID,Last Name,First Name,grade,Submission date,Late "
      "submission\nbo,s12,Li,Bo,,,\n",
      "grades.csv");
  REQUIRE(sakai);
  CHECK(sakai->kind == Worksheet::Kind::Sakai);
  CHECK(sakai->rows[0].who.id == "s12");
  CHECK_FALSE(Worksheet::read("student,file,time\nada,,2027-03-01T22:00:00Z\n", "list.csv"));
  CHECK_FALSE(Worksheet::read("id,name,group\ns1,Ada,Red\n", "roster.csv"));
}

TEST_CASE("a roster of titles alone is refused, in UTF-16 too") {
  using namespace std::string_literals;
  const auto words_of = [](const std::string& text) -> std::string {
    try {
      (void)Roster::parse(text, "roster.csv", "UTC");
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  for (const std::string& nothing : {""s, "\xFF\xFE"s, "\xFE\xFF"s, "\xFF\xFE\n\0"s})
    CHECK(words_of(nothing).find("roster.csv:1: there is no row") != std::string::npos);
  for (const std::string& titles : {"id,name\n"s, "\xFF\xFEi\0d\0\n\0"s})
    CHECK(words_of(titles).find("roster.csv:1: there is no row below the titles") != std::string::npos);
  CHECK(words_of("id,name\ns1,Ada\n") == "");
}

TEST_CASE("names of files that platforms write") {
  CHECK(owners("Canvas", {"libo_123_456_05.cu", "libo_124_457_05.cu"}).size() == 2);
  CHECK(owners("Canvas", {"smith_jr_LATE_123_456_05.cu"}) ==
        std::map<std::string, std::string>{{"smith_jr_123", "smith_jr"}});
  CHECK(owners("Canvas",
               {"anon_x1b2c_456_05.cu", "LATE_anon_y1b2c_457_05.cu", "ada_9_text.html", "bo_8_link.html"})
            .size() == 4);
  CHECK(owners("Canvas", {"05_padding.cu", "hw_2_05.cu", "notes_text.html"}).empty());
  CHECK(owners("Brightspace", {"81000-92000 - Ada Lovelace - Nov 20, 2026 810 PM - 05.cu",
                               "81000-92000 - Ada Lovelace - Nov 21, 2026 810 PM/05.cu",
                               "81001-92000 - Bo - Li - 20 November 2026 2010/05.cu"}) ==
        std::map<std::string, std::string>{{"81000-92000", "Ada Lovelace"}, {"81001-92000", "Bo - Li"}});
  CHECK(owners("Moodle", {"Default group_assignsubmission_file/05.cu"}).contains("Default group"));
}

TEST_CASE("a worksheet's teams hand in together, and numbers of teams are no people's") {
  const auto sheet = Worksheet::read(
      "Identifier,Full name,Status,Group,Grade,Maximum grade,Grade can be changed,Last modified "
      "(submission),Last modified "
      "(grade)\nParticipant 7,Bo Li,Submitted -  - ,Red,,13.00,Yes,-,-\nParticipant 9,Cy Ro,Submitted -  - "
      ",Red,,13.00,Yes,-,-\n"
      "Participant 8,Di Fu,Submitted -  - ,\"Blue & \"\"x\"\"\",,13.00,Yes,-,-\n",
      "s.csv");
  REQUIRE(sheet);
  Roster roster;
  std::vector<Message> notes;
  roster.add(*sheet, "s.csv", "UTC", true, notes);
  Places found;
  found.places = {moodle("Red_9"), moodle("Blue  x_7")};
  enrol(found, roster, false);
  REQUIRE(found.places.size() == 3);
  REQUIRE(found.notes.size() == 1);  // times that it does not say are no reason for silence
  CHECK(found.notes.front().english().ends_with("late: Bo Li, Cy Ro, Di Fu"));
  std::map<std::string, std::string> pages;
  for (const Place& place : found.places) pages[place.who.name] = place.platform_name;
  CHECK(pages ==
        std::map<std::string, std::string>{{"Bo Li", "Red_9"}, {"Cy Ro", "Red_9"}, {"Di Fu", "Blue  x_7"}});
}

TEST_CASE("a worksheet of another assignment is refused") {
  const auto sheet = Worksheet::read(
      "Identifier,Full name,Status,Grade,Maximum grade,Grade can be changed,Last modified (submission),Last "
      "modified "
      "(grade)\nParticipant 7,Bo Li,Submitted -  - ,,13.00,Yes,-,-\nParticipant 9,Cy Ro,Submitted -  - "
      ",,13.00,Yes,-,-\n",
      "s.csv");
  Roster roster;
  std::vector<Message> notes;
  roster.add(sheet.value(), "s.csv", "UTC", true, notes);
  Places found;
  found.places = {moodle("Bo Li_9"), moodle("Cy Ro_7")};
  CHECK_THROWS(enrol(found, roster, false));
}
