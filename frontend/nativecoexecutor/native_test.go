// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/diff"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

func parse(t testing.TB, file string) *ptx.Module {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// spaces is the kernel of testdata, which has what compilers seldom write.
func spaces(t testing.TB) run {
	const grid, block = 5, 64
	in := make([]byte, grid*block*4)
	for i := range grid * block {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i*i%31))
	}
	return run{module: parse(t, "testdata/spaces.ptx"), kernel: "spaces", grid: trace.Dim3{X: grid, Y: 1, Z: 1}, block: trace.Dim3{X: block, Y: 1, Z: 1}, shared: 4 * block,
		buffers: [][]byte{in, make([]byte, len(in))}, numbers: []byte{64 * grid & 0xff, 64 * grid >> 8, 0, 0}}
}

func TestAllSpacesAreRecordedAlike(t *testing.T) {
	r := spaces(t)
	d := open(t, nativecoexecutor.Options{})
	r.compare(t, d)
	if d.Counts.Waves != 1 || d.Counts.Repeated != 0 {
		t.Errorf("%+v", d.Counts)
	}
}

// A log that holds part of a grid makes more launches, and no other trace.
func TestSmallLogsMakeMoreLaunches(t *testing.T) {
	r := spaces(t)
	d := open(t, nativecoexecutor.Options{LogBytes: 16 << 10})
	r.compare(t, d)
	if d.Counts.Waves < 2 {
		t.Errorf("%+v", d.Counts)
	}
}

// A thread block without room in its log goes on by segments, others straight through. A
// log that is too small for a segment is an error, with a trace of what had finished.
func TestABlockWithoutRoomGoesOnBySegments(t *testing.T) {
	r := spaces(t)
	d := open(t, nativecoexecutor.Options{LogBytes: 2 << 10})
	r.compare(t, d)
	if d.Counts.Divided != 5 {
		t.Errorf("%+v", d.Counts)
	}
	// Thread blocks of two sizes: the second half of the grid does more.
	random := rand.New(rand.NewPCG(1, 1))
	some := sampled(t, random, `mov.u32 %r3, %ctaid.x;
	mad.lo.u32 %r3, %r3, 30, 1;
more:
	{
		.reg .b32 %r4;
		ld.global.u32 %r4, [%d1];
		add.u32 %r10, %r10, %r4;
	}
	atom.global.add.u32 %r11, [%d2], %r10;
	xor.b32 %r11, %r11, %r10;
	sub.u32 %r3, %r3, 1;
	setp.ne.u32 %p2, %r3, 0;
	@%p2 bra more;`, random.Uint32)
	d = open(t, nativecoexecutor.Options{LogBytes: 3 << 10})
	some.compare(t, d)
	if d.Counts.Divided != 1 || d.Counts.Waves < 30 {
		t.Errorf("%+v", d.Counts)
	}
	short := open(t, nativecoexecutor.Options{LogBytes: 320})
	_, _, err := r.record(t, emulator.Options{Coexecutor: short.Coexecutor})
	if !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), "too small for one segment") {
		t.Errorf("with a log for no segment: %v", err)
	}
}

// By segments, basic blocks inside of braces are entered as others are.
func TestScopesAreRecordedAlike(t *testing.T) {
	in := make([]byte, 4*64)
	for i := range 64 {
		in[4*i] = byte(37 * i)
	}
	r := run{module: parse(t, "testdata/scopes.ptx"), kernel: "scopes", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{in, make([]byte, len(in))}}
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// Functions, pointers to functions, recursion and structures on the stack.
func TestCallsAreRecordedAlike(t *testing.T) {
	tracetest.Nightly(t)
	files, err := filepath.Glob("../emulator/testdata/calls/*.ptx")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	d, segments := open(t, nativecoexecutor.Options{}), open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	for _, file := range tracetest.Draw(t, files, 1) {
		r := run{module: parse(t, file), kernel: "calls", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 256)}}
		k, err := contaminator.Contaminate(r.module.Kernels[0])
		if err != nil {
			t.Fatal(err)
		}
		recursive := slices.ContainsFunc(k.Units[1:], func(u contaminator.Unit) bool {
			return u.Recursive && slices.ContainsFunc(u.PTX.Variables, func(v *ptx.Variable) bool { return v.Space == ptx.SpaceLocal })
		})
		if !recursive {
			r.compare(t, d)
		}
		if os.Getenv("WARPTAPE_ALL_SEGMENTS") == "" {
			r.block.X = 3 // each visit is a launch
		}
		r.compare(t, segments)
		if before := d.Counts.Segmented; recursive { // what cannot run straight through runs by segments
			r.block.X = 1
			if r.compare(t, d); d.Counts.Segmented != before+1 {
				t.Errorf("%s: %+v", file, d.Counts)
			}
		}
		if t.Failed() {
			t.Fatal(file)
		}
	}
}

