// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	_ "embed"
	"encoding/binary"
	"regexp"
)

// Work-items of an OpenCL kernel: groups of items that read and write words of
// 32 bits.
const (
	OpenCLGroups = 2
	OpenCLItems  = 64
	OpenCLWords  = 16
)

// OpenCLLevels are the levels of optimisation of the committed PTX.
var OpenCLLevels = []string{"O0", "O2"}

// OpenCLInput makes the words of all work-items out of words of 64 bits, which
// input makes from a seed; those are their high and their low halves.
func OpenCLInput(input func(seed uint64, threads int) []uint64) []byte {
	const words = OpenCLGroups * OpenCLItems * OpenCLWords
	var b []byte
	for _, w := range input(100, words)[:words] {
		if len(b)%8 == 4 {
			w >>= 32 // the high halves of small numbers are zero
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(w))
	}
	return b
}

// OpenCLSource is the text of the OpenCL kernels.
//
//go:embed opencl/kernels.cl
var OpenCLSource string

// OpenCLKernels are the names of the kernels, in the order of the text.
func OpenCLKernels() []string {
	var names []string
	for _, match := range regexp.MustCompile(`__kernel void (\w+)`).FindAllStringSubmatch(OpenCLSource, -1) {
		names = append(names, match[1])
	}
	return names
}
