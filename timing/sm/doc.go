// Package sm is the baseline streaming multiprocessor.
//
// SM is the back end: warps and their instruction buffers, the scoreboard,
// operand read, functional units, the way into the memory path, barriers,
// fences, and the resources that thread blocks occupy. FrontEnd is the baseline
// front end: round-robin fetch, and schedulers that issue. Another front end (one
// that drives several SMs, say) uses the SM through the same methods.
//
// Nothing idle is ticked. Each warp is on exactly one list, a bit mask over warp
// slots, that says what it waits for; an event (issue, write-back, decoded
// instructions, a completed load, a released barrier) moves it. A cycle without
// an issue costs nothing but the sum of its stall cause: the SM sleeps until the
// next event and charges the slots in one step.
//
// Operands are read in a fixed time after issue, from a pool of collectors, or, on
// machines that describe sets of them, through an arbiter of the register banks
// (type collectors), which is ticked only while something in it can move.
//
// The order within a core cycle is: memory port, write-backs and decoded
// instructions, load-store queue or collectors, fetch, issue. A value written back in a cycle
// can be read by an instruction issued in it; an instruction fetched in a cycle
// issues in the next at the earliest.
package sm
