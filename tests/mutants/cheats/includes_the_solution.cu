// Cheat: the solution is included
// judged by: 05_padding
// code: include-refused

#include "solutions/05_padding/transpose.cu"
