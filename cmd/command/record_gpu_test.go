// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/native/clang"
)

// The emulated CUDA device gives the bytes that the interpreter does, straight through and by
// segments; a log that is too small leaves a trace that says so.
func TestRecordsOnADevice(t *testing.T) {
	notUnderTheRaceDetector(t)
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	name := func(n string) string { return filepath.Join(folder, n) }
	good(t, "record", "saxpy", "--size", "tiny", "-o", name("a.wtape"))
	want, err := os.ReadFile(name("a.wtape"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"straight", "segments"} {
		out := good(t, "record", "saxpy", "--size", "tiny", "--on", "emulated", "--gpu-mode", mode, "--gpu-ptx", name(mode+".ptx"), "-o", name(mode+".wtape"))
		got, err := os.ReadFile(name(mode + ".wtape"))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the trace differs from the interpreter's (%v)", mode, err)
		}
		if !strings.Contains(out, "launches of contaminated kernels") {
			t.Error(out)
		}
		good(t, "ptx", "check", name(mode+".ptx"))
	}
	short := warptape(t, "record", "sgemm", "--size", "tiny", "--on", "emulated", "--gpu-log", "4KiB", "-o", name("cut.wtape"))
	if short.code != 1 || !strings.Contains(short.stderr, "too small for one segment") || !strings.Contains(short.stderr, "has what had finished") {
		t.Errorf("%+v", short)
	}
	if out := good(t, "trace", "info", name("cut.wtape")); !strings.Contains(out, "cut off") {
		t.Error(out)
	}
	good(t, "trace", "verify", name("cut.wtape"))
}

func TestWrongDevicesAreSaid(t *testing.T) {
	notUnderTheRaceDetector(t)
	carries := filepath.Join(t.TempDir(), "carries.ptx")
	if err := os.WriteFile(carries, []byte(`.version 8.0
.target sm_90a
.address_size 64
.func group()
{
ret;
}
.visible .entry meets()
{
.reg .u32 %r<3>;
add.cc.u32 %r1, %r1, 1;
call group;
addc.u32 %r2, %r2, 0;
ret;
}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"record", "saxpy", "--on", "cpu"}, 2, "there are interpreter, gpu and emulated"},
		{[]string{"record", "saxpy", "--on", "emulated", "--watch", "0,0"}, 2, "look into the interpreter"},
		{[]string{"record", "saxpy", "--on", "gpu", "--gpu-log", "3"}, 2, "at least 1KiB"},
		{[]string{"record", "saxpy", "--on", "gpu", "--gpu-timeout", "-1s"}, 2, "--gpu-timeout -1s: write a time"},
		{[]string{"record", "saxpy", "--on", "gpu", "--turn", "2"}, 2, "-turn"},
		{[]string{"run", "--on", "gpu", "--turn", "2", "--", "true"}, 2, "--turn is for the interpreter"},
		{[]string{"record", "saxpy", "--on", "gpu", "--gpu-mode", "fast"}, 2, "straight and segments"},
		{[]string{"record", "saxpy", "--on", "gpu", "--gpu-library", "no-such-library.so"}, 1, "there is no GPU"},
		{[]string{"run", "--on", "gpu", "--gpu-library", "no-such-library.so", "--", "true"}, 1, "there is no GPU"},
		{[]string{"run", "--on", "cpu", "--", "true"}, 2, "there are interpreter, gpu and emulated"},
		{[]string{"run", "--on", "emulated", "--turn", "2", "--", "true"}, 2, "--turn is for the interpreter"},
		{[]string{"run", "--on", "emulated", "--check", "races", "--", "true"}, 2, "look into the interpreter"},
		{[]string{"ptx", "contaminate", "no.ptx"}, 1, "no.ptx"},
		{[]string{"ptx", "contaminate", "--mode", "segments", carries}, 1, "carries.ptx:13:1: addc.u32 cannot be contaminated: the carry that it reads is from before a call"},
	} {
		if got := warptape(t, wrong.args...); got.code != wrong.code || !strings.Contains(got.stderr, wrong.want) {
			t.Errorf("%q: %+v", wrong.args, got)
		}
	}
	if out := good(t, "ptx", "contaminate", "../../traces/saxpy/saxpy.ptx"); !strings.Contains(out, "// added: lanes come to basic block 1") {
		t.Error(out)
	}
}
