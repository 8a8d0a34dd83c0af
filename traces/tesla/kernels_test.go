// SPDX-License-Identifier: Apache-2.0

package teslakernels

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/tesla/image"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/reference"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

// expected are what the kernels leave in shared memory, computed otherwise.
var expected = map[string]func(m []uint32){
	"hash": func(m []uint32) {
		for i := range m {
			x := uint32(i) + 64
			for range 16 {
				x = x*40503 + 1
				x ^= x >> 15
			}
			m[i] = x
		}
	},
	"vector-add": func(m []uint32) {
		for i := range 512 {
			m[i] += m[512+i]
		}
	},
	"matrix-product": func(m []uint32) {
		for row := range 16 {
			for column := range 16 {
				sum := uint32(0)
				for k := range 16 {
					sum += m[16*row+k] * m[256+16*k+column]
				}
				m[512+16*row+column] = sum
			}
		}
	},
	"reduction": func(m []uint32) {
		for block := range slices.Chunk(m, 128) {
			for n := 64; n > 0; n /= 2 {
				for i := range n {
					block[i] += block[i+n]
				}
			}
		}
	},
	"histogram": func(m []uint32) {
		clear(m[512:])
		for i, v := range m[:512] {
			m[512+i/32*32+int(v)]++
		}
	},
	"sort": func(m []uint32) {
		for block := range slices.Chunk(m, 128) {
			for phase := range 16 {
				for i := phase % 2; i+1 < len(block); i += 2 {
					if block[i] > block[i+1] {
						block[i], block[i+1] = block[i+1], block[i]
					}
				}
			}
		}
	},
}

// All blocks share the memory of one multiprocessor with enough block slots.
func TestKernelsComputeWhatTheySay(t *testing.T) {
	for _, name := range Larger() {
		k, _, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		k.Data = make([]uint32, 1024)
		for i := range k.Data {
			k.Data[i] = random.Uint32N(32)
		}
		want := slices.Clone(k.Data)
		of := expected[name]
		if of == nil {
			t.Fatalf("nothing is expected of %s", name)
		}
		of(want)
		c := machine.Tesla()
		c.Multiprocessors, c.BlockSlots, c.WarpSlots, c.RegisterAddressBits = 1, 16, 64, 16
		r, err := machine.Run(k, c, machine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Shared[0]; !slices.Equal(got, want) {
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%s: word %d is %d, want %d", name, i, got[i], want[i])
					break
				}
			}
		}
	}
}

// On the smallest machine that the study of area asks for, too.
func TestKernelsDoNotDependOnTheConfiguration(t *testing.T) {
	for _, name := range slices.Concat(Larger(), Reference()) {
		k, _, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, multiprocessors := range []int{4, 16} {
			c := machine.Tesla()
			c.Multiprocessors = multiprocessors
			r, err := machine.Run(k, c, machine.Options{})
			if err != nil {
				t.Fatalf("%s on %d multiprocessors: %v", name, multiprocessors, err)
			}
			if len(r.Dependences) > 0 {
				t.Errorf("%s depends on %v", name, r.Dependences)
			}
		}
	}
}

func TestReferenceKernelsAreThoseOfTheRuns(t *testing.T) {
	files, err := reference.ReadAll("../../frontend/tesla/reference/runs")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(reference.Variable) == "" && len(files) != len(Reference()) {
		t.Errorf("%d kernels, %d in the runs", len(Reference()), len(files))
	}
	for _, f := range files {
		if !slices.Contains(Reference(), f.Name) {
			continue
		}
		k, _, err := Find(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(image.Of(want), image.Of(k)); diff != "" {
			t.Errorf("%s (-reference +kernel):\n%s", f.Name, diff)
		}
	}
}

func TestUnknownKernelsAreRefused(t *testing.T) {
	if _, _, err := Find("nothing"); err == nil || !strings.Contains(err.Error(), "hash, histogram") {
		t.Error(err)
	}
}
