// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/tracetest"
)

// logged is one command of a channel.
type logged struct {
	at   int64
	what command
	bank int32
	row  int64
}

// violations checks a command log of a channel against the rules of the data
// sheet, pair by pair and by nothing that the scheduler keeps.
func violations(log []logged, t *Timing, d *arch.DRAM) []string {
	var out []string
	open := map[int32]int64{}
	var activates []int64
	for i, c := range log {
		row, isOpen := open[c.bank]
		switch c.what {
		case activate:
			if isOpen {
				out = append(out, fmt.Sprintf("%+v: the bank has a row open", c))
			}
			open[c.bank] = c.row
			if n := len(activates); n >= 4 && c.at-activates[n-4] < t.FAW {
				out = append(out, fmt.Sprintf("%+v: five activates in %d cycles, tFAW is %d", c, c.at-activates[n-4], t.FAW))
			}
			activates = append(activates, c.at)
		case precharge:
			delete(open, c.bank)
		case refreshBanks:
			for k := range open {
				if refreshes(&c, k, d) {
					out = append(out, fmt.Sprintf("%+v: bank %d has a row open", c, k))
				}
			}
		default:
			if !isOpen || row != c.row {
				out = append(out, fmt.Sprintf("%+v: row %d is open (%v)", c, row, isOpen))
			}
		}
		for _, p := range log[max(0, i-200):i] {
			if need, name := spacing(&p, &c, t, d); c.at-p.at < need {
				out = append(out, fmt.Sprintf("%+v then %+v: %d cycles apart, %s is %d", p, c, c.at-p.at, name, need))
			}
		}
	}
	return append(out, lateRefreshes(log, t, d)...)
}

// refreshes reports whether a refresh command is for a bank.
func refreshes(c *logged, bank int32, d *arch.DRAM) bool {
	return c.what == refreshBanks && (d.Refresh == "all_bank" || c.bank == bank)
}

// lateRefreshes finds banks that have not been refreshed when they should have:
// each once per tREFI, late by no more than it takes to close a row.
func lateRefreshes(log []logged, t *Timing, d *arch.DRAM) []string {
	var out []string
	interval := int64(d.TREFI)
	if d.Refresh == "per_bank" {
		interval /= int64(d.Banks)
	}
	n := int64(0)
	for _, c := range log {
		if c.what != refreshBanks {
			continue
		}
		n++
		if want := int32((n - 1) % int64(d.Banks)); d.Refresh == "per_bank" && c.bank != want {
			out = append(out, fmt.Sprintf("%+v: it is bank %d's turn", c, want))
		}
		if late := c.at - n*interval; late < 0 || late > t.RC+t.RAS+t.RTP+t.WTP+t.RP {
			out = append(out, fmt.Sprintf("%+v: refresh %d is %d cycles late", c, n, late))
		}
	}
	if last := log[len(log)-1].at; d.Refresh != "none" && n < last/interval-1 {
		out = append(out, fmt.Sprintf("%d refreshes in %d cycles, one is due every %d", n, last, interval))
	}
	return out
}

// spacing is the least distance that the data sheet asks for between two
// commands.
func spacing(p, c *logged, t *Timing, d *arch.DRAM) (int64, string) {
	same, need, name := p.bank == c.bank, int64(1), "one command a cycle"
	column := func(w command) bool { return w == readBurst || w == writeBurst }
	if p.what == precharge && c.what == precharge && !same {
		need = 0 // of one command for all banks
	}
	if d.CommandBus == "row_and_column" && column(p.what) != column(c.what) {
		need = 0 // each on a bus of its own
	}
	sameGroup := p.bank%int32(d.BankGroups) == c.bank%int32(d.BankGroups)
	rule := func(n int64, what string) {
		if n > need {
			need, name = n, what
		}
	}
	switch {
	case p.what == refreshBanks && c.what == refreshBanks && same:
		rule(t.RFC, "tRFC")
	case refreshes(p, c.bank, d) && c.what != refreshBanks:
		rule(t.RFC, "tRFC")
	case refreshes(c, p.bank, d) && p.what == precharge:
		rule(t.RP, "tRP")
	case refreshes(c, p.bank, d) && p.what == activate:
		rule(t.RC, "tRC")
	case p.what == refreshBanks || c.what == refreshBanks:
	case p.what == activate && c.what == activate:
		rule(t.RRD, "tRRD")
		if sameGroup {
			rule(t.RRDL, "tRRDL")
		}
		if same {
			rule(t.RC, "tRC")
		}
	case p.what == activate && c.what == precharge && same:
		rule(t.RAS, "tRAS")
	case p.what == activate && column(c.what) && same:
		rule(t.RCD, "tRCD")
	case p.what == precharge && c.what == activate && same:
		rule(t.RP, "tRP")
	case p.what == readBurst && c.what == precharge && same:
		rule(t.RTP, "tRTP")
	case p.what == writeBurst && c.what == precharge && same:
		rule(t.WTP, "tWTP")
	case column(p.what) && column(c.what):
		if sameGroup {
			rule(t.CCDL, "tCCDL")
		}
		switch {
		case p.what == c.what:
			rule(t.CCD, "tCCD")
		case c.what == writeBurst:
			rule(t.RTW, "tRTW")
		default:
			rule(t.WTR, "tWTR")
			if sameGroup {
				rule(t.WTRL, "tWTRL")
			}
		}
		rule(busTime(p, t)+t.Burst-busTime(c, t)+c.at-p.at, "the data bus")
	}
	return need, name
}

