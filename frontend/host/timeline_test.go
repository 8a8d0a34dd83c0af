// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

var _ host.Sink = (*wtape.Writer)(nil)

// log is a Sink that writes down all that it is told.
type log struct {
	bytes.Buffer
	events, kernels, launches int
	header                    trace.Header
}

func (l *log) UpdateHeader(update func(*trace.Header)) { update(&l.header) }

func (l *log) AddKernel(k *trace.Kernel) (int, error) {
	l.kernels++
	fmt.Fprintf(l, "kernel %s\n", k.Name)
	return l.kernels - 1, nil
}

func (l *log) AddEvent(e trace.HostEvent) (int, error) {
	l.events++
	fmt.Fprintf(l, "%s %s device=%x host=%x bytes=%d stream=%d all=%v operations=%d after=%v\n",
		e.Kind, e.Name, e.Address, e.HostAddress, e.Bytes, e.Stream, e.AllStreams, e.Operations, e.After)
	return l.events - 1, nil
}

func (l *log) BeginLaunch(launch trace.Launch, after ...int) (int, error) {
	l.launches++
	l.events++
	fmt.Fprintf(l, "launch grid=%d,%d,%d block=%d,%d,%d shared=%d stream=%d after=%v\n", launch.Grid.X, launch.Grid.Y, launch.Grid.Z,
		launch.Block.X, launch.Block.Y, launch.Block.Z, launch.DynamicSharedBytes, launch.Stream, after)
	return l.launches - 1, nil
}

func (l *log) EndLaunch() error { fmt.Fprintln(l, "end"); return nil }

func (l *log) BeginBlock(block uint64)            { fmt.Fprintln(l, "block", block) }
func (l *log) Visit(warp int, block, mask uint32) { fmt.Fprintln(l, "visit", warp, block, mask) }
func (l *log) Guard(warp int, mask uint32)        { fmt.Fprintln(l, "guard", warp, mask) }
func (l *log) EndBlock() error                    { fmt.Fprintln(l, "end block"); return nil }
func (l *log) AccessStrided(w int, m uint32, base uint64, stride int64) {
	fmt.Fprintln(l, "strided", w, m, base, stride)
}

func (l *log) Access(w int, m uint32, a *[32]uint64) { fmt.Fprintln(l, "access", w, m, *a) }

