// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

func TestRecordingIsTheSameBytesForAnyNumberOfWorkers(t *testing.T) {
	for _, name := range demoWorkloads {
		var first []byte
		for _, workers := range []string{"1", "2", "8"} {
			path := filepath.Join(t.TempDir(), "w.wtape")
			good(t, "record", name, "--size", "tiny", "-o", path, "--workers", workers)
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			} else if !bytes.Equal(first, got) {
				t.Errorf("%s: --workers %s gives other bytes than --workers 1", name, workers)
			}
		}
	}
}

func TestRecordRefusesToReplaceAFile(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "mine.wtape"), "precious")
	bad(t, commandline.ExitFailed, "exists already; use --force", "record", "saxpy", "--size", "tiny", "-o", path)
	if got, _ := os.ReadFile(path); string(got) != "precious" {
		t.Errorf("the file was changed to %q", got)
	}
	good(t, "record", "saxpy", "--size", "tiny", "-o", path, "--force", "--quiet")
	good(t, "trace", "verify", path)
}

const doublingPTX = `.version 6.3
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd2];
	add.s32 %r2, %r2, %r2;
	st.global.u32 [%rd2], %r2;
	ret;
}
`

const doublingHost = `
sizes = {"small": {"n": 64}}

def main(p):
    m = gpu.module("twice.ptx")
    x = array.arange(i32, p.n)
    buffer = gpu.buffer("x", x)
    gpu.launch(m.twice, grid = 1, block = 64, args = [buffer])
    check.equal(gpu.read(buffer), FACTOR * x, name = "x")
`

// doubling writes a program of the user's own into a new folder.
func doubling(t *testing.T, ptx, factor string) (folder, program string) {
	t.Helper()
	folder = t.TempDir()
	write(t, filepath.Join(folder, "twice.ptx"), ptx)
	return folder, write(t, filepath.Join(folder, "twice.star"), strings.ReplaceAll(doublingHost, "FACTOR", factor))
}

func TestRecordRunsAProgramOfTheUsersOwn(t *testing.T) {
	folder, program := doubling(t, doublingPTX, "2")
	path := filepath.Join(folder, "twice.wtape")
	good(t, "record", program, "-o", path)
	good(t, "replay", path, "--arch", "gtx480")
}

func TestFailedRecordingsLeaveNoFile(t *testing.T) {
	replace := func(old, new string) string { return strings.Replace(doublingPTX, old, new, 1) }
	for _, c := range []struct{ name, ptx, factor, message string }{
		{"a failed check", doublingPTX, "3", "twice.star:9"},
		{"a syntax error", replace("ret;", "ret"), "2", "twice.ptx:1"},
		{"an unsupported instruction", replace("add.s32 %r2", "frobnicate.s32 %r2"), "2", "twice.ptx:14"},
		{"an out-of-bounds access", replace("mul.wide.u32 %rd3, %r1, 4", "mul.wide.u32 %rd3, %r1, 8"), "2", "out-of-bounds"},
		{"a misaligned access", replace("[%rd2];", "[%rd2+2];"), "2", "misaligned"},
	} {
		folder, program := doubling(t, c.ptx, c.factor)
		path := filepath.Join(folder, "twice.wtape")
		bad(t, commandline.ExitFailed, c.message, "record", program, "-o", path)
		if got := files(t, folder); len(got) != 2 {
			t.Errorf("%s: left behind: %v", c.name, got)
		}
	}
	bad(t, commandline.ExitFailed, "no such file", "record", filepath.Join(t.TempDir(), "none.star"))
	bad(t, commandline.ExitFailed, "no-such-folder", "record", "saxpy", "--size", "tiny", "-o", filepath.Join(t.TempDir(), "no-such-folder", "x.wtape"))
	bad(t, commandline.ExitFailed, "huge", "record", "saxpy", "--size", "huge", "-o", filepath.Join(t.TempDir(), "x.wtape"))
}

func TestRecordStopsAtItsInstructionBudget(t *testing.T) {
	bad(t, commandline.ExitFailed, "budget", "record", "sgemm", "--size", "tiny", "--max-instructions", "1000", "-o", filepath.Join(t.TempDir(), "x.wtape"))
}

func TestPTXCheckListsKernelsAndRefusesWithPosition(t *testing.T) {
	folder, _ := doubling(t, doublingPTX, "2")
	path := filepath.Join(folder, "twice.ptx")
	if out := good(t, "ptx", "check", path); !strings.Contains(out, "twice") || !strings.Contains(out, "registers") {
		t.Errorf("ptx check prints\n%s", out)
	}
	write(t, path, strings.Replace(doublingPTX, "add.s32 %r2, %r2, %r2", "add.s32 %r9, %r2, %r2", 1))
	bad(t, commandline.ExitFailed, path+":14:", "ptx", "check", path)
	bad(t, commandline.ExitFailed, "none.ptx", "ptx", "check", filepath.Join(folder, "none.ptx"))
}

func TestPTXIsComparedWithItsTarget(t *testing.T) {
	late := strings.Replace(doublingPTX, "add.s32 %r2, %r2, %r2;", "add.s32 %r2, %r2, %r2; redux.sync.add.s32 %r1, %r2, -1; redux.sync.min.s32 %r1, %r2, -1;", 1)
	folder, program := doubling(t, late, "2")
	path := filepath.Join(folder, "twice.ptx")
	const warning = "redux.sync.add.s32 needs sm_80, but .target is sm_"
	if o := warptape(t, "ptx", "check", path); o.code != commandline.ExitOK || !strings.HasPrefix(o.stderr, "warning: "+path+":14:") || !strings.Contains(o.stderr, warning) || !strings.Contains(o.stderr, "(2 times)") || !strings.Contains(o.stdout, "twice") {
		t.Errorf("exit code %d, stderr %q", o.code, o.stderr)
	}
	bad(t, commandline.ExitFailed, warning, "ptx", "check", "--strict", path)
	trace := filepath.Join(folder, "twice.wtape")
	if o := warptape(t, "record", program, "-o", trace, "--quiet"); o.code != commandline.ExitOK || !strings.Contains(o.stderr, warning) {
		t.Errorf("exit code %d, stderr %q", o.code, o.stderr)
	}
	bad(t, commandline.ExitFailed, warning, "record", "--strict", "--force", program, "-o", trace)

	library := filepath.Join(folder, "library.ptx")
	write(t, library, ".version 6.3\n.target sm_70\n.func f() { ret; }\n")
	bad(t, commandline.ExitFailed, library+":3:7: no .entry function with a body", "ptx", "check", library)
	if o := warptape(t, "ptx", "check", library, path); o.code != commandline.ExitFailed || !strings.Contains(o.stdout, "twice") {
		t.Errorf("a file that fails hides the others: exit code %d, stdout %q", o.code, o.stdout)
	}
}
