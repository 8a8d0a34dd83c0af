// SPDX-License-Identifier: Apache-2.0

// Package lanes computes: every PTX instruction whose lanes do not see each other is,
// once its types are known, a loop over the 32 values of register slots.
//
// A Loop takes slots as untyped pointers and reads them as the type that the
// instruction gives them. LoopF32, RelationOf and their like choose the loop of an
// instruction. The frequent integer and floating-point loops exist in assembly, too
// (VectorOp), each with a twin in Go. Loops over arrays of any length (ElementOp) do so for
// host programs.
// Numbers that Go does not have (.f16, .bf16, .e4m3, .e5m2) and roundings that Go does
// not do are here as well.
//
// The package knows instructions and slots, and nothing of warps, memory or traces.
package lanes
