// SPDX-License-Identifier: Apache-2.0

// Package addresses writes the memory accesses of a trace as a plain stream, for
// cache and DRAM simulators and for spreadsheets.
//
// Order: launches, in each the thread blocks by linear id, in each the warps one
// after the other, in each the memory instructions as executed. Of one instruction
// the order is the segments (or lanes) from the lowest lane up. A trace knows no
// time, so nothing of different warps is interleaved.
package addresses
