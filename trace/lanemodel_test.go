package trace

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/trace/internal/lanecode"
)

// gather is a kernel of two loads in a loop, of which the second has the addresses
// that each model is made for.
type gather struct {
	model         int
	warps, visits int
	address       func(g *gatherState) (first, second [WarpSize]uint64)
}

type gatherState struct {
	*rand.Rand
	warp, visit int
	mask        uint32
	last        [WarpSize]uint64
	centre      [WarpSize]uint64
	table       [5000]uint64
}

// around is at most so far from a number.
func (g *gatherState) around(n uint64, far int) uint64 {
	return n + uint64(g.IntN(2*far+1)) - uint64(far)
}

func (g *gatherState) each(address func(lane int) uint64) (out [WarpSize]uint64) {
	for l := range out {
		out[l] = address(l)
	}
	return out
}

var noGather [WarpSize]uint64

func gathers() []gather {
	return []gather{
		{lanecode.ModelUniform, 40, 20, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
		}},
		{lanecode.ModelLaneBefore, 40, 20, func(g *gatherState) (_, second [WarpSize]uint64) {
			at := uint64(1 << 20)
			return noGather, g.each(func(int) uint64 { at += 4 * uint64(g.IntN(12)); return at })
		}},
		{lanecode.ModelLanesMean, 400, 2, func(g *gatherState) (_, second [WarpSize]uint64) {
			centre := uint64(1<<20 + 50*g.warp)
			return noGather, g.each(func(int) uint64 { return g.around(centre, 60) })
		}},
		{lanecode.ModelSameLane, 20, 40, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 {
				if g.visit == 0 {
					g.last[l] = uint64(g.IntN(1 << 24))
				}
				g.last[l] = g.around(g.last[l], 20) + 900
				return g.last[l]
			})
		}},
		{lanecode.ModelSameLaneMean, 20, 40, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 {
				if g.visit == 0 {
					g.centre[l] = uint64(g.IntN(1 << 24))
				}
				return g.around(g.centre[l], 300)
			})
		}},
		{lanecode.ModelLaneNumber, 400, 2, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 {
				if g.warp == 0 && g.visit == 0 {
					g.centre[l] = uint64(g.IntN(1 << 24))
				}
				return g.around(g.centre[l], 300)
			})
		}},
		{lanecode.ModelSuccessor, 40, 40, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 {
				if g.visit == 0 {
					g.last[l] = uint64(g.IntN(len(g.table)))
				}
				if g.mask>>l&1 == 1 { // the other lanes do not walk
					g.last[l] = g.table[g.last[l]]
				}
				return 8 * g.last[l]
			})
		}},
		{lanecode.ModelCompanion, 20, 20, func(g *gatherState) (first, second [WarpSize]uint64) {
			first = g.each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
			return first, g.each(func(l int) uint64 { return 1<<30 + 2*first[l] })
		}},
		{lanecode.ModelMap, 40, 40, func(g *gatherState) (first, second [WarpSize]uint64) {
			first = g.each(func(int) uint64 { return uint64(g.IntN(len(g.table))) })
			return first, g.each(func(l int) uint64 { return 1<<30 + 12*g.table[first[l]] })
		}},
		{lanecode.ModelNearCompanion, 40, 20, func(g *gatherState) (first, second [WarpSize]uint64) {
			first = g.each(func(int) uint64 { return 4 * uint64(g.IntN(9000)) })
			return first, g.each(func(l int) uint64 { return 1<<30 + 4*uint64(l) + first[l] + 4*uint64(g.IntN(2)) })
		}},
		// Counters of their own for each lane: a step.
		{lanecode.ModelSameLaneMean, 20, 40, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 { return uint64(4*l) + 128*uint64(g.IntN(50)+g.IntN(50)) })
		}},
		// Searches in a tree of 31 nodes of which a third are forks: contexts by key.
		{lanecode.ModelSuccessor, 100, 40, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 {
				node := &g.last[l]
				if g.mask>>l&1 == 1 {
					if fork := *node % 3; g.Uint64N(2) < fork {
						*node = 2**node + 2
					} else {
						*node = 2**node + 1
					}
					if *node > 30 || g.visit%5 == 0 {
						*node = 0
					}
				}
				return 1<<20 + 4**node
			})
		}},
		// Addresses with more zeros than ones, as in graphs of the R-MAT model: coded
		// open bits.
		{lanecode.ModelUniform, 60, 30, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(int) uint64 {
				return 4 * uint64(g.IntN(300)<<6|int(g.Uint32()&g.Uint32()&63))
			})
		}},
		// Lanes that move far or not at all, and keep to it: contexts of the same lane.
		{lanecode.ModelSameLane, 40, 60, func(g *gatherState) (_, second [WarpSize]uint64) {
			return noGather, g.each(func(l int) uint64 {
				if g.visit == 0 {
					g.last[l] = uint64(g.IntN(1 << 22))
				}
				if g.mask>>l&1 == 1 {
					g.last[l] += uint64(l%4) * uint64(l%4) * uint64(l%4) * (90 + uint64(g.IntN(20)))
				}
				return 4 * g.last[l]
			})
		}},
	}
}

