// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the vendor's compiler says of a kernel's registers bounds the thread blocks that an
// SM has, on the machine of the architecture that it was said of.
func TestReplaysTakeTheRegistersOfTheVendorsCompiler(t *testing.T) {
	tape, log := recordedTiny(t, "saxpy"), filepath.Join(t.TempDir(), "build.log")
	say := func(text string) {
		t.Helper()
		if err := os.WriteFile(log, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	say("ptxas info : Compiling entry function 'saxpy' for 'sm_75'\nptxas info : Used 200 registers, 380 bytes cmem[0]\n")
	table := good(t, "replay", tape, "--quiet", "--full", "--arch", "rtx2080ti+lowering(generation=turing)", "--registers", log)
	if !strings.Contains(table, "given(saxpy=200)") {
		t.Errorf("the registers are not in the machine's name:\n%s", table)
	}
	for _, c := range []struct {
		text, want string
		arguments  []string
	}{
		{"make: nothing to be done\n", "build.log: there is no \"ptxas info", nil},
		{"arch = sm_75\nResource usage:\n Function other:\n  REG:10 STACK:0\n", "nothing is said of saxpy on turing (sm_75); it tells of other on sm_75", nil},
		{"ptxas info : Used 12 registers\n", "build.log:1: a number of registers without", nil},
		{"", "CPU programs alone have no kernels", []string{"replay", "--cpu", "compression", "--arch", "gpsim-soc+cpu"}},
	} {
		say(c.text)
		arguments := c.arguments
		if arguments == nil {
			arguments = []string{"replay", tape, "--arch", "rtx2080ti+lowering(generation=turing)"}
		}
		if o := warptape(t, append(arguments, "--registers", log)...); o.code == 0 || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%q: code %d, %s, want %s", c.text, o.code, o.stderr, c.want)
		}
	}
}
