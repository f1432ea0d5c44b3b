// Mutant: the answers of seat 0, handed in from seat 1
// judged by: 17_read_the_profiler
// fails: table-a
// code: finding-wrong
#define lab_seat another_seat
#include "solutions/17_read_the_profiler/transpose.cu"
#undef lab_seat

SEAT = 1;
