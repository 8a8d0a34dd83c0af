// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// An address that differs is found in whatever access of a warp it is, and its place is named.
func TestEachAccessIsCompared(t *testing.T) {
	tried := 0
	for seed := range uint64(12) {
		m := testtraces.Random(500 + seed)
		a := testtraces.Open(t, m.Encode(t, wtape.Options{Workers: 1, Level: wtape.LevelFast}))
		if d, err := Traces(a, a); d != "" || err != nil {
			t.Fatalf("seed %d: a trace differs from itself: %s, %v", seed, d, err)
		}
		draw := rand.New(rand.NewPCG(seed, 92))
		for l := range m.Launches {
			for b := range m.Launches[l].Blocks {
				block := &m.Launches[l].Blocks[b]
				w := draw.IntN(len(block.Warps))
				list := block.Warps[w].Accesses
				if len(list) < 2 || draw.IntN(3) > 0 {
					continue
				}
				x := &list[len(list)-1-draw.IntN(len(list)/2)]
				if x.Mask == 0 {
					continue
				}
				lane := bits.TrailingZeros32(x.Mask)
				x.Addresses[lane] ^= 1 << 20
				other := testtraces.Open(t, m.Encode(t, wtape.Options{Workers: 1, Level: wtape.LevelFast}))
				x.Addresses[lane] ^= 1 << 20
				place, warp := fmt.Sprintf("launch %d (", l), fmt.Sprintf("thread block %d, warp %d, visit ", block.ID, w)
				for _, pair := range [][2]*wtape.Reader{{a, other}, {other, a}} {
					d, err := Traces(pair[0], pair[1])
					if err != nil || !strings.HasPrefix(d, place) || !strings.Contains(d, warp) {
						t.Errorf("seed %d: %q, %v; want %s...%s", seed, d, err, place, warp)
					}
				}
				tried++
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d accesses are changed", tried)
	}
}

// step is what a CPU thread does.
type step struct {
	in        trace.CPUInstruction
	taken     bool
	addresses []uint64
	sync      trace.CPUSync
}

func threaded(t *testing.T, threads [][]step) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "cpu", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		w.BeginCPUThread()
		for i := range thread {
			if s := &thread[i]; s.sync.Kind != trace.CPUNoSync {
				w.AddCPUSync(s.sync)
			} else if err := w.AddCPU(&s.in, s.taken, s.addresses); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return testtraces.Open(t, out.Bytes())
}

// CPU threads differ in an instruction, an outcome, an address, a synchronisation, or in how much there is of them.
func TestDifferencesOfCPUThreadsAreNamed(t *testing.T) {
	both := func() [][]step {
		thread := []step{
			{in: trace.CPUInstruction{IP: 16}},
			{in: trace.CPUInstruction{IP: 20, LoadSlots: 1, StoreSlots: 1}, addresses: []uint64{256, 512}},
			{sync: trace.CPUSync{Kind: trace.CPULock, Object: 8}},
			{sync: trace.CPUSync{Kind: trace.CPUUnlock, Object: 8}},
			{in: trace.CPUInstruction{IP: 24, Branch: true}, taken: true},
		}
		return [][]step{append([]step(nil), thread...), append([]step(nil), thread...)}
	}
	for _, c := range []struct {
		what   string
		change func(threads [][]step) [][]step
		want   string
	}{
		{"nothing", func(s [][]step) [][]step { return s }, ""},
		{"an instruction", func(s [][]step) [][]step { s[1][0].in.IP = 17; return s }, "CPU thread 1, instruction 0: 10 - "},
		{"a branch", func(s [][]step) [][]step { s[0][4].taken = false; return s }, "CPU thread 0, instruction 2: 18 t "},
		{"an address", func(s [][]step) [][]step { s[1][1].addresses = []uint64{256, 520}; return s }, "CPU thread 1, instruction 1: 14 - "},
		{"a lock", func(s [][]step) [][]step { s[0][2].sync.Object = 16; s[0][3].sync.Object = 16; return s }, "CPU thread 0, before instruction 2: lock 8 0, unlock 8 0 and lock 10 0, unlock 10 0"},
		{"no lock", func(s [][]step) [][]step { s[1] = append(s[1][:2], s[1][4]); return s }, "CPU thread 1, before instruction 2: lock 8 0, unlock 8 0 and no synchronisation"},
		{"a shorter thread", func(s [][]step) [][]step { s[1] = s[1][:2]; return s }, "the second has no CPU thread 1, instruction 2"},
		{"a longer thread", func(s [][]step) [][]step { s[0] = append(s[0], s[0][0]); return s }, "the first has no CPU thread 0, instruction 3"},
		{"a thread less", func(s [][]step) [][]step { return s[:1] }, "2 CPU threads and 1"},
	} {
		d, err := Traces(threaded(t, both()), threaded(t, c.change(both())))
		if err != nil || !strings.HasPrefix(d, c.want) || c.want == "" && d != "" {
			t.Errorf("%s: %q, %v; want %q", c.what, d, err, c.want)
		}
	}
}
