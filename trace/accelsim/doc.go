// SPDX-License-Identifier: Apache-2.0

// Package accelsim converts traces to and from the SASS trace files of Accel-Sim
// (a kernelslist.g and one .traceg file per launch; tracer versions 3 to 6).
//
// Export maps PTX to SASS-like opcodes one to one (see Opcode), since a trace is
// recorded at the level of PTX: counts of instructions are those of PTX. What the
// files cannot hold is lost: host events but copies to the device, arguments,
// source text, control flow, predicates, more than one destination or four
// sources. A guarded exit shows the lanes that leave.
//
// Import makes every instruction a basic block of its own, because the files say
// nothing of control flow. Successors are those that lanes were seen to take, and
// post-dominators are unknown. An instruction that was executed with no lane, or
// first by a part of the warp, becomes a guarded one.
package accelsim
