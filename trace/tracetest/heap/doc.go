// SPDX-License-Identifier: Apache-2.0

// Package heap lets the heap of a test binary grow to 128 MiB before garbage is collected. Tests import it for
// that effect. By default the first collection comes at 4 MiB, and tests of many short replays spend a quarter
// of their processor time on collections of heaps that small.
//
// Larger heaps are collected as in any program. All heaps are where GOGC is set, under the race detector, and in
// make whole and make nightly. So what a collection would break is still seen there.
package heap
