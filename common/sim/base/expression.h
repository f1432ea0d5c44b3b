// Expressions with C's binary operators: the one parser of PTX's constants, of formulas of a tile and of the
// numbers in lessons.
//
// Enters: a grammar, which knows its tokens and its values. Leaves: the value of what stands there. The
// grammar says what an operand is (numbers, names, signs, brackets) and has:
//
//     Value operand();                            // reads one
//     Operator peek_operator();                   // what stands next; of level 0 when it is none
//     void take_operator(const Operator&);        // passes it
//     static int level(const Operator&);          // level_of its character
//     Value combine(const Operator&, Value left, Value right);
#pragma once

#include <utility>

namespace lab::sim {

// How strongly an operator binds, as in C; 0 for what is none. '<' stands for <<, '>' for >>.
constexpr int level_of(char op) {
  switch (op) {
    case '|':
      return 1;
    case '^':
      return 2;
    case '&':
      return 3;
    case '<':
    case '>':
      return 4;
    case '+':
    case '-':
      return 5;
    case '*':
    case '/':
    case '%':
      return 6;
    default:
      return 0;
  }
}
inline constexpr int kLowestLevel = 1;

// Operators of at least the level `lowest`; those of one level from left to right.
template <typename Grammar>
auto parse_expression(Grammar& grammar, int lowest) -> decltype(grammar.operand()) {
  auto left = grammar.operand();
  while (true) {
    const auto op = grammar.peek_operator();
    const int level = Grammar::level(op);
    if (level < lowest) return left;
    grammar.take_operator(op);
    auto right = parse_expression(grammar, level + 1);
    left = grammar.combine(op, std::move(left), std::move(right));
  }
}

}  // namespace lab::sim
