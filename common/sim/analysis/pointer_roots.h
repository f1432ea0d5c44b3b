// Where the pointers of a function come from: which parameters and which variables an address can be made of.
//
// Enters: a parsed function. Leaves: for each address of an access or a copy its roots. Flow is
// ignored: what a register holds anywhere counts everywhere. A 64-bit value from memory can be any pointer; a
// narrower one is an index. So an answer names all buffers that the access is meant for, or says that it does
// not know.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

struct PointerRoots {
  bool unknown = false;
  std::set<std::pair<std::string, std::int64_t>> parameters;  // of the entry: name, byte in it
  std::set<std::pair<std::string, std::int64_t>> factors;  // of these: multiplied by what a thread computes
  std::set<std::string> variables;                         // of module or function
  [[nodiscard]] bool known() const { return !unknown && !(parameters.empty() && variables.empty()); }
  bool join(const PointerRoots& other);  // true when it grew
};

// By operand: each address of ld, st, atom, red, of matrices and of asynchronous copies.
using RootsOfOperands = std::map<const ptx::Operand*, PointerRoots>;
[[nodiscard]] RootsOfOperands pointer_roots(const ptx::Function& function);

}  // namespace lab::sim
