// What a kernel file's text declares about its tiles: the one thing that PTX does not keep.
//
// Enters: the text of a kernel file. Leaves: its __shared__ arrays with the extents that can be worked out
// (numbers, constants of the file, + - * / << and brackets). Nothing is guessed: an array whose extents hang
// on a template or a macro with parameters is not in the list. Where functions declare a name differently,
// all are: the compiler's name and the array's size say which one it is.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/sim/base/fault.h"
#include "common/sim/base/kernel_name.h"
#include "common/sim/observe/place_text.h"

namespace lab::judge {

struct DeclaredArray {
  std::string name, function;          // function: that declares it, "" outside of all
  std::vector<std::uint32_t> extents;  // [32][33]: 32, 33
  unsigned components = 1;             // of an element: float4 has 4
  bool by_index = true;                // every use names all indices: no use counts on the length of a row
};

[[nodiscard]] std::vector<DeclaredArray> declared_arrays(const std::string& source);
// The arrays of a file as the compiler named it; none when it is no kernel file, or is gone.
[[nodiscard]] std::vector<DeclaredArray> declared_in(const std::string& file);

// The text of such a file; "" likewise.
[[nodiscard]] std::string kernel_text(const std::string& file);
// One line of a text, without its end; "" behind the last.
[[nodiscard]] std::string line_of(const std::string& source, int line);

// The innermost loops that hold these lines: where each begins.
[[nodiscard]] std::set<int> loops_around(const std::string& source, const std::set<int>& lines);

// The comparisons that decide whether these lines are reached: an `if` around one of them, or one that leaves
// the block above it.
[[nodiscard]] std::set<int> guards_of(const std::string& source, const std::set<int>& lines);

// Lines of this function that give a value to what this line names, and to what those name; no loops.
[[nodiscard]] std::set<int> definitions_of(const std::string& source, int line);
// The branches that hold this line; where a condition is a name, the line that declares it, too.
[[nodiscard]] std::set<int> branches_around(const std::string& source, int line);

// Lines that compute what small functions of the file give back which these lines call, or which those call.
[[nodiscard]] std::set<int> helpers_of(const std::string& source, std::set<int> lines);

// Where a function is left before its barrier, of the block or the cluster: who leaves there never comes to
// it. Lines; 0: nowhere.
struct EarlyReturn {
  int line = 0, barrier_line = 0;
};
// By the text alone: a `return` behind a comparison, as `if (row >= rows) return;`.
[[nodiscard]] EarlyReturn return_before_barrier(const std::string& source);
// The way out of threads that left while others waited at this barrier: the last `return` above it, or,
// round a loop, the first below it.
[[nodiscard]] EarlyReturn return_past_barrier(const std::string& source, int barrier_line);
// The only `return` of the function that has this line; 0: it has none, or several.
[[nodiscard]] int only_return_beside(const std::string& source, int line);

// A variable in a block's shared memory; extents and element as the source declares them, where that is
// known.
struct SharedArray {
  SharedArray() = default;
  SharedArray(const std::string& symbol, std::uint32_t offset, std::uint32_t size)
      : name(sim::short_name(symbol)),
        function(sim::function_of(symbol)),
        offset_bytes(offset),
        size_bytes(size) {}
  std::string name, function;  // as the source has them, not the compiler's symbol
  std::uint32_t offset_bytes = 0, size_bytes = 0;
  std::vector<std::uint32_t> extents = {};
  std::uint32_t elem_bytes = 0;  // 0: not known
  unsigned components = 1;       // of an element
  bool by_index = false;
  [[nodiscard]] std::uint32_t row_bytes() const {  // 0: not known, or no rows
    return elem_bytes != 0 && extents.size() == 2 ? extents.back() * elem_bytes : 0;
  }
  [[nodiscard]] bool holds(std::uint64_t offset) const {
    return offset >= offset_bytes && offset - offset_bytes < size_bytes;
  }
};

// Fills in what `declared` knows of the array: of the declarations of its name that fit its size, that of its
// function, or the only one.
void take_declaration(SharedArray& array, const std::vector<DeclaredArray>& declared);

// "tile[1][0]": the element at so many bytes from the array's start; "" when that is not known. With its
// component, "tile[1][0].y", where that is wanted and it has some.
[[nodiscard]] std::string element_at(const SharedArray& array, std::uint64_t bytes, bool component = false);

// Names the elements of the places in these arrays: "`tile` + 128 bytes" becomes "`tile[1][0]`".
void name_elements(Message& message, const std::vector<SharedArray>& arrays);

}  // namespace lab::judge
