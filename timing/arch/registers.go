// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"strconv"
	"strings"
)

// maxKernelRegisters is the most registers that a thread may be given.
const maxKernelRegisters = 1024

// GivesRegisters reports whether the machine says how many registers threads of some
// kernels have.
func (g *GPU) GivesRegisters() bool { return g.KernelRegisters != "" && g.KernelRegisters != "none" }

// RegistersOf is how many registers the machine gives a thread of a kernel; zero when it
// says nothing of it.
func (g *GPU) RegistersOf(kernel string) int {
	if !g.GivesRegisters() {
		return 0
	}
	list, _ := parseRegisters(g.KernelRegisters)
	return list[kernel]
}

// parseRegisters reads the value of gpu.kernel_registers.
func parseRegisters(value string) (map[string]int, error) {
	inside, found := strings.CutPrefix(value, "given(")
	inside, closed := strings.CutSuffix(inside, ")")
	if !found || !closed {
		return nil, fmt.Errorf("%q: write none, or given(KERNEL=NUMBER,...)", value)
	}
	list := map[string]int{}
	for item := range strings.SplitSeq(inside, ",") {
		kernel, text, ok := strings.Cut(item, "=")
		kernel = strings.TrimSpace(kernel)
		n, err := strconv.Atoi(strings.TrimSpace(text))
		switch {
		case !ok || kernel == "":
			return nil, fmt.Errorf("expected KERNEL=NUMBER, found %q", item)
		case err != nil || n < 1 || n > maxKernelRegisters:
			return nil, fmt.Errorf("%s: a thread has 1 to %d registers, not %q", kernel, maxKernelRegisters, strings.TrimSpace(text))
		case list[kernel] > 0:
			return nil, fmt.Errorf("%s is given twice", kernel)
		}
		list[kernel] = n
	}
	return list, nil
}

// checkRegisters checks gpu.kernel_registers.
func (c *checker) checkRegisters() {
	if !c.m.GPU.GivesRegisters() {
		return
	}
	if _, err := parseRegisters(c.m.GPU.KernelRegisters); err != nil {
		c.add(c.latest("gpu.kernel_registers"), "gpu.kernel_registers: %v", err)
	}
}
