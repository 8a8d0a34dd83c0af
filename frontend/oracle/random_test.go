// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/warptape/warptape/frontend/emulator"
	"github.com/warptape/warptape/frontend/oracle/internal/random"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
)

// stored reads a compressed file of testdata.
func stored(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".zst"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err = r.DecodeAll(data, nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}

// load makes a device with a module.
func load(t testing.TB, name string, text []byte) (*emulator.Device, *emulator.Module) {
	t.Helper()
	parsed, err := ptx.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	d := emulator.NewDevice(emulator.Options{MaxInstructions: 1 << 24})
	m, err := d.LoadModule(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

// buffer makes a buffer with the given content.
func buffer(t testing.TB, d *emulator.Device, name string, data []byte) uint64 {
	t.Helper()
	address, err := d.Allocate(name, uint64(len(data)))
	if err == nil {
		err = d.Write(address, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func dims(x, y uint32) trace.Dim3 { return trace.Dim3{X: x, Y: y, Z: 1} }

const threads = RandomGrid * RandomBlock

func TestRandomKernelsComputeWhatTheHostComputes(t *testing.T) {
	for _, module := range tracetest.Draw(t, RandomModules(), 1) {
		name := fmt.Sprintf("random/seed%d-%s.ptx", module.Seed, module.Level)
		expected := stored(t, fmt.Sprintf("random/seed%d.out", module.Seed))
		if len(expected) != RandomKernels*threads*8 {
			t.Fatalf("%s: %d bytes of expected output", name, len(expected))
		}
		var input []byte
		for _, v := range random.Input(module.Seed, threads) {
			input = binary.LittleEndian.AppendUint64(input, v)
		}
		d, m := load(t, name, stored(t, name))
		in, out := buffer(t, d, "input", input), buffer(t, d, "output", make([]byte, threads*8))
		arguments := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
		for i := range RandomKernels {
			got, want := runRandom(t, d, m, i, out, arguments), expected[i*threads*8:][:threads*8]
			if !bytes.Equal(got, want) {
				wrong := firstWrong(got, want)
				t.Errorf("%s k%d: thread %d of %d wrong ones gives %x, want %x", name, i, wrong, countWrong(got, want), got[wrong*8:][:8], want[wrong*8:][:8])
			}
		}
	}
}

// runRandom runs kernel number i and gives its output.
func runRandom(t *testing.T, d *emulator.Device, m *emulator.Module, i int, out uint64, arguments []byte) []byte {
	k, err := m.Kernel(fmt.Sprintf("k%d", i))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Launch(emulator.LaunchRequest{Kernel: k, Grid: dims(RandomGrid, 1), Block: dims(RandomBlock, 1), Arguments: arguments}); err != nil {
		t.Errorf("k%d: %v", i, err)
	}
	got := make([]byte, threads*8)
	if err := d.Read(out, got); err != nil {
		t.Fatal(err)
	}
	return got
}

func firstWrong(got, want []byte) int {
	i := 0
	for got[i] == want[i] {
		i++
	}
	return i / 8
}

func countWrong(got, want []byte) int {
	n := 0
	for i := 0; i < len(got); i += 8 {
		if !bytes.Equal(got[i:i+8], want[i:i+8]) {
			n++
		}
	}
	return n
}

func TestRandomModulesAreFunctionsOfTheirSeed(t *testing.T) {
	first, again, other := random.Module(3, 5), random.Module(3, 5), random.Module(4, 5)
	if first != again || first == other {
		t.Error("a module depends on more or less than its seed")
	}
}
