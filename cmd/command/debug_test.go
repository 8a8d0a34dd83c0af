// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// racingPTX exchanges words between warps without a barrier.
const racingPTX = `.version 6.3
.target sm_70
.address_size 64
.visible .entry exchange(.param .u64 p)
{
	.reg .b32 %r<5>;
	.shared .align 4 .b8 s[256];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	st.shared.u32 [%r2], %r1;
	xor.b32 %r3, %r2, 128;
	ld.shared.u32 %r4, [%r3];
	ret;
}
`

func racing(t *testing.T, ptx string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "k.ptx"), ptx)
	return write(t, filepath.Join(dir, "k.star"), `
sizes = {"small": {"n": 64}}

def main(p):
    gpu.launch(gpu.module("k.ptx").exchange, grid=1, block=p.n, args=[gpu.alloc("b", u32, p.n)])
`)
}

func TestRecordChecksOnRequestOnly(t *testing.T) {
	program, out := racing(t, racingPTX), filepath.Join(t.TempDir(), "k.wtape")
	good(t, "record", program, "-o", out)
	bad(t, commandline.ExitFailed, "k.ptx:10: race: shared store of 4 bytes", "record", program, "-o", out, "--force", "--check", "races")
	bad(t, commandline.ExitFailed, "the load by thread (0,0,0) at k.ptx:12", "record", program, "-o", out, "--force", "--check", "races,global-races")
	unwritten := racing(t, strings.Replace(racingPTX, "st.shared.u32 [%r2], %r1;", "", 1))
	bad(t, commandline.ExitFailed, "uninitialised shared memory", "record", unwritten, "-o", out, "--force", "--check", "uninit")
	bad(t, commandline.ExitUsage, `--check "leaks"`, "record", program, "--check", "leaks")
}

// beyondPTX stores a word just beyond the first of two buffers, where the second one begins.
const beyondPTX = `.version 6.3
.target sm_70
.address_size 64
.visible .entry beyond(.param .u64 p)
{
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [p];
	st.global.u32 [%d1+256], 7;
	ret;
}
`

// Buffers lie one after the other, so that a store beyond one may reach the next. With the check of
// bounds it reaches none.
func TestChecksOfBoundsFindAccessesIntoTheNextBuffer(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "k.ptx"), beyondPTX)
	program, out := write(t, filepath.Join(dir, "k.star"), `
def main(p):
    first, second = gpu.alloc("first", u32, 64), gpu.alloc("second", u32, 64)
    gpu.launch(gpu.module("k.ptx").beyond, grid=1, block=1, args=[first])
    check.equal(gpu.read(second)[:2], u32([7, 0]), name="second")
`), filepath.Join(dir, "k.wtape")
	good(t, "record", program, "-o", out)
	bad(t, commandline.ExitFailed, "4 bytes past the end of buffer first (256 bytes)", "record", program, "-o", out, "--force", "--check", "bounds")
}

// A store by which lanes differ is a warning: the launch, and its trace, go on.
func TestRecordWarnsOfDifferingStores(t *testing.T) {
	program, out := racing(t, strings.NewReplacer("[%r2], %r1", "[s], %r1", "ld.shared.u32 %r4, [%r3];", "").Replace(racingPTX)), filepath.Join(t.TempDir(), "k.wtape")
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	write(t, program, strings.Replace(string(text), "block=p.n", "block=32", 1)) // one warp
	const warning = "warning: k.ptx:10: differing stores: shared store of 4 bytes at 0x0 by thread (0,0,0)"
	if got := warptape(t, "record", program, "-o", out); got.code != 0 || strings.Contains(got.stderr, "differing") {
		t.Errorf("without the check: %+v", got)
	}
	if got := warptape(t, "record", program, "-o", out, "--force", "--check", "races"); got.code != 0 || !strings.Contains(got.stderr, warning) {
		t.Errorf("with the check: %+v", got)
	}
	good(t, "trace", "verify", out)
}

func TestWatchIsWrittenToStandardError(t *testing.T) {
	program, out := racing(t, racingPTX), filepath.Join(t.TempDir(), "k.wtape")
	log := warptape(t, "record", program, "-o", out, "--watch", "0,33,r2,%r4").stderr
	for _, want := range []string{"launch 1: kernel exchange, block (0,0,0), thread (33,0,0)", "k.ptx:9  shl.b32 %r2, %r1, 2;  %r2 = 0x84 (132)", "%r4 = 0x1 (1)"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in %q", want, log)
		}
	}
	for _, wrong := range []string{"3", "a,b", "0,-1", "0,1,"} {
		bad(t, commandline.ExitUsage, "--watch", "record", program, "--watch", wrong)
	}
}

func TestInfoHasWhatTheKernelNeedsAndItsOccupancy(t *testing.T) {
	out := good(t, "ptx", "info", "../../traces/sgemm/sgemm.ptx", "--arch", "gtx480", "--block", "128")
	// 28 registers of 4 warps of 32, rounded up, fit 9 times into 32768; a Fermi
	// SM takes 8 thread blocks.
	for _, want := range []string{"kernel sgemm ", "kernel sgemm_registers", "2048 bytes of static shared memory", "f32-fma", "8 thread blocks of 128 threads an SM, 32 of 48 warps (67 %), limited by blocks"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q", want, out)
		}
	}
	bad(t, commandline.ExitFailed, "49152", "ptx", "info", "../../traces/sgemm/sgemm.ptx", "--arch", "gtx480", "--shared", "50000")
	bad(t, commandline.ExitUsage, "1024 threads", "ptx", "info", "../../traces/sgemm/sgemm.ptx", "--block", "2000")
}

func TestGraphsAreDrawn(t *testing.T) {
	const file = "../../traces/sgemm/sgemm.ptx"
	out := good(t, "ptx", "cfg", file, "--kernel", "sgemm")
	if !strings.HasPrefix(out, `digraph "sgemm" {`) {
		t.Errorf("output %q", out)
	}
	path := filepath.Join(t.TempDir(), "k.svg")
	good(t, "ptx", "cfg", file, "--kernel", "sgemm", "--svg", "-o", path)
	svg, err := os.ReadFile(path)
	if err != nil || xml.Unmarshal(svg, new(struct{})) != nil {
		t.Errorf("%v in %q", err, svg)
	}
	bad(t, commandline.ExitUsage, "choose one with --kernel: sgemm, sgemm_registers", "ptx", "cfg", file)
	bad(t, commandline.ExitFailed, `no kernel "gemm"`, "ptx", "cfg", file, "--kernel", "gemm")
	bad(t, commandline.ExitUsage, "choose one", "ptx", "cfg", file, "--kernel", "sgemm", "--dot", "--svg")
}
