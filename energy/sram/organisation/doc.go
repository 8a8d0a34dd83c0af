// SPDX-License-Identifier: Apache-2.0

// Package organisation computes caches and RAMs as CACTI 7 does. It enumerates how often
// an array is cut along and across its word lines, and how far columns are multiplexed.
// It computes each organisation's delay, energy, leakage and area, and takes the one
// with the least energy times squared delay.
//
// Two technical reports describe the circuits: Thoziyoor et al., CACTI 5.1 (HPL-2008-20),
// and Muralimanohar et al., CACTI 6.0 (HPL-2009-85). What the reports leave open follows the
// sources of CACTI 7 (github.com/HewlettPackard/cacti, 1ffd8df), which gave the grid of
// package sram. Device and wire values are its ITRS tables.
//
// Conversions to float64 round products, so that no processor fuses one with a sum. A function that
// the compiler inlines needs them as well as a sum does.
//
// The device tables are for 360 K. Repeated wires are those that take 30 % longer than the
// fastest, lines are semi-global, and the projection is the conservative one.
//
// What was expected before the first comparison with the grid: caches and RAMs of four
// nodes within 0.1 % in all six quantities, on every point without a caution. The search
// has no fitted value, so all such points are points that it has not seen. Points with a
// caution come from a build with fewer rows to a subarray, which is one more setting here;
// half of them or more were to agree. No CAM and no fully associative structure was to be
// covered. Downstream, no machine was to change by more than a fifth in any structure:
// what the grid has is given as before, and the estimates between were right to 5 % on average.
//
// What was found: all points of both kinds agree to the digits of the grid, those with a
// caution too, once written data pay for the tree of a read. The last expectation was wrong.
// Interpolation had missed single structures by up to a factor of two. On gtx480 a read of the texture
// cache's tags takes 1.85 times as much, and a write of L2 1.43 times. The areas of the affine paper's
// stacks double, and those of first-level caches and shared memory of cards grow by 1.2 to 1.7.
package organisation
