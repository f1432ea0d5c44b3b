// Mutant: a cause that its table does not show
// judged by: 17_read_the_profiler
// fails: table-b
// code: finding-wrong
// says: something else
#define lab_finding_table_b another_finding
#include "solutions/17_read_the_profiler/transpose.cu"
#undef lab_finding_table_b

FINDING_OF(table_b) = {.line = 'f', .cause = kBankConflicts};
