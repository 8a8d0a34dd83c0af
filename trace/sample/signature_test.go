// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"testing"

	"github.com/warptape/warptape/trace"
)

// The starting centres are the point nearest to the mean, then always the one that is farthest
// from those before. On a line these are known by hand.
func TestCentresStartAtTheMiddleAndTheEnds(t *testing.T) {
	var points []signature
	for _, at := range []float64{0, 1, 5, 6, 20, 100} { // their mean is 22
		points = append(points, signature{at})
	}
	for i, c := range farthest(points, 4) {
		if want := []float64{20, 100, 0, 6}[i]; c[0] != want {
			t.Errorf("centre %d is at %g, want %g", i, c[0], want)
		}
	}
}

// Accesses, their lines and the distinct ones are counted.
func TestASignatureCountsAccesses(t *testing.T) {
	var s signature
	s.access(3, 2)
	s.access(5, 1)
	if s[elementMemory] != 2 || s[elementLines] != 8 || s[elementDistinct] != 3 {
		t.Errorf("%g accesses of %g lines, %g of them distinct; want 2, 8 and 3", s[elementMemory], s[elementLines], s[elementDistinct])
	}
}

// The launches of a program have as many groups together as memory is meant for, and one each
// behind that.
func TestLaunchesShareTheGroupsOfAProgram(t *testing.T) {
	policy, err := Parse("stratified=8,for=16x8/1536/32768/49152/786432")
	if err != nil {
		t.Fatal(err)
	}
	p := NewProfile(policy)
	p.kernels = []*trace.Kernel{{Name: "k"}}
	const left = 100
	p.groups = maxGroups - left
	groups := 0
	for i := range 8 {
		if _, err := p.BeginLaunch(trace.Launch{Grid: trace.Dim3{X: 16 * 64, Y: 1, Z: 1}}); err != nil {
			t.Fatal(err)
		}
		n := len(p.launches[i].groups)
		if groups += n; n > max(left-groups+n, 1) {
			t.Errorf("launch %d has %d groups, %d with those before", i, n, groups)
		}
	}
	if groups < left/2 {
		t.Errorf("%d groups of %d", groups, left)
	}
}

// A launch without instructions needs no thread blocks for work that it does not do.
func TestALaunchWithoutInstructionsNeedsNoWork(t *testing.T) {
	p := NewProfile(Policy{Minimum: 3, Work: 1000})
	p.kernels = []*trace.Kernel{{Name: "k"}}
	l := &launchProfile{grid: 500, launch: trace.Launch{Grid: trace.Dim3{X: 500, Y: 1, Z: 1}}}
	if got := p.least(l); got != 3 {
		t.Errorf("%d thread blocks, want the policy's 3", got)
	}
	l.total[elementInstruction] = 500 * 10
	if got := p.least(l); got != 100 {
		t.Errorf("%d thread blocks of 10 instructions, want 100 for 1000", got)
	}
}

// Of each stratum its share is stored, in runs that are as long as chosen units follow each
// other. Half of a launch does one thing, and the other half another.
func TestStrataAreStoredInRunsOfNeighbours(t *testing.T) {
	const units, grid = 40, 40 * unitBlocks
	p := NewProfile(Policy{Kind: "stratified", Strata: 8, Fraction: 0.75})
	p.kernels = []*trace.Kernel{{Name: "k"}}
	l := &launchProfile{grid: grid, groupBlocks: unitBlocks, groups: make([]signature, units), launch: trace.Launch{Grid: trace.Dim3{X: grid, Y: 1, Z: 1}}}
	for i := range l.groups {
		l.groups[i][i*2/units] = unitBlocks
	}
	c := p.stratify(0, l)
	stored := map[int]uint64{}
	for i, r := range c.runs {
		stored[r.Stratum] += r.Blocks
		if i > 0 && c.runs[i-1].Stratum == r.Stratum && c.runs[i-1].First+c.runs[i-1].Blocks >= r.First {
			t.Errorf("run %d begins at thread block %d, where the one before ends", i, r.First)
		}
	}
	if c.strata != 2 || stored[0] != grid*3/8 || stored[1] != grid*3/8 {
		t.Errorf("%d strata of %v thread blocks, want two of %d", c.strata, stored, grid*3/8)
	}
}

// The random numbers are those that SplitMix64 gives for the seed 1234567 (Vigna's splitmix64.c; recalled from Rosetta
// Code's list).
func TestRandomNumbersAreSplitMix64s(t *testing.T) {
	g := generator{1234567}
	for n, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := g.next(); got != want {
			t.Errorf("number %d is %d, want %d", n, got, want)
		}
	}
}
