// SPDX-License-Identifier: Apache-2.0

//go:build amd64 && !purego

package lanevector

import "golang.org/x/sys/cpu"

// available reports whether the processor runs the loops in assembly. GODEBUG=cpu.avx2=off
// takes them away; the build tag purego leaves them out.
var available = cpu.X86.HasAVX2

// availableBits reports the same of the loops on single numbers.
var availableBits = cpu.X86.HasBMI2