// busTime is the cycle in which the data of a column command start.
func busTime(c *logged, t *Timing) int64 {
	if c.what == readBurst {
		return c.at + t.CL
	}
	return c.at + t.WL
}

func TestRandomTrafficKeepsEveryConstraint(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 36, tracetest.Fewer(3, 6)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		d := gtx480(t)
		d.Scheduler = []string{"frfcfs", "fcfs"}[seed%2]
		d.Refresh = []string{"none", "all_bank", "per_bank"}[seed/2%3]
		d.Writes = []string{"mixed", "drain"}[seed/6%2]
		d.BankGroups = []int{1, 4, 16}[rng.IntN(3)]
		d.CommandBus = commandBuses[rng.IntN(2)]
		for _, p := range []*int{&d.TCL, &d.TRCD, &d.TRP, &d.TRRD, &d.TCCD, &d.TWL, &d.TWR, &d.TCDLR, &d.TRTPL, &d.TRAS} {
			*p = 1 + rng.IntN(30)
		}
		d.TRC, d.TCCDL, d.TFAW = d.TRAS+rng.IntN(30), d.TCCD+rng.IntN(4), rng.IntN(150)
		d.TRRDL, d.TWTRL, d.TRFC = rng.IntN(50), rng.IntN(50), 1+rng.IntN(80)
		d.TREFI = 400 + rng.IntN(2000)
		if d.Refresh == "per_bank" {
			d.TREFI *= 8
		}
		log := randomLog(t, rng, d)
		tm := NewTiming(d)
		if bad := violations(log, &tm, d); len(bad) > 0 {
			t.Errorf("seed %d: %d violations in %d commands, first: %s", seed, len(bad), len(log), bad[0])
		}
		if len(log) < 2500 {
			t.Errorf("seed %d: only %d commands", seed, len(log))
		}
	}
}

// randomLog is the command log of random traffic with pauses.
func randomLog(t *testing.T, rng *rand.Rand, d *arch.DRAM) []logged {
	b := newBench(d)
	var log []logged
	b.channel.(*Banked).observe = func(now int64, c command, bank int32, row int64) {
		log = append(log, logged{now, c, bank, row})
	}
	for id := range uint32(1500) {
		for !b.offer(Request{Row: int64(rng.IntN(3)), Bank: int32(rng.IntN(16)), Bytes: 32 << rng.IntN(3), Write: rng.IntN(2) == 0, ID: id}) {
			b.run(1)
		}
		if rng.IntN(50) == 0 {
			b.run(int64(rng.IntN(400)))
		}
		if rng.IntN(300) == 0 {
			b.run(int64(rng.IntN(5 * d.TREFI)))
		}
	}
	b.runUntilIdle(t)
	return log
}

func TestViolationsAreFound(t *testing.T) {
	d := gtx480(t)
	d.TRRDL, d.TWTRL, d.TFAW = 9, 20, 60
	tm := NewTiming(d)
	for i, log := range [][]logged{
		{{0, activate, 0, 1}, {tm.RRD - 1, activate, 1, 1}},
		{{0, activate, 0, 1}, {tm.RRDL - 1, activate, 4, 1}},
		{{0, activate, 0, 1}, {10, activate, 1, 1}, {20, activate, 2, 1}, {30, activate, 3, 1}, {59, activate, 4, 1}},
		{{0, activate, 0, 1}, {tm.RCD - 1, readBurst, 0, 1}},
		{{0, activate, 0, 1}, {50, readBurst, 0, 2}},
		{{0, readBurst, 0, 1}},
		{{0, activate, 0, 1}, {50, writeBurst, 0, 1}, {50 + tm.WTR - 1, readBurst, 0, 1}},
		{{0, activate, 0, 1}, {10, activate, 4, 1}, {50, writeBurst, 0, 1}, {50 + tm.WTRL - 1, readBurst, 4, 1}},
		{{0, activate, 0, 1}, {0, precharge, 1, 1}},
		{{3600, activate, 0, 1}, {3650, refreshBanks, 0, noRow}},
		{{3500, activate, 0, 1}, {3600, precharge, 0, 1}, {3600 + tm.RP - 1, refreshBanks, 0, noRow}},
		{{3604, refreshBanks, 0, noRow}, {3604 + tm.RFC - 1, activate, 7, 1}},
		{{3603, refreshBanks, 0, noRow}},
		{{3904, refreshBanks, 0, noRow}},
		{{9999, activate, 0, 1}},
	} {
		if len(violations(log, &tm, d)) == 0 {
			t.Errorf("log %d: no violation found in %+v", i, log)
		}
	}
	fine := []logged{
		{0, activate, 0, 1}, {15, activate, 1, 1}, {50, precharge, 0, 1}, {50, precharge, 1, 1},
		{3604, refreshBanks, 0, noRow}, {3604 + tm.RFC, activate, 7, 1},
	}
	if bad := violations(fine, &tm, d); len(bad) > 0 {
		t.Errorf("violations found where there are none: %v", bad)
	}
}
