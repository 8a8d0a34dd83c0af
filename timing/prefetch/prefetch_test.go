// SPDX-License-Identifier: Apache-2.0

package prefetch

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/seam"
)

const lineBytes = 128

// feed tells a prefetcher of reads of lines by one instruction of one warp. A read misses
// unless its line has been proposed before. feed gives what is proposed for each.
func feed(p Prefetcher, lines ...uint64) [][]uint64 {
	proposed := map[uint64]bool{}
	var out [][]uint64
	for _, line := range lines {
		line *= lineBytes
		a := Access{Line: line, Instruction: 3, Warp: 1, Leading: true, Hit: proposed[line], First: proposed[line]}
		list := p.Access(&a, nil)
		for i := range list {
			proposed[list[i]] = true
			list[i] = uint64(int64(list[i]) / lineBytes)
		}
		out = append(out, list)
	}
	return out
}

func expect(t *testing.T, got [][]uint64, want ...[]uint64) {
	t.Helper()
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("proposed %v, want %v", got, want)
	}
}

// made makes a prefetcher with its defaults, but for the arguments.
func made(t *testing.T, name string, arguments Arguments) Prefetcher {
	t.Helper()
	p, err := Policies.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	all := Arguments{}
	for _, q := range p.Parameters {
		all[q.Name] = q.Default
	}
	for name, v := range arguments {
		if _, ok := all[name]; !ok {
			t.Fatalf("no parameter %s", name)
		}
		all[name] = v
	}
	return p.New(all, lineBytes)
}

func TestNextLineGoesOnFromWhatItPrefetched(t *testing.T) {
	expect(t, feed(made(t, "next-line", nil), 10, 11, 12, 40), []uint64{11}, []uint64{12}, []uint64{13}, []uint64{41})
	expect(t, feed(made(t, "next-line", Arguments{"degree": 3}), 10), []uint64{11, 12, 13})
	p := made(t, "next-line", nil)
	if got := p.Access(&Access{Line: 0, Hit: true}, nil); len(got) != 0 {
		t.Errorf("a hit of what was not prefetched proposes %v", got)
	}
}

func TestAdjacentAsksForTheOtherLineOfThePair(t *testing.T) {
	expect(t, feed(made(t, "adjacent", nil), 10, 11, 13), []uint64{11}, nil, []uint64{12})
}

// The states of Chen and Baer's table: the second distance that is the same makes it
// steady; one irregular access is forgiven, two make it learn again.
func TestStrideIsProposedInTheSteadyState(t *testing.T) {
	p := made(t, "stride", Arguments{"degree": 1})
	expect(t, feed(p, 10, 13, 16, 19, 100, 103, 106), nil, nil, []uint64{19}, []uint64{22}, nil, []uint64{106}, []uint64{109})
	expect(t, feed(made(t, "stride", Arguments{"degree": 2}), 90, 80, 70), nil, nil, []uint64{60, 50})
	// Elements of the same line say nothing.
	expect(t, feed(made(t, "stride", Arguments{"degree": 1}), 10, 10, 11, 11, 12), nil, nil, nil, nil, []uint64{13})
	// Two other distances in turn, and one has to come three times.
	expect(t, feed(made(t, "stride", Arguments{"degree": 1}), 0, 1, 3, 5, 7), nil, nil, nil, nil, []uint64{9})
	expect(t, feed(made(t, "stride", Arguments{"degree": 1}), 0, 1, 3, 7, 11, 15), nil, nil, nil, nil, nil, []uint64{19})
	// Distances that never repeat propose nothing.
	expect(t, feed(made(t, "stride", nil), 1, 2, 4, 8, 16, 32), nil, nil, nil, nil, nil, nil)
}

func TestStridesAreOfInstructionsAndWarps(t *testing.T) {
	interleaved := func(perWarp int) (proposals int) {
		p := made(t, "stride", Arguments{"degree": 1, "per_warp": perWarp})
		for i := range uint64(20) {
			for warp := range 2 {
				proposals += len(p.Access(&Access{Line: (uint64(warp)*1000 + i*i*uint64(warp) + 3*i) * lineBytes, Instruction: 5, Warp: warp, Leading: true}, nil))
			}
		}
		return proposals
	}
	// Warp 0 has a stride of 3 lines, warp 1 none.
	if n := interleaved(1); n != 18 {
		t.Errorf("%d proposals for 20 accesses of the warp with a stride", n)
	}
	if n := interleaved(0); n != 0 {
		t.Errorf("%d proposals of a table that mixes the warps", n)
	}
	for _, a := range []Access{{Instruction: seam.NoInstruction, Leading: true}, {Instruction: 5}} {
		p := made(t, "stride", nil)
		for n := range uint64(6) {
			if a.Line = n * lineBytes; len(p.Access(&a, nil)) != 0 {
				t.Errorf("proposals for %+v, of no instruction or of a line that follows at once", a)
			}
		}
	}
	// Two instructions of one warp have strides of their own, if the table has room for both.
	for entries, want := range map[int]int{1: 0, 64: 2 * 18} {
		p, proposals := made(t, "stride", Arguments{"degree": 1, "entries": entries}), 0
		for i := range uint64(20) {
			for instruction := range uint64(2) {
				proposals += len(p.Access(&Access{Line: (instruction*1000 + (3+instruction)*i) * lineBytes, Instruction: uint32(5 + instruction), Leading: true}, nil))
			}
		}
		if proposals != want {
			t.Errorf("%d entries: %d proposals for two instructions, want %d", entries, proposals, want)
		}
	}
}

