// SPDX-License-Identifier: Apache-2.0

// Package array gives Starlark programs typed arrays with whole-array
// arithmetic, so that a host program can make inputs and compute references
// for millions of elements without a loop.
//
// The element types are the machine's (f32, f64, i8 ... u64) and arithmetic is
// theirs: integers wrap, f32 rounds after every operation. Mixing types is an
// error; a plain Starlark number takes the type of the array it meets. All
// results are the same on every host.
package array
