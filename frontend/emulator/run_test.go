// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// parse makes a module of PTX text.
func parse(t testing.TB, name, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// kernelOf loads PTX text on a device and gives one of its kernels.
func kernelOf(t testing.TB, d *Device, file, text, name string) *LoadedKernel {
	t.Helper()
	m, err := d.LoadModule(parse(t, file, text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// reference loads a kernel of the reference simulator's set.
func reference(t testing.TB, d *Device, file, name string) *LoadedKernel {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "ptx", "testdata", "reference", file))
	if err != nil {
		t.Fatal(err)
	}
	return kernelOf(t, d, file, string(text), name)
}

// pack packs arguments of 4 and 8 bytes, aligned to their sizes (5.1.6).
func pack(arguments ...any) []byte {
	var b []byte
	for _, a := range arguments {
		switch v := a.(type) {
		case uint64:
			for len(b)%8 != 0 {
				b = append(b, 0)
			}
			b = binary.LittleEndian.AppendUint64(b, v)
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, v)
		case float32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		default:
			panic("pack: argument of another type")
		}
	}
	return b
}

// upload makes a buffer of 32-bit words.
func upload(t testing.TB, d *Device, name string, words []uint32) uint64 {
	t.Helper()
	address, err := d.Allocate(name, uint64(4*len(words)))
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	if err := d.Write(address, b); err != nil {
		t.Fatal(err)
	}
	return address
}

// download reads n 32-bit words.
func download(t testing.TB, d *Device, address uint64, n int) []uint32 {
	t.Helper()
	b := make([]byte, 4*n)
	if err := d.Read(address, b); err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// floats gives the bits of n small numbers, different for each seed.
func floats(seed, n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = math.Float32bits(float32((i*7+seed*13)%101-50) / 8)
	}
	return words
}

func value(word uint32) float32 { return math.Float32frombits(word) }

func dims(x, y uint32) trace.Dim3 { return trace.Dim3{X: x, Y: y, Z: 1} }
