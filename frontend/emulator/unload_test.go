// SPDX-License-Identifier: Apache-2.0

package emulator

import "testing"

// A module that is unloaded leaves no bytes in use: neither its constants nor its global variables. An access to what it
// had is one to a buffer that was freed.
func TestAnUnloadedModuleLeavesNothing(t *testing.T) {
	d := NewDevice(Options{})
	m := parse(t, "k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 c[60000];\n.global .align 4 .b8 g[4096];\n.const .align 4 .b32 last = 7;\n.entry k() { ret; }\n")
	global, constant := d.Global.Used(), d.Constant.Used()
	for n := range 3 {
		loaded, err := d.LoadModule(m)
		if err != nil {
			t.Fatalf("load %d: %v", n, err)
		}
		if g, c := d.Global.Used()-global, d.Constant.Used()-constant; g != 4096 || c != 60004 {
			t.Errorf("load %d: %d bytes of global and %d of constant variables", n, g, c)
		}
		variables := loaded.Variables()
		if len(variables) != 3 {
			t.Errorf("load %d: variables at %#x", n, variables)
		}
		if err := loaded.Unload(); err != nil {
			t.Errorf("load %d: %v", n, err)
		}
		if g, c := d.Global.Used()-global, d.Constant.Used()-constant; g != 0 || c != 0 {
			t.Errorf("load %d: %d bytes of global and %d of constant variables are left", n, g, c)
		}
		for _, at := range variables {
			if d.Global.Find(at, 1) != nil || d.Constant.Find(at, 1) != nil {
				t.Errorf("load %d: there is still a variable at %#x", n, at)
			}
		}
	}
}
