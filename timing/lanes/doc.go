// SPDX-License-Identifier: Apache-2.0

// Package lanes replays the threads of a CPU program on the lanes of EESI (GPSim
// thesis, section 6.3.4). The grouping of lanes is off. Each is an in-order core of its
// own with one thread, the tiny instruction cache, the tinyCache and the register file
// of its lane. What 32 lanes share, the instruction cache and the L1 of an SM, they
// share here too. L2, last-level cache and memory are the machine's.
//
// The tinyCaches are incoherent. A lane's stores stay in its own until it orders its
// accesses, with a fence, a lock, a barrier or an atomic access, or until another line needs
// the place. Then they are written back to the L1, which is coherent. A lane that orders its
// accesses also drops everything in its tinyCache, so that it sees what others have written
// back.
//
// The parts of this package are a lane (lane.go, issue.go), its order of
// accesses (order.go) and caches (tiny.go). Then come an SM's caches (sm.go,
// code.go), what lies behind them (behind.go), and the chip that runs them
// (chip.go, run.go).
package lanes