func TestAStreamBeginsWithTwoNeighboursAndRunsAhead(t *testing.T) {
	p := made(t, "stream", Arguments{"depth": 3})
	expect(t, feed(p, 10, 50, 11, 12, 70, 13), nil, nil, []uint64{12, 13, 14}, []uint64{15}, nil, []uint64{16})
	// A read that skips lines of a stream goes on from there.
	expect(t, feed(made(t, "stream", Arguments{"depth": 2}), 1, 2, 4), nil, []uint64{3, 4}, []uint64{5, 6})
	// A read of what was not proposed yet is of no stream, and one that began a stream does so once.
	expect(t, feed(made(t, "stream", Arguments{"depth": 2}), 1, 2, 5, 6), nil, []uint64{3, 4}, nil, []uint64{7, 8})
	expect(t, feed(made(t, "stream", Arguments{"depth": 1}), 10, 11, 11), nil, []uint64{12}, nil)
	// More streams than there are: the one that was used longest ago goes.
	p = made(t, "stream", Arguments{"streams": 1, "depth": 1})
	expect(t, feed(p, 10, 11, 100, 101, 12), nil, []uint64{12}, nil, []uint64{102}, nil)
	p = made(t, "stream", Arguments{"streams": 2, "depth": 1})
	expect(t, feed(p, 10, 11, 100, 101, 12, 200, 201, 13, 102), nil, []uint64{12}, nil, []uint64{102}, []uint64{13}, nil, []uint64{202}, []uint64{14}, nil)
}

func TestResetForgets(t *testing.T) {
	for _, name := range Policies.Names() {
		p := made(t, name, nil)
		first := feed(p, 10, 13, 16, 17, 18)
		p.Reset()
		if next := feed(p, 19); name == "stream" && len(next[0]) != 0 {
			t.Errorf("%s goes on with %v after Reset", name, next)
		}
		p.Reset()
		if again := feed(p, 10, 13, 16, 17, 18); !slices.EqualFunc(first, again, slices.Equal) {
			t.Errorf("%s: %v, and %v after Reset", name, first, again)
		}
	}
}

// A stride that was steady is not known any more behind Reset, and an SM's is not another's.
func TestAStrideIsOfItsKernelAndSM(t *testing.T) {
	p := made(t, "stride", nil)
	feed(p, 10, 13, 16)
	p.Reset()
	expect(t, feed(p, 19), nil)
	p = made(t, "stride", nil)
	for n := range uint64(6) {
		for sm := range uint64(2) {
			a := Access{Line: (10*sm + n*(2+sm)) * lineBytes, Instruction: 3, SM: int(sm), Warp: 1, Leading: true}
			if got := len(p.Access(&a, nil)); got > 0 != (n > 1) {
				t.Errorf("access %d of SM %d: %d lines proposed", n, sm, got)
			}
		}
	}
}

// No policy proposes a line that is not aligned, and none allocates in the long run.
func TestProposalsAreLinesAndCostNoAllocation(t *testing.T) {
	for _, name := range Policies.Names() {
		p := made(t, name, nil)
		lines := make([]uint64, 0, 64)
		n, a := uint64(0), Access{Leading: true}
		allocations := testing.AllocsPerRun(2000, func() {
			n++
			a.Line, a.Instruction, a.Warp = (n*7%29+n)*lineBytes, uint32(n%5), int(n%3)
			lines = p.Access(&a, lines[:0])
			for _, line := range lines {
				if line%lineBytes != 0 {
					t.Errorf("%s proposes %#x", name, line)
				}
			}
			p.Filled(n*lineBytes, false)
		})
		if allocations > 0 {
			t.Errorf("%s: %g allocations an access", name, allocations)
		}
	}
}