// A warp that has ended leaves what it wrote to shared memory.
func TestSharedMemoryOutlivesWarps(t *testing.T) {
	r := run{module: parse(t, "testdata/late.ptx"), kernel: "late", grid: trace.Dim3{X: 2, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 256)}}
	r.compare(t, open(t, nativecoexecutor.Options{}))
	r.compare(t, open(t, nativecoexecutor.Options{Mode: contamination.Segments}))
}

// callsByHand is a kernel of testdata/calls.ptx.
func callsByHand(t testing.TB, kernel string, numbers ...byte) run {
	return run{module: parse(t, "testdata/calls.ptx"), kernel: kernel, grid: trace.Dim3{X: 2, Y: 1, Z: 1}, block: trace.Dim3{X: 64, Y: 1, Z: 1},
		buffers: [][]byte{make([]byte, 256)}, numbers: numbers}
}

// By segments calls are frames in the threads' states, also deep ones, and of devices whose
// functions and local variables lie elsewhere.
func TestFramesOfCallsAreRecordedAlike(t *testing.T) {
	tracetest.Nightly(t)
	d := open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	shallow := callsByHand(t, "calls", 7, 0, 0, 0)
	shallow.compare(t, d)
	deep := callsByHand(t, "calls", 60, 0, 0, 0)
	deep.grid.X, deep.block.X = 1, 33
	deep.compare(t, d)
	// A log without room for the thread block: it goes on by segments, calls and all.
	for _, k := range tracetest.Draw(t, []string{"flow.O2", "pointers.O2"}, 1) {
		r := run{module: parse(t, "../emulator/testdata/calls/"+k+".ptx"), kernel: "calls", grid: trace.Dim3{X: 1, Y: 1, Z: 1}, block: trace.Dim3{X: 3, Y: 1, Z: 1}, buffers: [][]byte{make([]byte, 256)}}
		short := open(t, nativecoexecutor.Options{LogBytes: 1 << 10})
		r.compare(t, short)
		if short.Counts.Divided == 0 {
			t.Errorf("%s: %+v", k, short.Counts)
		}
	}
}

// By segments, a recursion that does not end and a call of no function are said, with the
// trace of what had finished.
func TestWrongCallsAreSaid(t *testing.T) {
	changes := map[string]struct{ with, want string }{
		"setp.eq.u32 %p, n, 0;": {"setp.eq.u32 %p, n, 0x10000;", "does a recursion not end?"},
		"mov.u64 %d2, plus;":    {"mov.u64 %d2, 64;", "calls through what is the address of no function that fits"},
	}
	// The other recurses until the device has no more frames, which takes seconds.
	for _, old := range slices.Sorted(maps.Keys(changes))[:tracetest.Fewer(1, 2)] {
		wrong := changes[old]
		r := callsByHand(t, "calls", 7, 0, 0, 0)
		text := strings.Replace(string(r.module.Text), old, wrong.with, 1)
		var err error
		if r.module, err = ptx.Parse("wrong.ptx", []byte(text)); err != nil {
			t.Fatal(err)
		}
		r.grid.X, r.block.X = 1, 3
		d := open(t, nativecoexecutor.Options{Mode: contamination.Segments})
		if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s: %v", wrong.with, err)
		}
		if _, _, err := r.record(t, emulator.Options{}); err == nil {
			t.Errorf("%s: the interpreter finds nothing", wrong.with)
		}
	}
}

