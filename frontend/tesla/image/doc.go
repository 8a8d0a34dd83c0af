// SPDX-License-Identifier: Apache-2.0

// Package image is the kernel image that the configurable Tesla-like GPGPU loads before
// it starts (Lies 2019, section 4.5 and Table 4.3). It has words of 36 bits, written as
// hexadecimal numbers between white space. The upper four bits of a word say what the
// lower 32 are.
//
// The machine takes one word in a cycle, so loading lasts as many cycles as there are
// words before START.
package image
