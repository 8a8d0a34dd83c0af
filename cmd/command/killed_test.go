// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// A recording is killed between two launches: what is in whole chunks is saved, under
// the name that the trace was to have.
func TestKilledRecordingIsNamedAndRecovered(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "k.wtape")
	write(t, filepath.Join(dir, "k.ptx"), ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { ret; }\n")
	program := write(t, filepath.Join(dir, "k.star"), `def main(p):
    m = gpu.module("k.ptx")
    for i in range(3000): gpu.launch(m.k, 64, 32)
    print("ready")
    for i in range(1 << 40): pass
`)
	c := child(t, "", "record", program, "-o", out)
	started(t, c)
	time.Sleep(100 * time.Millisecond)
	c.Process.Kill()
	c.Wait()
	left := filepath.Join(dir, ".k.wtape.0.partial")
	before, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"replay", out, "--arch", "gtx480"}, {"trace", "verify", out}, {"trace", "recover", out, "-o", filepath.Join(dir, "r.wtape")}} {
		bad(t, commandline.ExitFailed, "warptape trace recover "+left+" -o "+out, args...)
	}
	good(t, "trace", "recover", left, "-o", out)
	good(t, "trace", "verify", out)
	if after, err := os.ReadFile(left); err != nil || string(after) != string(before) {
		t.Errorf("what was left has changed: %v", err)
	}
}
