// SPDX-License-Identifier: Apache-2.0

//go:build linux

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Each thread block draws a number and writes where it says, so that the order of thread
// blocks decides which addresses they touch.
const ticketsPTX = `.version 7.0
.target sm_70
.address_size 64
.visible .entry tickets(.param .u64 next, .param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %d<6>;
	.shared .align 4 .b32 ticket;
	ld.param.u64 %d0, [next];
	ld.param.u64 %d1, [out];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	setp.ne.u32 %p, %r0, 0;
	@%p bra drawn;
	atom.global.add.u32 %r2, [%d0], 1;
	st.shared.u32 [ticket], %r2;
drawn:
	bar.sync 0;
	ld.shared.u32 %r2, [ticket];
	mad.lo.u32 %r3, %r2, 64, %r0;
	mul.wide.u32 %d2, %r3, 128;
	add.s64 %d2, %d2, %d1;
	st.global.u32 [%d2], %r1;
	ret;
}
`

const ticketsProgram = `sizes = {"tiny": {"n": 8}}

def main(p):
    m = gpu.module("tickets.ptx")
    next = gpu.alloc("next", u32, 1)
    out = gpu.alloc("out", u32, 8 * 64 * 32)
    gpu.launch(m.tickets, grid=p.n, block=64, args=[next, out])
`

// There are two recordings of a kernel whose atomics ran in two orders. Each replays and
// says that it depends on timing, their instructions are as many, and trace diff names what
// differs.
func TestRecordingsOfTwoOrdersReplay(t *testing.T) {
	notUnderTheRaceDetector(t)
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	backwards := func(text []byte) []byte {
		s := string(text)
		for _, r := range []string{"high", "t"} { // where a thread block logs, and which it is
			own := "mov.u32 %wt_" + r + ", %ctaid.x;"
			s = strings.Replace(s, own, "mov.u32 %wt_"+r+", %nctaid.x;\n\tmov.u32 %wt_u, %ctaid.x;\n\tsub.u32 %wt_"+r+", %wt_"+r+", %wt_u;\n\tsub.u32 %wt_"+r+", %wt_"+r+", 1;", 1)
		}
		return []byte(s)
	}
	files := fstest.MapFS{"tickets.ptx": {Data: []byte(ticketsPTX)}, "tickets.star": {Data: []byte(ticketsProgram)}}
	var paths [2]string
	var results [2]replay.Result
	for i, change := range []func([]byte) []byte{nil, backwards} {
		d, err := emulated.Open(emulated.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		c, err := nativecoexecutor.New(d.Device, nativecoexecutor.Options{Unordered: true, Change: change, MemoryBytes: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		p, err := host.Load(files, "tickets.star")
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		w, err := wtape.NewWriter(&file, "tickets", trace.Header{Tool: "test"}, wtape.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if _, err := p.Run(context.Background(), host.Options{Size: "tiny", Seed: 1, Sink: w, Coexecutor: c}); err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		paths[i] = filepath.Join(t.TempDir(), "tickets.wtape")
		if err := os.WriteFile(paths[i], file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := wtape.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		results[i] = replayOne(t, r, loadMachine(t, "gtx480", nil))
		if got, want := counted(&results[i], "issued_warp_instructions"), r.Totals().WarpInstructions; got != want {
			t.Errorf("order %d: %d instructions are issued, %d recorded", i, got, want)
		}
	}
	if a, b := counted(&results[0], "issued_warp_instructions"), counted(&results[1], "issued_warp_instructions"); a != b {
		t.Errorf("%d and %d instructions", a, b)
	}
	for _, path := range paths {
		got := strings.Join(strings.Fields(good(t, "replay", path, "--arch", "gtx480")), " ")
		if !strings.Contains(got, "atom at line 16 gave what it gave in the order in which thread blocks ran") {
			t.Errorf("the replay does not say that it depends on timing: %s", got)
		}
		good(t, "trace", "verify", path)
	}
	got := warptape(t, "trace", "diff", paths[0], paths[1])
	if want := "thread block 0, warp 0, visit 3 (basic block 3), st.global.u32 line 24: base "; got.code != 1 || !strings.Contains(got.stdout, want) || !strings.Contains(got.stdout, "atom at line 16") {
		t.Errorf("%+v, want %q", got, want)
	}
}
