// The pictures of the lessons, each a function of nothing: what they show follows from the rules of
// common/sim and from common/kernel/swizzle.cuh, and so do the numbers in them.
//
// Leaves: the text of one SVG file.
#pragma once

#include <string>

namespace lab::pictures {

// pictures_global.cpp: lanes and sectors
std::string naive();       // 01
std::string coalescing();  // 02
std::string float4();      // 03
std::string any_matrix();  // 09

// pictures_shared.cpp: lanes and banks
std::string shared_tile();         // 04
std::string padding();             // 05
std::string xor_swizzle();         // 06
std::string swizzle_formula();     // 07
std::string vectorized_swizzle();  // 08

// pictures_order.cpp: blocks and pages
std::string block_order();  // 08

// pictures_types.cpp: bytes and registers
std::string narrow_types();  // 10

// pictures_on_hopper.cpp: what Hopper's engines lay where
std::string hardware_swizzle();  // 12
std::string which_elements();    // 12
std::string pairs_of_groups();   // 12
std::string matrix_lanes();      // 13
std::string two_blocks();        // 14

// pictures_time.cpp: one thread, step by step
std::string async_copy();  // 11

// pictures_lanes.cpp: which threads act
std::string reduction();  // 17

// pictures_links.cpp: two GPUs and what goes between them
std::string by_turns();  // 16

// pictures_sectors.cpp: shares of blocks and sectors
std::string whole_sectors();  // 15

}  // namespace lab::pictures
