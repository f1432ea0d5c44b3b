// What a student says is wrong with a kernel: FINDING_OF(entry), SEAT; and what a kernel computes:
// TASK_OF(entry).
//
// Enters: a kernel file of the chapters 17 and 18. Leaves: constants in the compiled module, which the checks
// read before they run anything: what is named after the run is no finding.
//
//     FINDING_OF(bug_3) = {.line = 'c', .cause = kMissingBarrier};  // the letter behind the line
#pragma once

#include "findings.h"
#include "task_kind.h"

using enum lab::Cause;
using enum lab::TaskKind;

#define FINDING_OF(ENTRY) extern "C" __constant__ const lab::Finding lab_finding_##ENTRY
// What the kernel computes, where that is no transpose.
#define TASK_OF(ENTRY) extern "C" __constant__ const lab::TaskKind lab_task_##ENTRY
// Any number, such as the one of your seat: it decides which table is which (chapter 17).
#define SEAT extern "C" __constant__ const int lab_seat
