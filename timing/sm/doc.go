// SPDX-License-Identifier: Apache-2.0

// Package sm is the baseline streaming multiprocessor: the core of kind "simt".
//
// SM is the back end. It is composed of stages, each a type with its own state and
// tests, which others reach by its methods alone:
//
//	          residency: thread blocks and their warp slots
//	              │ Place                         ▲ last result, last store
//	              ▼                               │
//	fetch ─▶ instruction buffers ─▶ waiting ─▶ issue (FrontEnd, or a mechanism's)
//	  ▲ line      decode            lists of      │
//	  │                             what each     ├─▶ operand read ─▶ units ─▶ wheel ─┐
//	memory port                     warp lacks    │   fixed time, or  initiation      │ write-back
//	  ▲                              ▲  ▲  ▲      │   collectors and  intervals       │
//	  │                              │  │  │      │   register banks                  │
//	  └──── load/store queue ◀───────┼──┼──┼──────┤                                   │
//	        tokens, bulk copies ─────┘  │  │      └─▶ barriers, fences                │
//	                                    │  └───────────── scoreboard ◀────────────────┘
//	                                    └─ barriers open
//
// The stages are:
//
//   - package residency: which thread blocks are here, what they occupy, and for how long;
//   - package fetch: which warps want instructions, lines under way, instruction buffers;
//   - package waiting: the list of what it waits for that each warp is on, and the cause to
//     which a lost issue slot is charged;
//   - package scoreboard: registers yet to be written by units or loads, or to be read (RAW,
//     WAW and WAR hazards);
//   - package operand: collectors that compete for register banks, where the machine has them;
//   - package units: functional units, initiation intervals, result buses, and the pool of
//     collectors of machines that read operands in a fixed time;
//   - package loadstore: memory instructions on their way to the port, loads in flight, bulk
//     copies that warps wait for;
//   - package barrier: what has arrived at a thread block's barriers, and which accesses they
//     separate;
//   - package wheel: what happens in cycles that are known beforehand.
//
// SM itself has the paths of warps (warp.go, path.go), issues, and hands on what happens in
// one stage to those that it concerns. FrontEnd is the baseline front end: round-robin
// fetch, and schedulers that issue. Another front end (one that drives several SMs, say)
// uses the SM through the same methods.
//
// What a front end of its own, or a mechanism, may do beyond that is in hooks, each a value
// of a few methods that its file documents. A user of one takes it from the SM (Of) when
// the machine is built, and has nothing of the others:
//
//   - SideUnits (sideunits.go): execute instructions on units next to the SM's;
//   - Assistance (assistant.go): add rules to the scoreboard, and run a warp of one's own
//     next to those of the thread blocks; an Assistant is asked and hears of the warps;
//   - Lockstep (lockstep.go): issue the same instructions to several SMs in the same cycles;
//     a Companion hears of loads and thread blocks that end;
//   - Rendezvous (rendezvous.go): stop warps of several SMs until they meet again.
//
// Mechanisms outside of the core need none of these: they stand on the memory path, in
// dispatch, divergence or offload (package seam).
//
// Nothing idle is ticked. Each warp is on exactly one list; an event (issue, write-back,
// decoded instructions, a completed load, a released barrier) moves it. A cycle without
// an issue costs nothing but the sum of its stall cause: the SM sleeps until the
// next event and charges the slots in one step.
//
// The order within a core cycle is: memory port, write-backs and decoded
// instructions, load-store queue or collectors, fetch, issue. A value written back in a cycle
// can be read by an instruction issued in it; an instruction fetched in a cycle
// issues in the next at the earliest.
package sm
