// SPDX-License-Identifier: Apache-2.0

// Package contamination rewrites PTX so that it writes its own trace, as §3.2.2 of the
// GPSim thesis describes. The text stays PTX that any driver loads. What is added logs
// which basic blocks each thread executes, the guards of its instructions and the
// addresses that it accesses.
//
// Rewrite inserts text. It also changes the names of special registers that tell a thread
// block's place and, on request, of global variables. It raises .version and .target to
// what the inserted text needs. Straight through, all that it adds is straight code with
// predicates: the kernel's control flow stays what it was. By segments it adds an entry
// switch and a boundary before each segment, and leaves barriers to the host. Segments are
// those of package contaminator.
//
// A Log has what one warp wrote, by records (see Kind). Each record has the lanes that
// wrote it together. The GPU decides which lanes run together, so nothing is read into the
// order of records of different lanes. Only each lane's own sequence counts: from it the
// emulator's scheduler rebuilds the visits under post-dominator reconvergence.
package contamination
