// Catches a program that uses a device pointer on the host.
//
// Enters: a signal. Leaves: a sentence on standard error, then the signal as if it had not been caught.
#pragma once

namespace lab::cudart {

// Reserves the device's addresses, so that nothing of the host ever lies there, and watches for accesses.
void guard_device_addresses();

}  // namespace lab::cudart
