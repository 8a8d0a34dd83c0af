// SPDX-License-Identifier: Apache-2.0

// Package coexecution is the contract between the scheduler and the coexecutors of
// segments.
//
// It keeps the split of §3.2 of the GPSim thesis. A Coexecutor runs one segment for one
// warp over all its active lanes and hands back a Record of what happened. The
// scheduler owns thread blocks, warps, barriers, reconvergence and exit, and pieces the
// trace together from the records. Another coexecutor can take the interpreter's place
// behind the same contract.
//
// What both look at is here, too. It is the state of a launch (LaunchState) and of a
// thread block (BlockState), and faults. The footprint of thread blocks that run at
// the same time and the checker of races belong to it.
package coexecution
