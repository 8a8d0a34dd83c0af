// SPDX-License-Identifier: Apache-2.0

package launchfile

import (
	"fmt"
	"strings"

	"github.com/warptape/warptape/frontend/ptx"
)

// Template is a launch file for a kernel, to be filled in: sizes are examples.
func Template(k *ptx.Kernel, triton *Triton) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# How to launch the kernel %s of %s; change the sizes and values.\nkernel: %q\ngrid: 64\n", k.Name, k.Module.File, k.Name)
	params := k.Params
	switch {
	case triton != nil:
		fmt.Fprintf(&b, "# Triton gives a block of %d threads and %d bytes of shared memory.\n", triton.Warps*warpSize, triton.Shared)
	case k.RequiredThreads != [3]uint32{}:
	case k.MaxThreads > 0:
		fmt.Fprintf(&b, "block: %d\n", k.MaxThreads)
	default:
		b.WriteString("block: 128\n")
	}
	if triton == nil {
		b.WriteString("# shared: 16KiB   dynamic shared memory\n")
	}
	b.WriteString("# launches: 2\n")
	if len(params) == 0 {
		return b.String()
	}
	b.WriteString("arguments:\n")
	for _, p := range params {
		fmt.Fprintf(&b, "  # .%s %s\n", p.Type, p.Name)
		switch n := int(p.Bytes) / max(1, p.Type.Bytes()); {
		case n > 1:
			fmt.Fprintf(&b, "  - value: [%s]\n", strings.TrimSuffix(strings.Repeat("0, ", n), ", "))
		case p.Bytes == 8 && !p.Type.Float() && !p.Type.Signed():
			fmt.Fprintf(&b, "  - buffer: {name: %q, type: f32, elements: 8192, fill: random}\n", p.Name)
		case p.Type.Float():
			b.WriteString("  - value: 1.0\n")
		default:
			b.WriteString("  - value: 1\n")
		}
	}
	b.WriteString("# expect:\n#   - {buffer: NAME, file: want.npy, rel: 1.0e-6}\n")
	return b.String()
}
