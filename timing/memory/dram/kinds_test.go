// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/tracetest"
)

// kinds are the cards that name each kind of DRAM.
var kinds = map[string]string{"gddr6": "rtx2080ti", "gddr6x": "rtx3090", "hbm2e": "a100", "hbm3": "h100"}

// ofKind is the DRAM of a card, changed at random where its standard leaves it open.
func ofKind(t testing.TB, kind string, rng *rand.Rand) *arch.DRAM {
	t.Helper()
	m, err := arch.Load(kinds[kind])
	if err != nil {
		t.Fatal(err)
	}
	d := m.DRAM
	if d.Kind != kind {
		t.Fatalf("%s has DRAM of kind %q, want %s", m.Name, d.Kind, kind)
	}
	d.ExtraCycles = rng.IntN(20)
	d.Banks <<= rng.IntN(2)
	d.TCCD += rng.IntN(2)
	d.TCCDL = max(d.TCCD, d.TCCDL+rng.IntN(4))
	d.Queue = 1 << rng.IntN(8)
	d.CommandBus = commandBuses[rng.IntN(2)]
	d.Scheduler = []string{"frfcfs", "fcfs"}[rng.IntN(2)]
	d.Refresh = []string{"none", "all_bank", "per_bank"}[rng.IntN(3)]
	for _, p := range []*int{&d.TCL, &d.TRCD, &d.TRP, &d.TRRD, &d.TWL, &d.TWR, &d.TCDLR, &d.TRTPL, &d.TRAS} {
		*p = 1 + rng.IntN(30)
	}
	d.TRC, d.TFAW = d.TRAS+rng.IntN(30), rng.IntN(100)
	d.TRRDL, d.TWTRL, d.TRFC = rng.IntN(30), rng.IntN(30), 1+rng.IntN(60)
	d.TREFI = (400 + rng.IntN(2000)) * map[bool]int{false: 1, true: d.Banks}[d.Refresh == "per_bank"]
	return &d
}

// Random channels of every kind: all constraints are kept. Data of two column commands never
// overlap on the bus, and no two in a bank group are nearer than tCCDL. No more bytes pass in
// a time than the pins carry.
func TestChannelsOfEveryKindKeepTheirBusAndBankGroups(t *testing.T) {
	for _, kind := range []string{"gddr6", "gddr6x", "hbm2e", "hbm3"} {
		for _, seed := range tracetest.Seeds(t, 40, tracetest.Fewer(2, 4)) {
			t.Run(fmt.Sprint(kind, seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 240))
				d := ofKind(t, kind, rng)
				log := randomLog(t, rng, d)
				tm := NewTiming(d)
				if bad := violations(log, &tm, d); len(bad) > 0 {
					t.Fatalf("%d violations, first: %s", len(bad), bad[0])
				}
				overlaps(t, log, d)
			})
		}
	}
}

// overlaps looks at the data bus by intervals, and at column commands by bank group.
func overlaps(t *testing.T, log []logged, d *arch.DRAM) {
	t.Helper()
	var starts []int64
	last := map[int32]int64{}
	for _, c := range log {
		if c.what != readBurst && c.what != writeBurst {
			continue
		}
		group := c.bank % int32(d.BankGroups)
		if at, ok := last[group]; ok && c.at-at < int64(d.TCCDL) {
			t.Fatalf("column commands of bank group %d are %d cycles apart, tCCDL is %d", group, c.at-at, d.TCCDL)
		}
		last[group] = c.at
		if c.what == readBurst {
			starts = append(starts, c.at+int64(d.TCL))
		} else {
			starts = append(starts, c.at+int64(d.TWL))
		}
	}
	if len(starts) < 1000 {
		t.Fatalf("only %d bursts", len(starts))
	}
	slices.Sort(starts)
	for i := 1; i < len(starts); i++ {
		if starts[i]-starts[i-1] < int64(d.BurstCycles) {
			t.Fatalf("bursts begin at %d and %d and last %d cycles", starts[i-1], starts[i], d.BurstCycles)
		}
	}
	passed, cycles := int64(len(starts)*d.BurstBytes), starts[len(starts)-1]-starts[0]+int64(d.BurstCycles)
	if most := cycles * int64(d.BurstBytes) / int64(d.BurstCycles); passed > most {
		t.Fatalf("%d bytes in %d cycles, the pins carry %d", passed, cycles, most)
	}
}

// A stream of open rows that goes round the bank groups has all that the pins carry, and
// one in a single bank group what tCCDL leaves.
func TestAStreamHasTheBandwidthOfItsKind(t *testing.T) {
	for _, k := range arch.DRAMKinds {
		m, err := arch.Load(kinds[k.Name])
		if err != nil {
			t.Fatal(err)
		}
		pins := k.Pins * k.BitsPerCycle / 8 // bytes a cycle
		for _, oneGroup := range []bool{false, true} {
			d := m.DRAM
			d.Refresh, d.ExtraCycles = "none", 0
			b := newBench(&d)
			const bursts = 4000
			run := func(n int) int64 {
				begin := b.now
				for id := range uint32(n) {
					bank := int32(id) % int32(d.BankGroups)
					if oneGroup {
						bank = 0
					}
					for !b.offer(Request{Bank: bank, Bytes: int32(d.BurstBytes), ID: id}) {
						b.run(1)
					}
				}
				b.runUntilIdle(t)
				return b.now - begin
			}
			run(64) // opens the rows
			got := float64(bursts*d.BurstBytes) / float64(run(2*bursts)-run(bursts))
			want := float64(pins)
			if oneGroup {
				want = float64(d.BurstBytes) / float64(max(d.TCCDL, d.BurstCycles))
			}
			if got < 0.98*want || got > 1.001*want {
				t.Errorf("%s, one bank group %v: %.2f bytes a cycle, want %.2f", k.Name, oneGroup, got, want)
			}
		}
	}
}
