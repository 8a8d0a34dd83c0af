// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// joining runs a kernel of testdata/joins, which clang 19 made of the CUDA C beside it: no
// thread takes the returns, asserts and unreachable defaults in it.
func joining(t *testing.T, file, name string, threads, words int, inputs ...[]uint32) ([]uint32, *pathRecorder) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "joins", file))
	if err != nil {
		t.Fatal(err)
	}
	d, r := NewDevice(Options{}), &pathRecorder{}
	k := kernelOf(t, d, file, string(text), name)
	out := upload(t, d, "out", make([]uint32, words))
	arguments := []any{out}
	for _, in := range inputs {
		arguments = append(arguments, upload(t, d, "in", in))
	}
	if name == "_Z3csrPfPKiS1_PKfi" || name == "_Z8find_retPiPKii" {
		arguments = append(arguments, uint32(50))
	}
	if _, err := d.Launch(LaunchRequest{Kernel: k, Grid: dims(1, 1), Block: dims(uint32(threads), 1), Arguments: pack(arguments...), Recorder: r}); err != nil {
		t.Fatal(err)
	}
	return download(t, d, out, words), r
}

// scattered is the input of the kernels: odd and even numbers up to 30.
func scattered(n int) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = uint32(i * 7 % 31)
	}
	return words
}

func TestLanesMeetAgainThoughSomeMightHaveReturned(t *testing.T) {
	in := scattered(64)
	var r, sh [64]uint32
	for i, v := range in {
		if v&1 != 0 {
			r[i] = v * 3
			sh[i] = r[i]
		} else {
			r[i] = v + 7
		}
	}
	for i, v := range in {
		if v&1 == 0 {
			sh[63-i] = uint32(i)
		}
	}
	got, _ := joining(t, "leaving.ptx", "_Z11cond_returnPiPKi", 64, 64, in)
	expect(t, got, func(i int) uint32 { // where two threads write one word, the results may be of either
		if other := i ^ 1; in[other]&1 != 0 && in[63-other]&1 == 0 {
			return got[i]
		}
		return r[i] + sh[i^1]
	})
}

func TestLanesMeetAgainBehindAnAssertion(t *testing.T) {
	in := scattered(64)
	got, path := joining(t, "leaving.ptx", "_Z11with_assertPiPKi", 64, 64, in)
	expect(t, got, func(i int) uint32 {
		if v := in[i^1]; v&1 != 0 {
			return v * 3
		} else {
			return v + 7
		}
	})
	if last := path.path[len(path.path)-1]; last.Mask != lanes.FullMask {
		t.Errorf("mask at the end %#x, want all lanes", last.Mask)
	}
}

func TestLanesMeetAgainBehindASwitchWithoutDefault(t *testing.T) {
	got, path := joining(t, "leaving.ptx", "_Z16with_unreachablePiPKi", 64, 64, scattered(64))
	if last := path.path[len(path.path)-1]; last.Mask != lanes.FullMask {
		t.Errorf("mask at the end %#x, want all lanes", last.Mask)
	}
	if len(got) != 64 {
		t.Fatal(len(got))
	}
}

func TestShufflesBehindAReturnSeeAllLanes(t *testing.T) {
	in := scattered(32)
	got, _ := joining(t, "leaving.ptx", "_Z9warp_collPiPKi", 32, 64, in)
	expect(t, got[:32], func(i int) uint32 {
		if v := in[i^1]; v&1 != 0 {
			return v * 3
		} else {
			return v + 7
		}
	})
}

func TestLanesMeetAgainBehindALoopWithAnAssertion(t *testing.T) {
	rows := make([]uint32, 65)
	for i := range 64 {
		rows[i+1] = rows[i] + uint32(i*5%7)
	}
	columns := make([]uint32, rows[64])
	for i := range columns {
		columns[i] = uint32(i % 50)
	}
	values := floats(3, 50)
	got, _ := joining(t, "loops.ptx", "_Z3csrPfPKiS1_PKfi", 64, 64, rows, columns, values)
	expect(t, got, func(i int) uint32 {
		var sum float32
		for j := rows[63-i]; j < rows[64-i]; j++ {
			sum += value(values[columns[j]])
		}
		return math.Float32bits(sum)
	})
}

func TestBallotsBehindALoopWithAReturnSeeAllLanes(t *testing.T) {
	in, want := make([]uint32, 64), uint32(0)
	for i := range in {
		in[i] = uint32(i * 5 % 11)
		if i < 32 && in[i]*(in[i]-1)/2 > 20 && in[i] > 0 {
			want |= 1 << i
		}
	}
	got, path := joining(t, "loops.ptx", "_Z8find_retPiPKii", 32, 32, in)
	expect(t, got, func(int) uint32 { return want })
	var took, visits int
	for _, v := range path.path {
		took, visits = took+bits.OnesCount32(v.Mask), visits+1
	}
	// The visits are the entry, its other side, 10 rounds of two blocks of the loop, what
	// follows it, the ballot and the end. Only the loop's blocks have visits of a part of
	// the lanes.
	if entry := path.path[0]; entry.Mask != lanes.FullMask || path.path[visits-1].Mask != lanes.FullMask || path.path[visits-2].Mask != lanes.FullMask {
		t.Errorf("visits %v", path.path)
	}
	if visits != 1+1+2*10+1+1+1 {
		t.Errorf("%d visits of %d lanes", visits, took)
	}
}