// The address of one access, changed in the log, is an error or another trace: of kernels with all
// spaces, functions, clusters, cooperative grids and products of warpgroups.
func TestAnAlteredAddressIsSeen(t *testing.T) {
	cluster, cooperative := together(t, together90["memory of a cluster"].body, together2by3), cooperativeGrid(t)
	calls := callsByHand(t, "calls", 7, 0, 0, 0)
	calls.grid.X, calls.block.X = 1, 3
	products := groups(t, fmt.Sprintf(product, "%d4", "%d5", "%p2")+waits+changes)
	products.block.X = 128
	cluster.grid, cooperative.grid = together2by3, trace.Dim3{X: 2, Y: 1, Z: 1}
	for _, c := range tracetest.Draw(t, []struct {
		name   string
		run    run
		mode   contamination.Mode
		places int // of addresses
	}{
		{"spaces", spaces(t), contamination.Straight, 12},
		{"cluster", cluster, contamination.Straight, 6},
		{"cluster", cluster, contamination.Segments, 3},
		{"cooperative", cooperative, contamination.Straight, 6},
		{"cooperative", cooperative, contamination.Segments, 3},
		{"calls", calls, contamination.Segments, 6},
		{"products", products, contamination.Segments, 3},
	}, 2) {
		want, _, err := c.run.record(t, emulator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		altered, seen, n := 0, 0, 0
		d := open(t, nativecoexecutor.Options{Mode: c.mode, Alter: func(log []byte) {
			for at := 0; at < len(log); {
				size := 8
				switch contamination.Kind(log[at+3] >> 4) {
				case contamination.KindGuard:
					size = 16
				case contamination.KindStrided:
					if seen == n {
						log[at+8] += 4
						altered++
					}
					seen++
					size = 24
				case contamination.KindList:
					return
				}
				at += size
			}
		}})
		for i := range c.places { // the n-th address
			before := altered
			seen, n = 0, i*(1+len(c.name)%3)
			got, _, err := c.run.record(t, emulator.Options{Coexecutor: d.Coexecutor})
			if altered > before && err == nil && bytes.Equal(got, want) {
				t.Errorf("%s, %s: address %d was changed, and the comparison has not seen it", c.name, c.mode, n)
			}
		}
		if altered < c.places*2/3 {
			t.Errorf("%s, %s: %d addresses were changed", c.name, c.mode, altered)
		}
	}
}

// Whatever a log is, it is a trace or an error.
func TestWrongLogsAreErrors(t *testing.T) {
	r := spaces(t)
	r.grid.X = 1
	random := rand.New(rand.NewPCG(1, 2))
	errs := 0
	d := open(t, nativecoexecutor.Options{Alter: func(log []byte) {
		for range 1 + random.IntN(4) {
			log[random.IntN(len(log))] ^= byte(1 << random.IntN(8))
		}
	}})
	for range 12 {
		if _, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor}); err != nil {
			errs++
			var log *contamination.ErrLog
			if !errors.As(err, &log) && !errors.Is(err, nativecoexecutor.ErrDevice) {
				t.Errorf("%v", err)
			}
		}
	}
	if errs < 4 {
		t.Errorf("%d of 12 wrong logs are errors", errs)
	}
}

// A kernel that writes where nothing is loses the device's context; the error says so.
func TestALostContextIsSaid(t *testing.T) {
	r := spaces(t)
	text := strings.Replace(string(r.module.Text), "add.s64 %rd25, %rd2, %rd3;", "mov.u64 %rd25, 64;", 1)
	var err error
	if r.module, err = ptx.Parse("lost.ptx", []byte(text)); err != nil {
		t.Fatal(err)
	}
	d := open(t, nativecoexecutor.Options{})
	_, _, err = r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
	if !errors.Is(err, nativecoexecutor.ErrDevice) || !driver.Lost(err) {
		t.Errorf("%v", err)
	}
}

