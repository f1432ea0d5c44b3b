// Mutant: one table has no finding
// judged by: 17_read_the_profiler
// fails: table-c
// code: finding-missing
// says: says nothing yet
#define lab_finding_table_c another_finding
#include "solutions/17_read_the_profiler/transpose.cu"
#undef lab_finding_table_c

FINDING_OF(table_c) = {.cause = kNotSaid};
