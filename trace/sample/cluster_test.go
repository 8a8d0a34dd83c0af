// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"
	"testing"

	"github.com/warptape/warptape/trace"
)

// planted makes n points around each of k centres that are far apart.
func planted(k, n int) []signature {
	random := generator{1}
	var points []signature
	for i := range k * n {
		var p signature
		for e := range p {
			p[e] = 1 + float64(i%k*(e%3+1)) + float64(random.next()%1000)*1e-6
		}
		points = append(points, p)
	}
	return points
}

func TestClustersAreThosePlanted(t *testing.T) {
	for k := 1; k <= 4; k++ {
		for i, c := range clusters(normalised(planted(k, 30)), 8) {
			if c != i%k {
				t.Fatalf("%d centres: point %d is in cluster %d", k, i, c)
			}
		}
	}
}

func TestEqualPointsAreOneCluster(t *testing.T) {
	for _, c := range clusters(make([]signature, 20), 5) {
		if c != 0 {
			t.Fatalf("cluster %d", c)
		}
	}
}

func TestFootprintCountsLinesOnce(t *testing.T) {
	f := newFootprint()
	touch := func(lines int) {
		for i := range lines {
			for _, at := range []uint64{0, 4, 124} {
				f.touch(uint64(i)*lineBytes + at)
			}
		}
	}
	touch(100_000)
	lines, fresh := f.take()
	if math.Abs(lines-100_000) > 2_000 || lines != fresh {
		t.Errorf("%g lines, %g new, want 100000 of both within the sampling error", lines, fresh)
	}
	touch(150_000)
	if lines, fresh = f.take(); math.Abs(lines-150_000) > 3_000 || math.Abs(fresh-50_000) > 3_000 {
		t.Errorf("%g lines, %g new, want 150000 and 50000", lines, fresh)
	}
}

// A launch whose lanes are a stride apart touches the lines that it touches when its addresses are told one by one.
func TestFootprintOfStridesIsThatOfTheirAddresses(t *testing.T) {
	for _, stride := range []int64{0, 4, -4, 8, 127, 128, 129, 4096, -256} {
		strided, single := NewProfile(Policy{}), NewProfile(Policy{})
		for warp := range uint64(3000) {
			base := warp*(1<<20+64) - 4096 // the first ones come round behind the last address
			var addresses [trace.WarpSize]uint64
			for lane := range addresses {
				addresses[lane] = base + uint64(int64(lane)*stride)
			}
			mask := ^uint32(0) << (warp % 3) >> (warp % 7)
			strided.AccessStrided(0, mask, base, stride)
			single.Access(0, mask, &addresses)
		}
		got, _ := strided.footprint.take()
		if want, _ := single.footprint.take(); got != want || want < 3000*0.9 {
			t.Errorf("lanes %d bytes apart: %g lines, want %g", stride, got, want)
		}
	}
}

func BenchmarkProfileAccess(b *testing.B) { // a strided access: signature and footprint
	p := NewProfile(Policy{})
	b.ReportAllocs()
	for i := range b.N {
		p.AccessStrided(0, ^uint32(0), uint64(i)*128, 4)
	}
}