// What had finished before a context was lost is a valid trace.
func TestALostContextLeavesWhatHadFinished(t *testing.T) {
	r := spaces(t)
	text := strings.Replace(string(r.module.Text), "add.s64 %rd25, %rd2, %rd3;", `add.s64 %rd25, %rd2, %rd3;
	{ .reg .pred %q; .reg .b32 %z; mov.u32 %z, %ctaid.x; setp.eq.u32 %q, %z, 3; selp.b64 %rd25, 64, %rd25, %q; }`, 1)
	var err error
	if r.module, err = ptx.Parse("lost.ptx", []byte(text)); err != nil {
		t.Fatal(err)
	}
	d := open(t, nativecoexecutor.Options{LogBytes: 9 << 10}) // for a thread block at a time
	file, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
	if !driver.Lost(err) || !strings.Contains(err.Error(), "thread blocks from 3 on are not recorded") {
		t.Fatalf("%v, %+v", err, d.Counts)
	}
	left, err := wtape.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	chunk, blocks := wtape.NewChunk(), 0
	for i := range left.Chunks() {
		if err := left.ReadChunk(i, chunk); err != nil {
			t.Fatal(err)
		}
		blocks += len(chunk.Blocks())
	}
	if blocks != 3 {
		t.Errorf("the trace has %d thread blocks", blocks)
	}
}

// A driver that refuses the text is shown with the lines of the file before contamination.
func TestARefusalNamesTheLinesBefore(t *testing.T) {
	r := spaces(t)
	before := bytes.Count(r.module.Text[:bytes.Index(r.module.Text, []byte("brx.idx"))], []byte("\n")) + 1
	for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
		d := open(t, nativecoexecutor.Options{Mode: mode, Change: func(text []byte) []byte {
			at := bytes.LastIndex(text, []byte("brx.idx"))
			return slices.Concat(text[:at], []byte("brx.idle"), text[at+len("brx.idx"):])
		}})
		_, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
		if want := "spaces.ptx:" + strconv.Itoa(before) + " before contamination"; !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", mode, err, want)
		}
	}
}

