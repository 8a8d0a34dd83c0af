// SPDX-License-Identifier: Apache-2.0

// Package core says what a machine knows of its cores, whatever they execute.
//
// A core takes thread blocks, runs them in core cycles, and reaches memory through
// its entry of the memory path (seam.Entry). Front ends drive cores: each Driver
// fetches and issues for one or several of them. Dispatch, the binding of launches
// to cores, counters by instruction, the watchdog and the checks at the end of a
// launch need nothing else, so they serve every kind.
//
// A kind of core is a word of the architecture's gpu.core (Kinds). It brings its
// cores, its compiler from recorded kernels to programs, the occupancy of a launch,
// and the front ends that the cores have without mechanisms. Package sm is the
// kind "simt".
package core
