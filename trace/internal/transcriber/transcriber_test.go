// SPDX-License-Identifier: Apache-2.0

package transcriber_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/internal/transcriber"
	"github.com/warptape/warptape/trace/wtape"
)

// notes is a sink that keeps what it is told, in the words of the plain objects.
type notes struct {
	testtraces.Trace
	events []trace.HostEvent
	chunks int
	cpu    []string
}

func (n *notes) AddKernel(k *trace.Kernel) (int, error) {
	n.Kernels = append(n.Kernels, k)
	return len(n.Kernels) - 1, nil
}

func (n *notes) AddEvent(e trace.HostEvent) (int, error) {
	n.events = append(n.events, e)
	return len(n.events) - 1, nil
}

func (n *notes) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	n.Launches = append(n.Launches, testtraces.Launch{Launch: l})
	n.events = append(n.events, trace.HostEvent{Kind: trace.EventLaunch, Launch: len(n.Launches) - 1, Stream: l.Stream, After: after})
	return len(n.Launches) - 1, nil
}

func (n *notes) BeginChunk() { n.chunks++ }

func (n *notes) BeginBlock(id uint64) {
	l := &n.Launches[len(n.Launches)-1]
	l.Blocks = append(l.Blocks, testtraces.Block{ID: id, Warps: make([]testtraces.Warp, l.Warps())})
}

func (n *notes) warp(w int) *testtraces.Warp {
	blocks := n.Launches[len(n.Launches)-1].Blocks
	return &blocks[len(blocks)-1].Warps[w]
}

func (n *notes) Visit(w int, block, mask uint32) {
	n.warp(w).Visits = append(n.warp(w).Visits, testtraces.Visit{Block: block, Mask: mask})
}

func (n *notes) Guard(w int, mask uint32) { n.warp(w).Guards = append(n.warp(w).Guards, mask) }

func (n *notes) Access(w int, mask uint32, addresses *[trace.WarpSize]uint64) {
	a := testtraces.Access{Mask: mask}
	for l := range addresses {
		if mask>>l&1 != 0 {
			a.Addresses[l] = addresses[l]
		}
	}
	n.warp(w).Accesses = append(n.warp(w).Accesses, a)
}

func (n *notes) AccessStrided(w int, mask uint32, base uint64, stride int64) {
	var addresses [trace.WarpSize]uint64
	for l := range addresses {
		addresses[l] = base + uint64(int64(l)*stride)
	}
	n.Access(w, mask, &addresses)
}

func (n *notes) EndBlock() error { return nil }

func (n *notes) EndLaunch() error { return nil }

func (n *notes) BeginCPUThread() (int, error) {
	n.cpu = append(n.cpu, "thread")
	return 0, nil
}

func (n *notes) BeginCPUChunk() error {
	n.cpu = append(n.cpu, "chunk")
	return nil
}

func (n *notes) AddCPU(in *trace.CPUInstruction, taken bool, addresses []uint64) error {
	n.cpu = append(n.cpu, fmt.Sprint(in.IP, taken, addresses))
	return nil
}

func (n *notes) AddCPUSync(s trace.CPUSync) error {
	n.cpu = append(n.cpu, fmt.Sprint(s.Kind, s.Object, s.Threads))
	return nil
}

func transcribe(t *testing.T, r *wtape.Reader, choose func(*transcriber.Transcriber)) *notes {
	t.Helper()
	n := new(notes)
	x := transcriber.New(r.Content(), n)
	choose(x)
	if err := x.Run(); err != nil {
		t.Fatal(err)
	}
	n.Header = r.Header()
	if x.Events != len(n.events) {
		t.Errorf("%d events were added, it says %d", len(n.events), x.Events)
	}
	return n
}

func everything(*transcriber.Transcriber) {}

func TestASinkIsToldWhatTheTraceHolds(t *testing.T) {
	for seed := range uint64(40) {
		r := testtraces.Open(t, testtraces.Random(300+seed).Encode(t, wtape.Options{Workers: 1}))
		want, err := testtraces.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		got := transcribe(t, r, everything)
		if d := testtraces.Diff(want, &got.Trace); d != "" {
			t.Fatalf("seed %d: held (-) and told (+) differ:\n%s", seed, d)
		}
		if got.chunks != len(r.Chunks()) {
			t.Errorf("seed %d: %d chunks of %d", seed, got.chunks, len(r.Chunks()))
		}
	}
}

