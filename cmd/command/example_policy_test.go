// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
)

// Another module registers a warp scheduler and a prefetcher, and has the whole command
// with them: replays by their names, their words in messages, and a version that says so.
func TestAnotherModuleAddsAWarpSchedulerAndAPrefetcher(t *testing.T) {
	tracetest.Nightly(t)
	program := filepath.Join(t.TempDir(), "youngest")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "..", "docs", "example-policy")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	say := func(want string, args ...string) {
		t.Helper()
		out, _ := exec.Command(program, args...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%v: want %q, got\n%s", args, want, out)
		}
	}
	bfs := filepath.Join("..", "..", "traces", "recorded", "bfs.wtape")
	say("gtx480+set(sm.scheduler=youngest)", "replay", bfs, "--arch", "gtx480", "--arch", "gtx480+set(sm.scheduler=youngest)", "--quiet")
	say("did you mean youngest?", "replay", bfs, "--arch", "gtx480+set(sm.scheduler=youngst)")
	say("gtx480+set(l1.prefetcher=backward(degree=2))", "replay", bfs, "--arch", "gtx480", "--arch", "gtx480+set(l1.prefetcher=backward(degree=2))", "--quiet")
	say("degree: 9 is out of range, expected lines, 1..8", "replay", bfs, "--arch", "gtx480+set(l1.prefetcher=backward(degree=9))")
	say("in example.org/youngest", "--version")
}
