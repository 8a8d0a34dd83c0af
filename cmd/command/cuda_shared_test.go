// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Libraries that list devices, as those of MPI do, look at the device from processes of their
// own. The program that uses it has it, and its recording ends with the program.
func TestAProcessThatOnlyLooksLeavesTheDevice(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	looker, program := cudaProgram(t, "looker.cu"), cudaProgram(t, "beside_looker.cu")
	stays := filepath.Join(t.TempDir(), "stays")
	write(t, stays, "")
	late := time.AfterFunc(5*time.Minute, func() { os.Remove(stays) })
	defer late.Stop()
	code, stdout, stderr, output := runIt(t, program, "exec "+looker+" "+stays)
	if code != 0 || stdout != "1 devices, sum 496\n" || strings.Contains(stderr, "second process") {
		t.Errorf("exit code %d, it prints %q and says %q", code, stdout, stderr)
	}
	if _, err := os.Stat(stays); err != nil {
		t.Errorf("the command has waited for the other process: %v", err)
	}
	r, err := wtape.Open(output)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := len(r.Launches()); n != 1 {
		t.Errorf("%d launches", n)
	}
}

// Two processes that use the device: the first is recorded, the other is told.
func TestASecondProcessThatUsesTheDeviceIsTurnedAway(t *testing.T) {
	notUnderTheRaceDetector(t)
	tracetest.Nightly(t)
	program, looker := cudaProgram(t, "beside_looker.cu"), cudaProgram(t, "looker.cu")
	script := `"$0" "$1" & sleep 0; wait; "$0" "$1"; exit 0`
	code, stdout, stderr, _ := runIt(t, "/bin/sh", "-c", script, program, "exec "+looker)
	if code != 0 || stdout != "1 devices, sum 496\n" || !strings.Contains(stderr, "second process") {
		t.Errorf("exit code %d, it prints %q and says %q", code, stdout, stderr)
	}
}
