package dram

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// logged is one command of a channel.
type logged struct {
	at   int64
	what command
	bank int32
	row  int64
}

// violations checks a command log against the rules of the data sheet, pair by
// pair and by nothing that the scheduler keeps.
func violations(log []logged, t *Timing, groups int32) []string {
	var out []string
	open := map[int32]int64{}
	for i, c := range log {
		row, isOpen := open[c.bank]
		switch c.what {
		case activate:
			if isOpen {
				out = append(out, fmt.Sprintf("%+v: the bank has a row open", c))
			}
			open[c.bank] = c.row
		case precharge:
			delete(open, c.bank)
		default:
			if !isOpen || row != c.row {
				out = append(out, fmt.Sprintf("%+v: row %d is open (%v)", c, row, isOpen))
			}
		}
		for _, p := range log[max(0, i-200):i] {
			if need, name := spacing(&p, &c, t, groups); c.at-p.at < need {
				out = append(out, fmt.Sprintf("%+v then %+v: %d cycles apart, %s is %d", p, c, c.at-p.at, name, need))
			}
		}
	}
	return out
}

// spacing is the least distance that the data sheet asks for between two
// commands.
func spacing(p, c *logged, t *Timing, groups int32) (int64, string) {
	same, need, name := p.bank == c.bank, int64(1), "one command a cycle"
	rule := func(n int64, what string) {
		if n > need {
			need, name = n, what
		}
	}
	column := func(w command) bool { return w == readBurst || w == writeBurst }
	switch {
	case p.what == activate && c.what == activate:
		rule(t.RRD, "tRRD")
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
		if p.bank%groups == c.bank%groups {
			rule(t.CCDL, "tCCDL")
		}
		switch {
		case p.what == c.what:
			rule(t.CCD, "tCCD")
		case c.what == writeBurst:
			rule(t.RTW, "tRTW")
		default:
			rule(t.WTR, "tWTR")
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
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 21))
		d := gtx480(t)
		d.Scheduler = []string{"frfcfs", "fcfs"}[seed%2]
		for _, p := range []*int{&d.TCL, &d.TRCD, &d.TRP, &d.TRRD, &d.TCCD, &d.TWL, &d.TWR, &d.TCDLR, &d.TRTPL, &d.TRAS} {
			*p = 1 + rng.IntN(30)
		}
		d.TRC, d.TCCDL = d.TRAS+rng.IntN(30), d.TCCD+rng.IntN(4)
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
		}
		b.runUntilIdle(t)
		bad := violations(log, &b.channel.(*Banked).timing, int32(d.BankGroups))
		if len(bad) > 0 {
			t.Errorf("seed %d: %d violations in %d commands, first: %s", seed, len(bad), len(log), bad[0])
		}
		if len(log) < 2500 {
			t.Errorf("seed %d: only %d commands", seed, len(log))
		}
	}
}

func TestViolationsAreFound(t *testing.T) {
	tm := NewTiming(gtx480(t))
	for _, log := range [][]logged{
		{{0, activate, 0, 1}, {tm.RRD - 1, activate, 1, 1}},
		{{0, activate, 0, 1}, {tm.RCD - 1, readBurst, 0, 1}},
		{{0, activate, 0, 1}, {50, readBurst, 0, 2}},
		{{0, readBurst, 0, 1}},
		{{0, activate, 0, 1}, {50, writeBurst, 0, 1}, {50 + tm.WTR - 1, readBurst, 0, 1}},
		{{0, activate, 0, 1}, {0, precharge, 1, 1}},
	} {
		if len(violations(log, &tm, 4)) == 0 {
			t.Errorf("no violation found in %+v", log)
		}
	}
}
