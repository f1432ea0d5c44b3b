// Makes the edits that a finding's `fix` carries in JSON, for tests that follow an advice as data.
//
// Enters: the name of a kernel file; on standard input the list of edits. Leaves: the changed text; exit status 1 where an
// edit does not fit the way the file is written, or there is none.
#include <cstdio>
#include <iostream>
#include <iterator>

#include "common/base/files.h"
#include "common/base/json.h"
#include "tests/faults/apply_fix.h"

namespace {

using lab::base::Json;
using lab::sim::Edit;

Edit edit_from(const Json& json) {
  Edit edit;
  while (lab::sim::code(edit.what) != json.at("what").get<std::string>())
    edit.what = static_cast<Edit::What>(static_cast<int>(edit.what) + 1);
  edit.after = json.value("after_line", 0), edit.before = json.value("before_line", 0);
  edit.in_loop = json.value("in_loop", false);
  edit.code = json.value("code", std::string()), edit.variable = json.value("variable", std::string());
  return edit;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<Edit> edits;
  for (const Json& one : Json::parse(text)) edits.push_back(edit_from(one));
  const auto source = lab::base::read_file(words[1]);
  if (edits.empty() || !source) return 1;
  const auto changed = lab::test::with_edits(*source, edits);
  if (!changed) return 1;
  std::fputs(changed->c_str(), stdout);
  return 0;
}
