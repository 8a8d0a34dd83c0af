// SPDX-License-Identifier: Apache-2.0

package nativecoexecutor_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contamination"
	"github.com/warptape/warptape/frontend/internal/randomptx"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// drawn is the launch of a random program, with input and textures of its seed.
func drawn(t testing.TB, p *randomptx.Program, seed uint64) run {
	t.Helper()
	m, err := ptx.Parse(fmt.Sprintf("seed%d.ptx", seed), []byte(p.Text))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	random := rand.New(rand.NewPCG(seed, 5))
	dims := func(x int) trace.Dim3 { return trace.Dim3{X: uint32(x), Y: 1, Z: 1} }
	r := run{module: m, kernel: p.Kernel, grid: dims(p.Grid), block: dims(p.Block), shared: uint32(p.DynamicBytes), cooperative: p.Cooperative}
	if p.Cluster > 0 {
		r.cluster = dims(p.Cluster)
	}
	in := make([]byte, randomptx.InputBytes)
	for at := 0; at < len(in); at += 4 {
		w := random.Uint32() >> (random.IntN(4) * 9) // small numbers, too
		binary.LittleEndian.PutUint32(in[at:], w)
	}
	texels := []byte{0}
	if p.Textures {
		texels = make([]byte, 3*len(randomptx.Geometries)*8192)
		for at := range texels {
			texels[at] = byte(random.Uint32())
		}
		for i := range 3 * len(randomptx.Geometries) {
			geometry := randomptx.Geometries[i%len(randomptx.Geometries)]
			x := randomTexture(random, geometry)
			if strings.Contains(p.Text, "suq.") {
				x.Pitch = 0 // what is asked of as a surface has no gaps between its rows
			}
			if i >= len(randomptx.Geometries) { // a surface, with 16 bytes a texel
				x.Width, x.Height, x.Channels, x.Element, x.Linear, x.Pitch = 8, min(x.Height, 1)*2, 4, ptx.U32, false, 0
				x.Depth, x.Layers = min(x.Depth, 1)*2, min(x.Layers, 1)*2
			}
			if i >= 2*len(randomptx.Geometries) {
				x.Width, x.Height, x.Depth, x.Layers = p.Grid*p.Block, min(x.Height, 1), min(x.Depth, 1), min(x.Layers, 1)
			}
			x.Name, x.Address = fmt.Sprint("texture", i), uint64(i)*8192
			r.textures = append(r.textures, textured{Texture: x, buffer: 2})
		}
	} else {
		r.numbers = make([]byte, 8*3*len(randomptx.Geometries))
	}
	r.numbers = append(r.numbers, make([]byte, 16)...)
	for range 64 {
		r.numbers = append(r.numbers, byte(random.Uint32()))
	}
	r.buffers = [][]byte{in, make([]byte, p.OutputBytes()), texels}
	return r
}

func forms(t testing.TB) *randomptx.Forms {
	t.Helper()
	text, err := os.ReadFile("../ptx/testdata/table/every-form.ptx")
	if err != nil {
		t.Fatal(err)
	}
	return randomptx.ReadForms(string(text))
}

// seedsOf draws one of the first n seeds. WARPTAPE_SEEDS=FIRST,COUNT chooses others.
func seedsOf(t *testing.T, n int) (seeds []uint64) {
	text := os.Getenv("WARPTAPE_SEEDS")
	if text == "" {
		return tracetest.Seeds(t, n, 1)
	}
	var first, count uint64
	if _, err := fmt.Sscanf(text, "%d,%d", &first, &count); err != nil {
		t.Fatal(err)
	}
	for i := range count {
		seeds = append(seeds, first+i)
	}
	return seeds
}

// Programs with all instructions that the front end accepts, straight through, and smaller ones by
// segments.
func TestRandomInstructionsAreRecordedAlike(t *testing.T) {
	list, seeds := forms(t), seedsOf(t, 60)
	straight, foreign, segments := open(t, nativecoexecutor.Options{}), open(t, nativecoexecutor.Options{Foreign: true}), open(t, nativecoexecutor.Options{Mode: contamination.Segments})
	for _, seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			p := randomptx.New(list, randomptx.Options{Seed: seed, Statements: 40})
			r := drawn(t, p, seed)
			if p.Pointers { // whose addresses another device would give
				r.compare(t, straight)
			} else {
				r.compare(t, foreign)
			}
			p = randomptx.New(list, randomptx.Options{Seed: seed, Statements: 18, Small: true})
			r = drawn(t, p, seed)
			r.compare(t, segments)
		})
	}
}

// Programs that depend on the order of lanes, warps and thread blocks, and have memory from the
// heap, with logs of several sizes: such as have room for the grid, for some thread blocks, or for
// none of them, which then goes on by segments.
func TestRandomOrdersAreRecordedAlike(t *testing.T) {
	tracetest.Nightly(t)
	list, seeds := forms(t), seedsOf(t, 60)
	foreign := open(t, nativecoexecutor.Options{Foreign: true})
	var devices []device
	for _, n := range []uint64{20 << 10, 40 << 10} {
		devices = append(devices, open(t, nativecoexecutor.Options{LogBytes: n}), open(t, nativecoexecutor.Options{LogBytes: n, Mode: contamination.Segments}))
	}
	for _, seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			p := randomptx.New(list, randomptx.Options{Seed: seed, Statements: 40, Ordered: true})
			r := drawn(t, p, seed)
			if !p.Pointers {
				r.compare(t, foreign)
			}
			r.compare(t, devices[2])
			p = randomptx.New(list, randomptx.Options{Seed: seed, Statements: 18, Small: true, Ordered: true})
			r = drawn(t, p, seed)
			for _, d := range devices {
				r.compare(t, d)
			}
		})
	}
}
