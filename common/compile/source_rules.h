// What a kernel file that is judged may ask of its compiler.
//
// Enters: the text of a kernel file (source_text.h). Leaves: the first directive that reaches beyond the
// course, in words, or nothing. A kernel includes common/kernel/ and the compiler's own headers; it forges no
// line numbers and embeds no files. This is the sentence that a student reads, not the wall: the wall is that
// a sandboxed compiler sees no other file (sandbox.h), and that what was read is checked afterwards
// (compile_dependencies.h).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/text/message.h"

namespace lab::compile {

struct Refusal {
  std::string code;  // "include-refused", "source-refused"
  Message message;   // "line 3: #include \"/etc/passwd\": …"
};

// Ends the sentence about an include that is refused.
inline constexpr const char* kIncludeRule =
    ". A kernel that is judged includes common/kernel/ and the compiler's own headers, nothing else. Put "
    "what it needs into the file itself.";

// `beside` is the kernel's own folder: what lies there, or in the project, is no header of a compiler.
[[nodiscard]] std::optional<Refusal> refuse_source(std::string_view source,
                                                   const std::filesystem::path& beside = {});

}  // namespace lab::compile
