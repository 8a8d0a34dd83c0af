// SPDX-License-Identifier: Apache-2.0

// Package cursor goes through a trace from the first to the last thread block, and from
// the first to the last instruction of its CPU threads.
package cursor
