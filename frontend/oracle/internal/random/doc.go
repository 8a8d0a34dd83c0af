// SPDX-License-Identifier: Apache-2.0

// Package random writes random CUDA C kernels that mean the same on a GPU and
// on the host. Every value has one meaning in C++ with wrapping integers, so
// that whatever a compiler makes of a kernel must compute the same bits.
//
// What C leaves undefined or to the machine is kept out by construction. Shift
// amounts are masked, divisors are odd, conversions from floating point are
// range-checked. Array indices are masked, NaNs are made canonical before their
// bits are looked at, and loops are counted. A kernel is a function of its seed
// alone.
package random