// The same by segments of kernels in clusters, and with products of warpgroups. A log
// without room for their segments is an error, and a lost context leaves what had finished.
func TestDevicesOfClustersFailAsOthers(t *testing.T) {
	cluster := together(t, together90["memory of a cluster"].body, together2by3)
	products := groups(t, fmt.Sprintf(product, "%d4", "%d5", "%p2")+waits+changes)
	for name, c := range map[string]struct {
		run   run
		wrong string // of its instructions
	}{"cluster": {cluster, "getctarank"}, "products": {products, "xor.b32 %r13"}} {
		text := c.run.module.Text
		line := bytes.Count(text[:bytes.Index(text, []byte(c.wrong))], []byte("\n")) + 1
		d := open(t, nativecoexecutor.Options{Mode: contamination.Segments, Change: func(text []byte) []byte {
			at := bytes.LastIndex(text, []byte(c.wrong))
			return slices.Concat(text[:at], []byte("no"), text[at:])
		}})
		_, _, err := c.run.record(t, emulator.Options{Coexecutor: d.Coexecutor})
		if want := fmt.Sprintf("%s:%d before contamination", c.run.module.File, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		short := open(t, nativecoexecutor.Options{Mode: contamination.Segments, LogBytes: 272})
		if _, _, err = c.run.record(t, emulator.Options{Coexecutor: short.Coexecutor}); !errors.Is(err, nativecoexecutor.ErrDevice) || !strings.Contains(err.Error(), "too small for one segment") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var err error
	text := strings.Replace(string(cluster.module.Text), "mov.u32 %r15, %clusterid.x;", "mov.u32 %r15, %clusterid.x; setp.eq.u32 %p5, %r15, 1; @%p5 trap;", 1)
	if cluster.module, err = ptx.Parse("trap.ptx", []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []contamination.Mode{contamination.Straight, contamination.Segments} {
		d := open(t, nativecoexecutor.Options{Mode: mode, LogBytes: 6 * 2 * (12 << 10)}) // for a cluster at a time
		file, _, err := cluster.record(t, emulator.Options{Coexecutor: d.Coexecutor})
		if !driver.Lost(err) || !strings.Contains(err.Error(), "thread blocks from 6 on are not recorded") {
			t.Errorf("%s: %v", mode, err)
		}
		left, err := wtape.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		chunk, blocks := wtape.NewChunk(), 0
		for i := range left.Chunks() {
			if err := left.ReadChunk(i, chunk); err != nil {
				t.Fatal(err)
			}
			blocks += len(chunk.Blocks())
		}
		// The first cluster's are of the grid's first three rows, two in each.
		if blocks != 2 {
			t.Errorf("%s: the trace has %d thread blocks", mode, blocks)
		}
	}
}

// A device that does not come back is said to hang.
func TestADeviceThatHangsIsLeft(t *testing.T) {
	tracetest.Nightly(t)
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	d, err := emulated.Open(emulated.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := nativecoexecutor.New(d.Device, nativecoexecutor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := spaces(t)
	text := strings.Replace(string(r.module.Text), "mov.u32 %r26, %r7;", "mov.u32 %r26, 0x7fffffff;", 1)
	if r.module, err = ptx.Parse("long.ptx", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, _, err = r.record(t, emulator.Options{Coexecutor: c}); !errors.Is(err, driver.ErrHangs) || !driver.Lost(err) || !strings.Contains(err.Error(), "thread blocks from 0 on are not recorded: one does not end") {
		t.Errorf("%v", err)
	}
}

// Thread blocks that run in another order give another trace where it matters, and the
// difference is named; where it does not matter the traces are the same.
func TestAnotherOrderIsNamed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	backwards := func(text []byte) []byte {
		s := string(text)
		for _, r := range []string{"high", "t"} {
			own := "mov.u32 %wt_" + r + ", %ctaid.x;"
			if strings.Count(s, own) != 1 {
				t.Fatalf("%s is there %d times", own, strings.Count(s, own))
			}
			s = strings.Replace(s, own, "mov.u32 %wt_"+r+", %nctaid.x;\n\tmov.u32 %wt_u, %ctaid.x;\n\tsub.u32 %wt_"+r+", %wt_"+r+", %wt_u;\n\tsub.u32 %wt_"+r+", %wt_"+r+", 1;", 1)
		}
		return []byte(s)
	}
	ticket := `ld.param.u64 %d4, [texels];
	atom.global.add.u32 %r9, [%d4], 1;
	mad.wide.u32 %d5, %r9, 4, %d4;
	st.global.u32 [%d5+4], %r0;`
	for code, want := range map[string]string{
		ticket: "launch 0 (sampled), thread block 0, warp 0, visit 0 (basic block 0), st.global.u32 line 34: base ",
		"ld.param.u64 %d4, [texels]; red.global.add.u32 [%d4], 1;": "",
	} {
		r := sampled(t, random, code, random.Uint32, memory.Texture{Width: 256, Channels: 1, Element: ptx.U32})
		clear(r.buffers[samplesTexels])
		var files [2]*wtape.Reader
		for i, change := range []func([]byte) []byte{nil, backwards} {
			d := open(t, nativecoexecutor.Options{Unordered: true, Change: change})
			file, _, err := r.record(t, emulator.Options{Coexecutor: d.Coexecutor})
			if err == nil {
				files[i], err = wtape.NewReader(bytes.NewReader(file), int64(len(file)))
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, d.said)
			}
		}
		got, err := diff.Traces(files[0], files[1])
		if err != nil || !strings.HasPrefix(got, want) || (got == "") != (want == "") || want != "" && !strings.Contains(got, "atom at line 32 gave what it gave in the order") {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// On a device that runs thread blocks in any order, what their order decides is labelled.
func TestOrderIsLabelled(t *testing.T) {
	d := open(t, nativecoexecutor.Options{Unordered: true})
	k, err := contaminator.Contaminate(parse(t, "testdata/spaces.ptx").Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(k); err != nil {
		t.Fatal(err)
	}
	if list := k.Static.TimingDependent; len(list) != 1 || !strings.Contains(list[0], "atom at line") {
		t.Errorf("%q", list)
	}
}

func TestDriversLinesAreMapped(t *testing.T) {
	r, err := contamination.Rewrite([]*contaminator.Kernel{contaminated(t)}, contamination.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Count(r.Text[:bytes.Index(r.Text, []byte("brx.idx"))], []byte("\n")) + 1
	before := bytes.Count(spaces(t).module.Text[:bytes.Index(spaces(t).module.Text, []byte("brx.idx"))], []byte("\n")) + 1
	log := "ptxas application ptx input, line " + strconv.Itoa(at) + "; error : no such thing"
	if got := nativecoexecutor.MapLines(log, "spaces.ptx", r.Lines); !strings.Contains(got, "(spaces.ptx:"+strconv.Itoa(before)+" before contamination)") {
		t.Error(got)
	}
}

func contaminated(t testing.TB) *contaminator.Kernel {
	k, err := contaminator.Contaminate(parse(t, "testdata/spaces.ptx").Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	return k
}
