// Messages as JSON, and back: in records, from worker processes, from other laptops.
//
// Enters: a Message, or what json() made of one. Leaves: the other.
#pragma once

#include <string>

#include "common/base/json.h"
#include "common/base/text/message.h"

namespace lab::text {

// As json_of() writes it; null where a name in it is no UTF-8.
[[nodiscard]] base::Json json(const Message& message);
// An empty one where the JSON is none of ours.
[[nodiscard]] Message message_from(const base::Json& said);
// Beside its English, which stands alone in older records, and for which words count that do not fit it.
[[nodiscard]] Message message_from(const base::Json& said, const std::string& english);

}  // namespace lab::text