func (x *gather) kernel() *Kernel {
	kernel := layOut("gather", laidBlock{"lla", []uint32{0, 1}}, laidBlock{"x", nil})
	if x.model == lanecode.ModelCompanion { // units of the companion are twice as large
		kernel.Instructions[1].LaneBytes = 8
	}
	return kernel
}

// record returns a trace of the gather.
func (x *gather) record(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, "gather", Header{}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	k, err := w.AddKernel(x.kernel())
	if err != nil {
		t.Fatal(err)
	}
	x.launch(t, w, k)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// launch records the gather; the same each time.
func (x *gather) launch(t testing.TB, w *Writer, kernel int) {
	t.Helper()
	g := &gatherState{Rand: rand.New(rand.NewPCG(uint64(x.model), 5))}
	for i, n := range g.Perm(len(g.table)) {
		g.table[i] = uint64(n)
	}
	if _, err := w.BeginLaunch(Launch{Kernel: kernel, Grid: Dim3{uint32(x.warps), 1, 1}, Block: Dim3{32, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	for g.warp = range x.warps {
		w.BeginBlock(uint64(g.warp))
		for g.visit = range x.visits {
			g.mask = allLanes
			if g.visit%5 == 3 {
				g.mask = g.Uint32() | 1
			}
			w.Visit(0, 0, g.mask)
			first, second := x.address(g)
			w.Access(0, g.mask, &first)
			w.Access(0, g.mask, &second)
		}
		w.Visit(0, 1, allLanes)
		if err := w.EndBlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.EndLaunch(); err != nil {
		t.Fatal(err)
	}
}

func TestEachLaneModelIsChosenForWhatItIsMadeFor(t *testing.T) {
	for _, x := range gathers() {
		data := x.record(t)
		r := openBytes(t, data)
		c := NewChunk()
		if err := r.ReadChunk(0, c); err != nil {
			t.Fatal(err)
		}
		streams := c.columns.streams
		if got := int(streams[len(streams)-1].laneModel); got != x.model {
			t.Errorf("lane model %d, want %d", got, x.model)
		}
		if err := compareWithReference(data); err != nil {
			t.Errorf("model %d: %v", x.model, err)
		}
	}
}

// A random permutation of n nodes that is walked again and again costs its entropy,
// log2(n!) bits, and the start of each walk; not log2(n) bits for every step.
func TestPointerChaseCostsTheEntropyOfItsLinks(t *testing.T) {
	x := gathers()[6]
	x.warps = 100
	r := openBytes(t, x.record(t))
	nodes := 5000.0
	links, _ := math.Lgamma(nodes + 1)
	starts := float64(x.warps) * WarpSize * math.Log2(nodes)
	floor := (links/math.Ln2 + starts) / 8
	have := 0.0
	for _, c := range r.Chunks() {
		have += float64(c.Length)
	}
	steps := float64(x.warps*x.visits) * WarpSize * math.Log2(nodes) / 8
	if have > 2*floor || have > steps/5 {
		t.Errorf("%.0f bytes, the floor is %.0f, and %.0f without a memory of the links", have, floor, steps)
	}
}

func TestLaneClassesCoverAllCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	codes := []uint64{0, 1, 7, 8, 9, 15, 16, 17, math.MaxUint64, math.MaxUint64 - 1, 1 << 63}
	for range 2000 {
		codes = append(codes, rng.Uint64()>>rng.IntN(64))
	}
	z := lanecode.Encoder{Codes: codes}
	for _, c := range codes {
		class, _ := lanecode.Class(c)
		z.Classes = append(z.Classes, class)
	}
	r := lanecode.NewCodeReader(z.Classes, z.OpenBits())
	for at := 0; at < len(codes); {
		mask := rng.Uint32() >> rng.IntN(32)
		for bits.OnesCount32(mask) > len(codes)-at {
			mask &= mask - 1
		}
		var got [WarpSize]uint64
		r.Take(mask, &got)
		for l := range got {
			if mask>>l&1 == 0 {
				continue
			}
			if got[l] != codes[at] {
				t.Fatalf("code %d: got %#x, want %#x", at, got[l], codes[at])
			}
			at++
		}
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// entropyOf is Shannon's, in bytes for all of the data.
func entropyOf(data []byte) float64 {
	var counts [256]float64
	for _, b := range data {
		counts[b]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			bits += n * math.Log2(float64(len(data))/n)
		}
	}
	return bits / 8
}

func TestCodedClassesComeCloseToTheirEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, spread := range []float64{0, 0.01, 0.3, 2, 40} {
		classes := make([]byte, 60000)
		var counts [lanecode.MaxClass + 1]uint32
		for i := range classes {
			classes[i] = byte(min(lanecode.MaxClass, math.Abs(rng.NormFloat64())*spread))
			counts[classes[i]]++
		}
		var e lanecode.EntropyEncoder
		coded := e.Append(nil, classes, counts[:])
		if limit := 1.01*entropyOf(classes) + 300; float64(len(coded)) > limit {
			t.Errorf("spread %g: %d bytes, want at most %.0f", spread, len(coded), limit)
		}
		var d lanecode.EntropyDecoder
		got, err := d.Append(nil, coded, len(classes))
		if err != nil || !bytes.Equal(got, classes) {
			t.Errorf("spread %g: does not decode to what it was: %v", spread, err)
		}
		if _, err := d.Append(nil, coded, len(classes)-1); err == nil {
			t.Error("more classes than allowed were decoded")
		}
	}
}

func TestRareClassesKeepAFrequency(t *testing.T) {
	var counts [lanecode.MaxClass + 1]uint32
	var classes []byte
	for class := range counts { // all but one are rarer than 1/4096
		n := 1
		if class == 5 {
			n = 2_000_000
		}
		counts[class] = uint32(n)
		classes = append(classes, bytes.Repeat([]byte{byte(class)}, n)...)
	}
	var e lanecode.EntropyEncoder
	var d lanecode.EntropyDecoder
	got, err := d.Append(nil, e.Append(nil, classes, counts[:]), len(classes))
	if err != nil || !bytes.Equal(got, classes) {
		t.Errorf("does not decode to what it was: %v", err)
	}
}

func FuzzEntropyDecoder(f *testing.F) {
	var e lanecode.EntropyEncoder
	var counts [lanecode.MaxClass + 1]uint32
	classes := []byte{0, 0, 0, 1, 0, 2, 0, 0, 9, 0, 251}
	for _, c := range classes {
		counts[c]++
	}
	f.Add(e.Append(nil, classes, counts[:]))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, coded []byte) {
		var d lanecode.EntropyDecoder
		out, err := d.Append(nil, coded, 1<<16)
		if err == nil && len(out) > 1<<16 {
			t.Fatalf("%d classes", len(out))
		}
	})
}

// A decoder's model, which sees codes only, keeps in step with the encoder's.
func TestUnitsInvertCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for kind := lanecode.ModelUniform; kind < lanecode.ModelEnd; kind++ {
		var encoder, decoder lanecode.Model
		var watch lanecode.Watch
		encoder.Start(kind, 1<<12, &watch, 2, 0)
		decoder.Start(kind, 1<<12, &watch, 2, 0)
		for warp := range 40 {
			for range 1 + r.IntN(8) {
				mask := r.Uint32() | 1<<r.IntN(32)
				if r.IntN(3) == 0 {
					mask = lanecode.AllWarpLanes
				}
				watch.Warp, watch.Seen = warp-r.IntN(2), r.Uint32()
				var units, got [WarpSize]uint64
				for l := range units {
					watch.Addresses[l] = r.Uint64N(1 << 12)
					if mask>>l&1 == 1 {
						units[l] = watch.Addresses[l]>>2 + 77 + r.Uint64N(2)*r.Uint64N(1<<10)
					}
				}
				if r.IntN(10) == 0 && mask>>3&1 == 1 {
					units[3] = r.Uint64() >> 1
				}
				got = units
				encoder.Codes(warp, mask, &got)
				decoder.Units(warp, mask, &got)
				for l := range got {
					if mask>>l&1 == 1 && got[l] != units[l] {
						t.Fatalf("model %d, warp %d, mask %08x: lane %d has units %d, want %d", kind, warp, mask, l, got[l], units[l])
					}
				}
			}
		}
	}
}
