// SPDX-License-Identifier: Apache-2.0

// Package nativecoexecutor runs kernels on a CUDA device in the place of the interpreter,
// behind the contract of package coexecution, as §3.2.1 of the GPSim thesis has it. The
// kernel is contaminated (package contamination) and loaded through the driver, and its
// log tells what each thread did.
//
// Straight through, a launch runs some thread blocks at a time on the device, to their end.
// Then the emulator's scheduler asks for each visit of a warp what the lanes did there, and
// gets it from the lanes' own sequences in the log. So the visits are those of post-dominator
// reconvergence, whatever lanes the device ran together.
//
// By segments, each visit is a launch of its own that runs one basic block for the lanes of
// one warp. The scheduler waits at barriers in the device's place.
//
// Device memory is that of the emulator: what the host has written goes to the device before
// a launch, and all of it comes back after.
package nativecoexecutor
