// SPDX-License-Identifier: Apache-2.0

package clang

// Vectors are options of device code without which LLVM makes vectors of scalars by itself. Its back end for PTX
// before release 20 loads a vector of 16 bytes by one instruction, whatever the vector's alignment is
// (PerformLOADCombine): of bytes that a thread loads from an odd address that is a fault. nvcc
// makes none either. They stand behind the level of optimisation, which turns vectors on.
var Vectors = []string{"-fno-slp-vectorize"}
