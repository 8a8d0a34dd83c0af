// SPDX-License-Identifier: Apache-2.0

// Package soc is the chip of the GPSim thesis (chapter 4) on which CPU cores and
// the SMs of a GPU share a last-level cache and a TLB. It has FuseTLB and its four
// rivals (Table 4.3).
//
// It plugs into the memory path between the SMs' L2 and the last-level cache. What
// the L2 misses and writes back carries virtual addresses (section 4.4.1). A TLB
// in front of the last-level cache translates it (4.4.3). It is looked up there as
// the misses of the cores' private caches are. A miss of the TLB is an exception
// that a core executes (4.4.6). Lines of the SMs are written back and dropped when
// their kernel ends, when a core touches their page, and when the TLB drops it
// (4.4.4, 4.4.5). So are all lines of an SM's L1 before its atomics and at its
// memory fences (4.4.4).
//
// Addresses. What a trace says is global memory, and the host's arrays, are one
// address space (spaceProcess), the windows of SMs another (spaceSM). Device and
// host buffers are laid out anew, each from a page's start on, as the runtime of a
// chip with shared pages must; see layout. Copies are executed by a core as loads
// and stores, or elided by letting both buffers lie in the same frames.
package soc
