// SPDX-License-Identifier: Apache-2.0

//go:build amd64 && !purego

package lanes

import "golang.org/x/sys/cpu"

// hostVectors finds the best set that the processor has. GODEBUG=cpu.avx512f=off
// and cpu.avx2=off take one away; the build tag purego leaves all assembly out.
func hostVectors() vectorSet {
	sets := availableVectors()
	if len(sets) == 0 {
		return vectorSet{}
	}
	return sets[len(sets)-1]
}

// availableVectors are the sets that the processor can run, the best one last.
func availableVectors() []vectorSet {
	var sets []vectorSet
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, vectorsAVX2)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
		sets = append(sets, vectorsAVX512)
	}
	return sets
}
