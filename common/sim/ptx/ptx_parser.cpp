// Reads the module scope of a PTX text: header, files, variables, heads of functions. See ptx_parser.h.
#include "common/sim/ptx/ptx_parser.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "common/sim/base/arithmetic.h"
#include "common/sim/ptx/file_row.h"

namespace lab::sim::ptx {

Module parse(std::string_view text) {
  const DefaultArithmetic arithmetic;  // of constants
  if (text.size() > kMostTextBytes) {
    throw ParseError(1, 1,
                     msg("this text is larger than {} MiB, too large for a PTX text", kMostTextBytes >> 20));
  }
  return Parser(text).run();
}

Module Parser::run() {
  header();
  while (!lexer_.at_end()) statement();
  check_symbols();
  return std::move(module_);
}

void Parser::header() {
  if (!lexer_.accept_directive("version")) {
    lexer_.fail(
        msg("a PTX text starts with `.version`, found {}; is this really PTX?", shown(lexer_.peek())));
  }
  const Token version = lexer_.take();
  const std::size_t dot = version.text.find('.');
  const auto number = [&](std::string_view digits, int& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  if (version.kind != TokenKind::Number || dot == std::string_view::npos ||
      !number(version.text.substr(0, dot), module_.version_major) ||
      !number(version.text.substr(dot + 1), module_.version_minor)) {
    lexer_.fail(version, msg("`.version` needs a number such as 8.5, found {}", shown(version)));
  }
  if (!lexer_.accept_directive("target"))
    lexer_.fail(msg("expected `.target` after `.version`, found {}", shown(lexer_.peek())));
  target();
}

void Parser::target() {
  module_.target = lexer_.expect_word("a target such as sm_90").text;
  while (lexer_.accept(','))  // texmode_independent and others mean nothing here
    module_.is_for_debugging |= lexer_.expect_word("an option of `.target`").text == "debug";
}

void Parser::statement() {
  const Token token = lexer_.peek();
  if (lexer_.accept(';')) return;
  if (token.kind != TokenKind::Directive) {
    lexer_.fail(msg("expected a directive such as `.entry` or `.global` here, found {}", shown(token)));
  }
  if (lexer_.accept_directive("address_size")) {
    module_.address_size = static_cast<int>(parse_count(lexer_, 64, "the address size"));
    if (module_.address_size != 64)
      lexer_.fail(token, "only 64-bit addresses are simulated: compile for `.address_size 64`");
    return;
  }
  if (lexer_.accept_directive("file")) return file();
  if (lexer_.accept_directive("section")) return section();
  if (lexer_.accept_directive("alias")) return alias();
  if (lexer_.accept_directive("target")) return target();
  if (lexer_.accept_directive("pragma")) {
    lexer_.expect_string("the text of `.pragma`");
    lexer_.expect(';', "after `.pragma`");
    return;
  }
  if (lexer_.accept_directive("loc")) {
    location_line();
    return;
  }
  const Linkage link = linkage();
  if (lexer_.accept_directive("entry")) return function(true, link);
  if (lexer_.accept_directive("func")) return function(false, link);
  const std::optional<Space> space = lexer_.at_directive() ? space_named(lexer_.peek().text) : std::nullopt;
  if (!space || *space == Space::Param) {
    lexer_.fail(msg("expected a variable, a function or an entry here, found {}", shown(lexer_.peek())));
  }
  lexer_.take();
  variables(*space, link, true,
            [this](Variable made, const Token& name) { add_variable(std::move(made), name); });
}

Parser::Linkage Parser::linkage() {
  Linkage link;
  while (true) {
    if (lexer_.accept_directive("extern"))
      link.is_extern = true;
    else if (lexer_.accept_directive("visible") || lexer_.accept_directive("weak") ||
             lexer_.accept_directive("common"))
      link.is_visible = true;
    else
      return link;
  }
}

// `.file 1 "/a/b.cu"`, perhaps with time and size behind it. A header's name is what an #include made of it,
// "src/../include/tile.cuh": people read it without the way there and back.
void Parser::file() {
  const auto number = static_cast<int>(parse_count(lexer_, 1'000'000, "the number of a file"));
  const std::filesystem::path name = decoded_file_name(lexer_.expect_string("the path of a file"));
  module_.files[number] = name.lexically_normal().string();
  for (int more = 0; more < 2 && lexer_.accept(','); ++more) parse_number(lexer_);
}

// Debug data: `.section .debug_info { … }`. Nothing here needs it.
void Parser::section() {
  if (!lexer_.at_directive() && !lexer_.at_word())
    lexer_.fail(msg("expected the name of a section, found {}", shown(lexer_.peek())));
  const Token name = lexer_.take();
  if (!lexer_.at('{'))
    lexer_.fail(msg("expected '{{' after the name of a section, found {}", shown(lexer_.peek())));
  if (!lexer_.skip_past('}'))
    lexer_.fail(name, "this section never ends: expected '}' before the end of the text");
}

// `.alias new, old;`: the function gets a second name.
void Parser::alias() {
  constexpr std::size_t kMostAliases = 64;  // each is a copy
  const Token name = lexer_.expect_word("the new name of an alias");
  lexer_.expect(',', "between the two names of `.alias`");
  const Token old = lexer_.expect_word("the name that an alias stands for");
  lexer_.expect(';', "after `.alias`");
  const auto known = symbols_.find(std::string(old.text));
  if (known == symbols_.end() || !known->second.is_function)
    lexer_.fail(old, msg("there is no function {} above this alias", shown(old)));
  if (++aliases_ > kMostAliases) lexer_.fail(name, msg("a module may have {} aliases at most", kMostAliases));
  Function copy = module_.functions[known->second.index];
  instructions_ += copy.body.size();
  if (instructions_ > kMostInstructions) lexer_.fail(name, "the aliases make this module too large");
  copy.name = name.text;
  add_function(std::move(copy), name);
}

void Parser::function(bool is_entry, const Linkage& link) {
  Function made;
  made.is_entry = is_entry;
  made.is_visible = link.is_visible;
  if (lexer_.at_directive("attribute")) {
    Variable ignored;
    attributes(ignored);
  }
  std::vector<Token> names;
  if (!is_entry && lexer_.at('(')) made.returns = parameter_list(&names);
  const Token name = lexer_.expect_word(is_entry ? "the name of an entry" : "the name of a function");
  made.name = name.text;
  made.ptx_line = name.line;
  if (lexer_.at('(')) made.parameters = parameter_list(&names);
  performance_directives(made);
  if (lexer_.accept(';')) {
    made.is_declaration = true;
  } else {
    body(made, names);
  }
  add_function(std::move(made), name);
}

void Parser::performance_directives(Function& function) {
  while (lexer_.at_directive()) {
    const Token token = lexer_.take();
    if (!performance_directive(function, token.text)) {
      lexer_.fail(token, msg("expected the body of {}, found {}", shown(function.name), shown(token)));
    }
  }
}

bool Parser::performance_directive(Function& function, std::string_view name) {
  if (name == "maxntid" || name == "reqntid") {
    const auto counts = three_counts(name);
    if (name == "reqntid") std::copy(counts.begin(), counts.end(), function.required_threads);
    const std::uint64_t product = std::uint64_t{counts[0]} * counts[1] * counts[2];
    function.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, 0xffff'ffffu));
    return true;
  }
  if (name == "reqnctapercluster") {
    const auto counts = three_counts(name);
    std::copy(counts.begin(), counts.end(), function.required_cluster);
    return true;
  }
  if (name == "maxnctapersm") {
    three_counts(name);
    return true;
  }
  function.blocks_are_clusters |= name == "blocksareclusters";
  for (const std::string_view with_number :
       {"minnctapersm", "maxnreg", "maxclusterrank", "abi_preserve", "abi_preserve_control"}) {
    if (name == with_number) {
      parse_count(lexer_, 0xffff'ffffu, msg("{}", with_number));
      return true;
    }
  }
  if (name == "pragma") {
    lexer_.expect_string("the text of `.pragma`");
    lexer_.expect(';', "after `.pragma`");
    return true;
  }
  return name == "noreturn" || name == "explicitcluster" || name == "blocksareclusters";
}

// `256`, `16, 16` or `8, 8, 4`; what is missing is 1.
std::array<std::uint32_t, 3> Parser::three_counts(std::string_view name) {
  std::array<std::uint32_t, 3> counts{1, 1, 1};
  std::size_t given = 0;
  do {
    const Token token = lexer_.peek();
    counts[given] = static_cast<std::uint32_t>(parse_count(lexer_, 0x7fff'ffffu, msg("{}", name)));
    if (counts[given++] == 0) lexer_.fail(token, msg("`.{}` needs numbers from 1 on", name));
  } while (given < counts.size() && lexer_.accept(','));
  return counts;
}

// A function may be declared many times and defined once.
void Parser::add_function(Function function, const Token& name) {
  const auto [at, fresh] = symbols_.try_emplace(function.name, Symbol{true, module_.functions.size()});
  if (fresh) {
    module_.functions.push_back(std::move(function));
    return;
  }
  if (!at->second.is_function)
    lexer_.fail(name, msg("{} is declared twice: as a variable and as a function", shown(name)));
  Function& known = module_.functions[at->second.index];
  if (function.is_declaration) return;
  if (!known.is_declaration) {
    lexer_.fail(name, msg("the function {} is defined twice, first on line {}", shown(name), known.ptx_line));
  }
  known = std::move(function);
}

// A variable may be declared `.extern` many times and defined once.
void Parser::add_variable(Variable variable, const Token& name) {
  const auto [at, fresh] = symbols_.try_emplace(variable.name, Symbol{false, module_.variables.size()});
  if (fresh) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  if (at->second.is_function)
    lexer_.fail(name, msg("{} is declared twice: as a function and as a variable", shown(name)));
  Variable& known = module_.variables[at->second.index];
  if (variable.is_extern) return;
  if (!known.is_extern) {
    lexer_.fail(name, msg("the variable {} is defined twice, first on line {}", shown(name), known.ptx_line));
  }
  known = std::move(variable);
}

void Parser::check_symbols() const {
  for (const Token& used : used_symbols_) {
    if (!symbols_.contains(std::string(used.text))) {
      lexer_.fail(used, msg("nothing is named {}: no label of this function, no variable and no function",
                            shown(used)));
    }
  }
}

}  // namespace lab::sim::ptx
