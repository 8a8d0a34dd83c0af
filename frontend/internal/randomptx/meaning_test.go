// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/emulator/memory"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

const texelBytes = 8192 // of a texture, at most

// geometryOf is the texture or surface behind a handle. What is written has a texel of 16 bytes for
// each thread.
func geometryOf(p *Program, handle int, at uint64) memory.Texture {
	x := memory.Texture{Name: "texture", Address: at, Width: 8, Channels: 4, Element: ptx.U32}
	geometry, more := Geometries[handle%len(Geometries)], 2
	if handle >= 2*len(Geometries) {
		x.Width, more = p.Grid*p.Block, 1
	}
	if strings.HasSuffix(geometry, "2d") || geometry == "3d" {
		x.Height = more
	}
	if geometry == "3d" {
		x.Depth = more
	}
	if geometry[0] == 'a' {
		x.Layers = more
	}
	return x
}

// outputOf is what a program leaves in memory. Each warp executes turn basic blocks before the next
// warp has its turn.
func outputOf(t *testing.T, p *Program, turn int) []byte {
	t.Helper()
	m, err := ptx.Parse("drawn.ptx", []byte(p.Text))
	if err != nil {
		t.Fatal(err)
	}
	d := emulator.NewDevice(emulator.Options{Turn: turn})
	loaded, err := d.LoadModule(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := loaded.Kernel(p.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	in := make([]byte, InputBytes)
	for at := range in {
		in[at] = byte(random.Uint32())
	}
	var arguments []byte
	var addresses []uint64
	for _, b := range [][]byte{in, make([]byte, p.OutputBytes()), make([]byte, 3*len(Geometries)*texelBytes)} {
		at, err := d.Allocate("buffer", uint64(len(b)))
		if err == nil {
			err = d.Write(at, b)
		}
		if err != nil {
			t.Fatal(err)
		}
		addresses, arguments = append(addresses, at), binary.LittleEndian.AppendUint64(arguments, at)
	}
	for i := range 3 * len(Geometries) {
		handle, err := d.CreateTexture(geometryOf(p, i, addresses[2]+uint64(i)*texelBytes))
		if err != nil {
			t.Fatal(err)
		}
		arguments = binary.LittleEndian.AppendUint64(arguments, handle)
	}
	arguments = append(append(arguments, make([]byte, 16)...), in[:64]...) // a structure, aligned to 32 bytes
	line := func(n int) trace.Dim3 { return trace.Dim3{X: uint32(n), Y: 1, Z: 1} }
	r := emulator.LaunchRequest{Kernel: k, Grid: line(p.Grid), Block: line(p.Block), Cooperative: p.Cooperative, DynamicShared: uint32(p.DynamicBytes), Arguments: arguments}
	if p.Cluster > 0 {
		r.Cluster = line(p.Cluster)
	}
	if _, err := d.Launch(r); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, p.OutputBytes())
	if err := d.Read(addresses[1], out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Programs execute without a fault, and leave the same in memory in whatever order warps run. The
// digest of each thread's registers is there.
func TestProgramsHaveOneMeaning(t *testing.T) {
	list, executed, textures, clusters := forms(t), 0, 0, 0
	for seed := range uint64(10) {
		p := New(list, Options{Seed: seed, Statements: 30, Small: seed%2 == 0})
		if p.Textures {
			textures++
		}
		executed++
		clusters += p.Cluster
		out := outputOf(t, p, 0)
		if other := outputOf(t, p, 1); !bytes.Equal(out, other) {
			t.Errorf("seed %d: in another order of warps it leaves other bytes", seed)
		}
		dumps := out[p.Grid*p.Block*SlotBytes:]
		different := map[[8]byte]bool{}
		for thread := range p.Grid * p.Block {
			different[[8]byte(dumps[thread*DumpBytes:])] = true
		}
		if len(different) < 2 {
			t.Errorf("seed %d: all threads have the digest %v", seed, different)
		}
		if t.Failed() {
			t.Fatal(p.Text)
		}
	}
	if executed < 10 || textures == 0 || clusters == 0 {
		t.Errorf("%d programs, %d with textures, %d thread blocks in clusters", executed, textures, clusters)
	}
}
