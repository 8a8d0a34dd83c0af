// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"strings"
	"testing"
)

func TestKernelsAreGivenRegisters(t *testing.T) {
	m, err := Load("v100+set(gpu.kernel_registers=given(_Z1kPf=62,scale=20))")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Load("v100")
	if err != nil {
		t.Fatal(err)
	}
	if n := m.GPU.RegistersOf("_Z1kPf"); n != 62 {
		t.Errorf("_Z1kPf: %d", n)
	}
	if m.GPU.RegistersOf("other") != 0 || plain.GPU.RegistersOf("scale") != 0 {
		t.Error("a kernel that is not named has registers")
	}
	for value, want := range map[string]string{
		"given(k)":         `expected KERNEL=NUMBER, found "k"`,
		"given(k=0)":       `k: a thread has 1 to 1024 registers, not "0"`,
		"given(k=1025)":    `not "1025"`,
		"given(k=many)":    `not "many"`,
		"given(k=1,k=2)":   "k is given twice",
		"vendor(k=1)":      "write none, or given(KERNEL=NUMBER,...)",
		"given(k=1,l=2,m)": `found "m"`,
	} {
		if _, err := Load("v100+set(gpu.kernel_registers=" + value + ")"); err == nil || !strings.Contains(err.Error(), "gpu.kernel_registers: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}
