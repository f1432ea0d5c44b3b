// Mutant: the kernel is fixed, and another cause is named
// judged by: 18_bugs_in_the_wild
// fails: page-1
// code: finding-wrong
// says: something else
#define lab_finding_bug_1 another_finding
#include "solutions/18_bugs_in_the_wild/transpose.cu"
#undef lab_finding_bug_1

FINDING_OF(bug_1) = {.line = 'e', .cause = kBarrierInBranch};
