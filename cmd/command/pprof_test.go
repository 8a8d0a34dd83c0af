// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/tracetest"
)

func TestPprofOpensInGoToolPprof(t *testing.T) {
	tracetest.Nightly(t)
	trace := recordedTiny(t, "sgemm")
	path := filepath.Join(t.TempDir(), "sgemm.pb.gz")
	good(t, "replay", trace, "--arch", "gtx480", "--pprof", path)
	for index, want := range map[string]string{"stall_total": "sgemm", "memory": "sgemm.ptx:"} {
		command := exec.Command("go", "tool", "pprof", "-top", "-lines", "-sample_index="+index, path)
		command.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		if !strings.Contains(string(out), "Type: "+index) || !strings.Contains(string(out), want) {
			t.Errorf("-sample_index=%s shows no %s:\n%s", index, want, out)
		}
	}
}

func TestPprofWritesAFilePerArchitecture(t *testing.T) {
	trace := recordedTiny(t, "saxpy")
	folder := t.TempDir()
	good(t, "replay", trace, "--arch", "gtx480", "--arch", "gtx480+lrr", "--pprof", filepath.Join(folder, "p.pb.gz"))
	for _, name := range []string{"p.gtx480.pb.gz", "p.gtx480+lrr.pb.gz"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestPprofNeverReplacesAFileUnasked(t *testing.T) {
	trace := recordedTiny(t, "saxpy")
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad(t, commandline.ExitFailed, "exists already; use --force", "replay", trace, "--arch", "gtx480", "--pprof", path)
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("the file was changed: %q, %v", text, err)
	}
	good(t, "replay", trace, "--arch", "gtx480", "--pprof", path, "--force")
	bad(t, commandline.ExitUsage, "both would be written", "replay", trace, "--arch", "gtx480", "--arch", "gtx480", "--pprof", path, "--force")
}
