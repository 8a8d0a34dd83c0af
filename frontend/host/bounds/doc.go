// SPDX-License-Identifier: Apache-2.0

// Package bounds keeps Starlark programs from taking more memory or stack than they
// may. The interpreter counts steps, but one step can repeat a list a billion times,
// print a value a million levels deep, or sort a range that never ends.
//
// Three things work together. Operators, calls and methods that can make much of
// little go through functions that look at their operands first. Rewrite changes the
// program's syntax tree so. Universe replaces the interpreter's own functions. What can
// at most double something is left alone, and a Budget watches the process's memory
// instead, several times while one such step runs. What neither foresees, a Budget
// reports as Stuck, so that the caller need not wait for ever.
package bounds