func TestTimelineHasEveryStepInOrder(t *testing.T) {
	p := load(t, inMain(`b = gpu.buffer("x", array.zeros(f32, 4), stream=1)
e = gpu.launch(m.scale, grid=1, block=4, args=[b, 1.0, 4], stream=1)
gpu.read(b, stream=2, after=[e, e])
c = gpu.alloc("y", u8, 5000)
gpu.fill(c, 1)
gpu.write(c, u8([1]), start=3)
host.compute("think", operations=99, after=[e])
gpu.synchronize(1)
gpu.launch(m.scale, (1, 2), (2, 1, 2), [b, 1.0, 4], shared=8, stream=3, after=[gpu.synchronize(), e])
d = gpu.buffer("z", u8([1]))
gpu.free(c)`))
	var l log
	if _, err := p.Run(context.Background(), host.Options{Sink: &l}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range strings.Split(l.String(), "\n") {
		kind, _, _ := strings.Cut(line, " ")
		switch kind {
		case "block", "visit", "guard", "access", "strided", "end", "":
		default:
			got = append(got, line)
		}
	}
	want := []string{
		"allocate x host=0 bytes=16 stream=0",
		"host-allocate x host=7f0000000000 bytes=16 stream=0",
		"copy-to-device x host=7f0000000000 bytes=16 stream=1",
		"kernel scale",
		"launch grid=1,1,1 block=4,1,1 shared=0 stream=1",
		"copy-to-host x host=7f0000000000 bytes=16 stream=2 after=[3]",
		"allocate y host=0 bytes=5000 stream=0",
		"fill y host=0 bytes=5000 stream=0",
		"host-allocate y host=7f0000001000 bytes=5000 stream=0",
		"copy-to-device y host=7f0000001003 bytes=1 stream=0",
		"compute think host=0 bytes=0 stream=0 operations=99 after=[3]",
		"synchronize  host=0 bytes=0 stream=1",
		"synchronize  host=0 bytes=0 stream=0 all=true",
		"launch grid=1,2,1 block=2,1,2 shared=8 stream=3 after=[3 11]",
		"allocate z host=0 bytes=1 stream=0",
		"host-allocate z host=7f0000003000 bytes=1 stream=0",
		"copy-to-device z host=7f0000003000 bytes=1 stream=0",
		"free y host=0 bytes=0 stream=0",
	}
	if diff := cmp.Diff(want, simplify(got)); diff != "" {
		t.Error(diff)
	}
}

// simplify drops device addresses, which the emulator chooses, and what has
// its zero value.
func simplify(lines []string) []string {
	var out []string
	for _, line := range lines {
		var words []string
		for _, word := range strings.Split(line, " ") {
			if !strings.HasPrefix(word, "device=") && word != "all=false" && word != "operations=0" && word != "after=[]" {
				words = append(words, word)
			}
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// fullDisk is a Sink that fails in one of its methods.
type fullDisk struct {
	log
	in string
}

var errFull = errors.New("no space left on device")

func (f *fullDisk) err(method string) error {
	if f.in == method {
		return errFull
	}
	return nil
}

func (f *fullDisk) AddKernel(*trace.Kernel) (int, error)          { return 0, f.err("AddKernel") }
func (f *fullDisk) AddEvent(e trace.HostEvent) (int, error)       { return 0, f.err(e.Kind.String()) }
func (f *fullDisk) BeginLaunch(trace.Launch, ...int) (int, error) { return 0, f.err("BeginLaunch") }
func (f *fullDisk) EndBlock() error                               { return f.err("EndBlock") }
func (f *fullDisk) EndLaunch() error                              { return f.err("EndLaunch") }

func TestErrorOfTheSinkEndsTheRun(t *testing.T) {
	p := load(t, inMain(`b = gpu.buffer("x", array.zeros(f32, 4))
gpu.launch(m.scale, grid=1, block=4, args=[b, 1.0, 4])
gpu.fill(b, 0)
gpu.read(b)
host.compute("x", operations=1)
gpu.synchronize()
gpu.free(b)`))
	for _, method := range []string{
		"AddKernel", "BeginLaunch", "EndBlock", "EndLaunch", "allocate", "host-allocate", "copy-to-device",
		"fill", "copy-to-host", "compute", "synchronize", "free",
	} {
		_, err := p.Run(context.Background(), host.Options{Sink: &fullDisk{in: method}})
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got %v", method, err)
		}
	}
	if _, err := p.Run(context.Background(), host.Options{Sink: &fullDisk{}}); err != nil {
		t.Error(err)
	}
}

func TestConcurrentRunsDoNotMeet(t *testing.T) {
	p := load(t, inMain(`b = gpu.buffer("x", random.uniform(f32, 100))
gpu.launch(m.scale, grid=1, block=100, args=[b, 1.5, 100])
print(gpu.read(b))`))
	var outs [4]bytes.Buffer
	var group sync.WaitGroup
	for i := range outs {
		group.Go(func() {
			if _, err := p.Run(context.Background(), host.Options{Out: &outs[i]}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i := range outs {
		if diff := cmp.Diff(outs[0].String(), outs[i].String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTwoRunsAreTheSame(t *testing.T) {
	p := load(t, inMain(`b = gpu.buffer("x", random.uniform(f32, 100))
gpu.launch(m.scale, grid=1, block=100, args=[b, 1.5, 100])
gpu.read(b)`))
	run := func(seed uint64) string {
		var l log
		if _, err := p.Run(context.Background(), host.Options{Sink: &l, Seed: seed}); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%+v\n%s", l.header, l.String())
	}
	if diff := cmp.Diff(run(1), run(1)); diff != "" {
		t.Error(diff)
	}
	if run(1) == run(2) {
		t.Error("the seed makes no difference, not even in the header")
	}
}

func TestHeaderSaysWhereTheRunCameFrom(t *testing.T) {
	p := load(t, "sizes = {'a': {'n': 1}}\n"+inMain("pass"))
	var l log
	if _, err := p.Run(context.Background(), host.Options{Sink: &l, Seed: 5, Set: map[string]string{"n": "3"}}); err != nil {
		t.Fatal(err)
	}
	h := l.header
	if h.Program != "p" || h.ProgramDigest != p.Digest() || h.Seed != 5 || len(h.PTX) != 1 || h.PTX[0].Name != "dir/scale.ptx" || len(h.PTX[0].Digest) != 64 {
		t.Errorf("got %+v", h)
	}
	if diff := cmp.Diff(map[string]string{"size": "a", "n": "3"}, h.Arguments); diff != "" {
		t.Error(diff)
	}
}
