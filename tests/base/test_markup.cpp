// Text in XML and HTML: what a stranger writes opens nothing.
#include <doctest/doctest.h>

#include "common/base/markup.h"

using lab::base::markup_escaped;

TEST_CASE("markup is escaped, the rest stays") {
  CHECK(markup_escaped("a < b & c > \"d\" 'e'") == "a &lt; b &amp; c &gt; &quot;d&quot; &#39;e&#39;");
  CHECK(markup_escaped("4 × 4 分块\tx\ny") == "4 × 4 分块\tx\ny");
  CHECK(markup_escaped("").empty());
}

TEST_CASE("characters that XML forbids are replaced") {
  CHECK(markup_escaped(std::string("a\0b", 3)) == "a\uFFFDb");
  CHECK(markup_escaped("\x1b[2J\x7f") == "\uFFFD[2J\uFFFD");
  CHECK(markup_escaped("a\uFFFE\uFFFFb") == "a\uFFFD\uFFFDb");
  CHECK(markup_escaped("\xEF\xBF") == "\xEF\xBF");  // cut short: whoever made it valid UTF-8 sees to that
}
