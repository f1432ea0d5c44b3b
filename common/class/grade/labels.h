// One name for each person in all runs into one folder.
//
// Enters: places of people with their ids and e-mails, the folder of --out. Leaves: the same places; who was graded
// into the folder before has the name of then, whatever number the platform gave this time, and no one else has it.
#pragma once

#include <filesystem>
#include <vector>

#include "common/class/grade/identity.h"
#include "common/class/grade/submission.h"

namespace lab::grade {

// The people of these places, by all that is known of them; the directory's numbers are those of the places.
[[nodiscard]] Directory directory_of(const std::vector<Place>& places);

void keep_labels(Places& found, const std::filesystem::path& out);

// people.json of the folder: what stood there, and these people. "" where no one has an id or e-mail.
[[nodiscard]] std::string people_text(const std::string& before, const std::vector<Place>& places);
inline constexpr const char* kPeopleName = "people.json";

}  // namespace lab::grade