func TestOnlyWhatIsChosenIsTold(t *testing.T) {
	r := testtraces.Open(t, testtraces.Small(t, wtape.Options{}))
	got := transcribe(t, r, func(x *transcriber.Transcriber) {
		x.Launches, x.Blocks = trace.Range{First: 1, Last: 1}, trace.Range{First: 1, Last: 2}
	})
	if len(got.Launches) != 1 || len(got.Launches[0].Blocks) != 2 || got.Launches[0].Blocks[0].ID != 1 || got.Launches[0].Blocks[1].ID != 2 {
		t.Errorf("launches %+v", got.Launches)
	}
	if len(got.Kernels) != 2 {
		t.Errorf("%d kernels of 2", len(got.Kernels))
	}
}

// An event that waited for a launch that is left out waits for what that waited for.
func TestWhatALaunchWaitedForIsWaitedForInItsPlace(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "waits", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.SaxpyKernel())
	empty := trace.Launch{Grid: trace.Dim3{X: 0, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}}
	w.AddEvent(trace.HostEvent{Kind: trace.EventFree, Address: 1})
	w.AddEvent(trace.HostEvent{Kind: trace.EventFree, Address: 2})
	w.BeginLaunch(empty, 0, 1) // event 2, left out
	w.EndLaunch()
	w.BeginLaunch(empty, 2) // event 3
	w.EndLaunch()
	w.BeginLaunch(empty, 1) // event 4, left out
	w.EndLaunch()
	w.AddEvent(trace.HostEvent{Kind: trace.EventSynchronize, AllStreams: true, After: []int{1, 4, 3}})
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	got := transcribe(t, testtraces.Open(t, out.Bytes()), func(x *transcriber.Transcriber) {
		x.Launches = trace.Range{First: 1, Last: 1}
	})
	var after [][]int
	for _, e := range got.events {
		after = append(after, e.After)
	}
	if d := cmp.Diff([][]int{nil, nil, {0, 1}, {1, 2}}, after); d != "" {
		t.Errorf("waits differ: %s", d)
	}
}

// A kernel that is in the file behind the last chunk is told behind it.
func TestAKernelBehindAllLaunchesIsToldLast(t *testing.T) {
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "late", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	w.AddKernel(testtraces.LayOut("first", testtraces.LaidBlock{Code: "x"}))
	w.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 1, Y: 1, Z: 1}, Block: trace.Dim3{X: 32, Y: 1, Z: 1}})
	w.BeginBlock(0)
	w.Visit(0, 0, testtraces.AllLanes)
	w.EndBlock()
	w.EndLaunch()
	w.AddKernel(testtraces.LayOut("last", testtraces.LaidBlock{Code: "x"}))
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	sink := &order{notes: new(notes)}
	if err := transcriber.New(testtraces.Open(t, out.Bytes()).Content(), sink).Run(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"kernel first", "thread block 0", "kernel last"}, sink.told); d != "" {
		t.Error(d)
	}
}

// order keeps in which order kernels and thread blocks come.
type order struct {
	*notes
	told []string
}

func (o *order) AddKernel(k *trace.Kernel) (int, error) {
	o.told = append(o.told, "kernel "+k.Name)
	return o.notes.AddKernel(k)
}

func (o *order) BeginBlock(id uint64) {
	o.told = append(o.told, fmt.Sprint("thread block ", id))
	o.notes.BeginBlock(id)
}

func TestEqualKernelsAreToldOnceWhereTheyAreShared(t *testing.T) {
	r := testtraces.Open(t, testtraces.Small(t, wtape.Options{}))
	shared, n := map[string]int{}, new(notes)
	for range 3 {
		x := transcriber.New(r.Content(), n)
		x.Shared = shared
		if err := x.Run(); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.Kernels) != 2 || len(n.Launches) != 9 {
		t.Errorf("%d kernels and %d launches of a trace of 2 and 3, three times", len(n.Kernels), len(n.Launches))
	}
}

func TestCPUThreadsAreToldChunkByChunk(t *testing.T) {
	r := testtraces.Counted(t)
	n := new(notes)
	if err := transcriber.New(r.Content(), n).RunCPU(); err != nil {
		t.Fatal(err)
	}
	want := []string{"thread"}
	c := wtape.NewCPUChunk()
	for i := range r.CPUChunks() {
		if err := r.ReadCPUChunk(i, c); err != nil {
			t.Fatal(err)
		}
		want = append(want, "chunk")
		addresses := slices.Clone(c.Addresses)
		for step, entry := range c.Steps {
			in := &c.Table[entry]
			want = append(want, fmt.Sprint(in.IP, c.Taken[step], addresses[:in.MemoryOperands()]))
			addresses = addresses[in.MemoryOperands():]
		}
	}
	if d := cmp.Diff(want, n.cpu); d != "" || len(want) != 32 {
		t.Errorf("%d records: %s", len(want), d)
	}
}
