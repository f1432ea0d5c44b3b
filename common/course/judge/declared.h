// What a kernel file's text declares about its tiles: the one thing that PTX does not keep.
//
// Enters: the text of a kernel file. Leaves: its __shared__ arrays with the extents that can be worked out
// (numbers, constants of the file, + - * / << and brackets). Nothing is guessed: an array whose extents hang
// on a template or a macro with parameters is not in the list. Where functions declare a name differently,
// all are: the compiler's name and the array's size say which one it is.
#pragma once

#include <cstdint>
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
