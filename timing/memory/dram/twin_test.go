// SPDX-License-Identifier: Apache-2.0

package dram

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/trace/tracetest"
)

// slowChannel is the slow obvious twin of Banked: one list of requests in order of
// arrival, which it searches whole in every cycle, and a log of commands. From the
// log, spacing tells whether another command is legal. It keeps no time of its own
// but the next refresh's.
type slowChannel struct {
	t        Timing
	d        *arch.DRAM
	coming   []slowRequest
	waiting  []*slowRequest
	data     []slowRequest
	open     map[int32]int64
	log      []logged
	due      int64 // of the next refresh
	set      int32 // that it is for
	draining bool
	done     []uint32
	passed   map[int32]int // hits in a bank since another row was waited for
}

// slowRequest is a request that has something to come at a cycle.
type slowRequest struct {
	Request
	at     int64
	bursts int
	opened bool // a row was opened for it, and no burst has come yet
}

func newSlowChannel(d *arch.DRAM) *slowChannel {
	return &slowChannel{t: NewTiming(d), d: d, open: map[int32]int64{}, passed: map[int32]int{}, due: newRefresher(d).at}
}

func (s *slowChannel) offer(now int64, r Request) bool {
	if len(s.coming) > s.d.ExtraCycles {
		return false
	}
	s.coming = append(s.coming, slowRequest{r, now + int64(s.d.ExtraCycles), (int(r.Bytes) + s.d.BurstBytes - 1) / s.d.BurstBytes, false})
	return true
}

// cycle is one cycle of everything.
func (s *slowChannel) cycle(now int64) {
	if len(s.waiting) == 0 {
		s.idle(now)
	}
	for len(s.data) > 0 && s.data[0].at <= now {
		s.done = append(s.done, s.data[0].ID)
		s.data = s.data[1:]
	}
	for len(s.coming) > 0 && s.coming[0].at <= now && len(s.waiting) < s.d.Queue {
		r := s.coming[0]
		s.waiting, s.coming = append(s.waiting, &r), s.coming[1:]
	}
	if len(s.waiting) > 0 {
		s.schedule(now)
	}
}

// legal reports whether a command may issue now.
func (s *slowChannel) legal(now int64, what command, bank int32) bool {
	c := logged{at: now, what: what, bank: bank}
	activates := 0
	for i := len(s.log) - 1; i >= 0 && now-s.log[i].at < s.horizon(); i-- {
		p := &s.log[i]
		if need, _ := spacing(p, &c, &s.t, s.d); now-p.at < need {
			return false
		}
		if p.what != activate {
			continue
		}
		if activates++; activates == 4 && what == activate && now-p.at < s.t.FAW {
			return false
		}
	}
	return true
}

// horizon is more cycles than any command has to keep from another.
func (s *slowChannel) horizon() int64 { return int64(s.d.TRFC + s.d.TFAW + 1000) }

func (s *slowChannel) issue(now int64, what command, bank int32, row int64) {
	s.log = append(s.log, logged{now, what, bank, row})
	switch what {
	case activate:
		s.open[bank] = row
	case precharge:
		delete(s.open, bank)
	}
}

// refreshed is the banks of the next refresh, and those of them that are open.
func (s *slowChannel) refreshed() (banks, open []int32) {
	for k := range int32(s.d.Banks) {
		if s.d.Refresh == "all_bank" || k == s.set {
			banks = append(banks, k)
			if _, ok := s.open[k]; ok {
				open = append(open, k)
			}
		}
	}
	return banks, open
}

// all reports whether a command may issue now to each of some banks.
func (s *slowChannel) all(now int64, what command, banks []int32) bool {
	for _, k := range banks {
		if !s.legal(now, what, k) {
			return false
		}
	}
	return true
}

// close precharges banks with one command.
func (s *slowChannel) close(now int64, banks []int32) {
	for _, k := range banks {
		s.issue(now, precharge, k, s.open[k])
	}
}

func (s *slowChannel) refresh(now int64) {
	s.issue(now, refreshBanks, s.set, noRow)
	s.due += newRefresher(s.d).interval
	if s.d.Refresh == "per_bank" {
		s.set = (s.set + 1) % int32(s.d.Banks)
	}
}

// idle closes rows and refreshes as soon as each may, before now. What may not begin before
// now is left.
func (s *slowChannel) idle(now int64) {
	for s.due < now {
		at := s.due
		if _, open := s.refreshed(); len(open) > 0 {
			for ; !s.all(at, precharge, open); at++ {
			}
			if at >= now {
				return
			}
			s.close(at, open)
		}
		for banks, _ := s.refreshed(); !s.all(at, refreshBanks, banks); at++ {
		}
		if at >= now {
			return
		}
		s.refresh(at)
	}
}

// schedule issues at most one command, or one of each bus.
func (s *slowChannel) schedule(now int64) {
	closed, issued, two := map[int32]bool{}, false, s.d.CommandBus == "row_and_column"
	if now >= s.due {
		banks, open := s.refreshed()
		for _, k := range banks {
			closed[k] = true
		}
		switch {
		case len(open) > 0 && s.all(now, precharge, open):
			s.close(now, open)
			issued = true
		case len(open) == 0 && s.all(now, refreshBanks, banks):
			s.refresh(now)
			issued = true
		}
		if issued && !two {
			return
		}
	}
	served := s.served()
	if s.d.Scheduler == "fcfs" {
		served = served[:min(1, len(served))]
	}
	s.forgetPassed(served)
	if column := s.column(now, served, closed); !issued && (!column || two) {
		s.row(now, served, closed)
	}
}

// passes reports whether the oldest request of a bank waits for another row than
// those that hit.
func (s *slowChannel) passes(served []*slowRequest, bank int32) bool {
	first := true
	older := false
	for _, r := range served {
		if r.Bank != bank {
			continue
		}
		if first && !s.hits(r) {
			older = true
		}
		if older && s.hits(r) {
			return true
		}
		first = false
	}
	return false
}

// forgetPassed begins to count hits anew in banks where nothing is passed any more.
func (s *slowChannel) forgetPassed(served []*slowRequest) {
	for bank, n := range s.passed {
		if n >= hitCap && !s.passes(served, bank) {
			s.passed[bank] = 0
		}
	}
}

// tired reports whether hits of a bank have to let an older request go first.
func (s *slowChannel) tired(bank int32) bool {
	return s.d.Scheduler == "frfcfs-cap" && s.passed[bank] >= hitCap
}

// served is the requests that may issue now: all, or reads or writes only.
func (s *slowChannel) served() []*slowRequest {
	if s.d.Writes == "mixed" {
		return s.waiting
	}
	var reads, writes []*slowRequest
	for _, r := range s.waiting {
		if r.Write {
			writes = append(writes, r)
		} else {
			reads = append(reads, r)
		}
	}
	switch {
	case len(writes) >= s.d.WriteHigh:
		s.draining = true
	case len(writes) <= s.d.WriteLow:
		s.draining = false
	}
	if s.draining || len(reads) == 0 {
		return writes
	}
	return reads
}

// hits reports whether a request is for the open row of its bank.
func (s *slowChannel) hits(r *slowRequest) bool {
	row, open := s.open[r.Bank]
	return open && row == r.Row
}

// column issues a burst of the oldest request that may have one, of the first of
// each bank that are for its open row.
func (s *slowChannel) column(now int64, served []*slowRequest, closed map[int32]bool) bool {
	seen := map[int32]bool{}
	for _, r := range served {
		if !s.hits(r) || seen[r.Bank] || closed[r.Bank] || s.tired(r.Bank) {
			continue
		}
		seen[r.Bank] = true
		what := readBurst
		if r.Write {
			what = writeBurst
		}
		if s.legal(now, what, r.Bank) {
			s.issue(now, what, r.Bank, r.Row)
			if s.passed[r.Bank]++; r.opened {
				s.passed[r.Bank], r.opened = 0, false
			}
			s.burst(now, r)
			return true
		}
	}
	return false
}

// burst counts a burst of a request, which is done after its last.
func (s *slowChannel) burst(now int64, r *slowRequest) {
	if r.bursts--; r.bursts > 0 {
		return
	}
	for i := range s.waiting {
		if s.waiting[i] == r {
			s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
			break
		}
	}
	if !r.Write {
		r.at = now + s.t.CL + s.t.Burst
		s.data = append(s.data, *r)
	}
}

// row activates or precharges for the oldest request that may have that, of the
// first of each bank with no request waiting for its open row.
func (s *slowChannel) row(now int64, served []*slowRequest, closed map[int32]bool) {
	skip := map[int32]bool{}
	for _, r := range served {
		if s.hits(r) && !s.tired(r.Bank) {
			skip[r.Bank] = true
		}
	}
	for _, r := range served {
		if skip[r.Bank] || closed[r.Bank] {
			continue
		}
		skip[r.Bank] = true
		what, of := activate, r.Row
		if row, open := s.open[r.Bank]; open {
			what, of = precharge, row
		}
		if s.legal(now, what, r.Bank) {
			s.issue(now, what, r.Bank, of)
			r.opened = r.opened || what == activate
			return
		}
	}
}

// commandBuses are the words of dram.command_bus.
var commandBuses = []string{"shared", "row_and_column"}

// randomMachine is a machine with other constraints than any real one.
func randomMachine(t *testing.T, rng *rand.Rand, seed uint64) *arch.DRAM {
	d := gtx480(t)
	d.Scheduler = []string{"frfcfs", "frfcfs-cap", "fcfs"}[seed%3]
	d.Refresh = []string{"none", "all_bank", "per_bank"}[seed/3%3]
	d.Writes = []string{"mixed", "drain"}[seed/9%2]
	d.BankGroups = []int{1, 4, 16}[rng.IntN(3)]
	d.CommandBus = commandBuses[rng.IntN(2)]
	d.Queue = 1 + rng.IntN(40)
	d.WriteHigh = 1 + rng.IntN(d.Queue)
	d.WriteLow = rng.IntN(d.WriteHigh)
	d.ExtraCycles = []int{0, 1, 20}[rng.IntN(3)]
	for _, p := range []*int{&d.TCL, &d.TRCD, &d.TRP, &d.TRRD, &d.TCCD, &d.TWL, &d.TWR, &d.TCDLR, &d.TRTPL, &d.TRAS} {
		*p = 1 + rng.IntN(20)
	}
	d.TRC, d.TCCDL, d.TFAW = d.TRAS+rng.IntN(30), d.TCCD+rng.IntN(4), rng.IntN(80)
	d.TRRDL, d.TWTRL, d.TRFC, d.TREFI = rng.IntN(30), rng.IntN(30), 1+rng.IntN(80), 300+rng.IntN(1000)
	if d.Refresh == "per_bank" { // several banks at a time, too
		d.TREFI *= 8
		d.TRFC = 1 + rng.IntN(600)
	}
	return d
}

// TestBankedIsItsSlowTwin runs random traffic with pauses through both. Each accepts at
// the same time, issues the same commands in the same cycles and is done in the same
// order. Yet Banked is called only in the cycles that it asks for.
func TestBankedIsItsSlowTwin(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 36, tracetest.Fewer(3, 6)) {
		rng := rand.New(rand.NewPCG(seed, 31))
		d := randomMachine(t, rng, seed)
		fast, slow := newBench(d), newSlowChannel(d)
		var log []logged
		fast.channel.(*Banked).observe = func(now int64, c command, bank int32, row int64) {
			log = append(log, logged{now, c, bank, row})
		}
		now, due := int64(0), Never
		step := func() {
			now++
			fast.now = now
			if due <= now {
				due = fast.channel.Cycle(now)
			}
			slow.cycle(now)
		}
		for id := range uint32(700) {
			r := Request{Row: int64(rng.IntN(3)), Bank: int32(rng.IntN(16)), Bytes: 32 << rng.IntN(3), Write: rng.IntN(2) == 0, ID: id}
			for {
				taken := fast.channel.Offer(now, r)
				if taken != slow.offer(now, r) {
					t.Fatalf("seed %d, cycle %d: request %d is taken: %v, not by the twin", seed, now, id, taken)
				}
				due = now + 1
				if taken {
					break
				}
				step()
			}
			for range rng.IntN(3) * rng.IntN(8) {
				step()
			}
			if rng.IntN(40) == 0 {
				for range rng.IntN(900) {
					step()
				}
			}
		}
		for fast.channel.InFlight() > 0 || len(slow.waiting)+len(slow.coming)+len(slow.data) > 0 {
			if step(); now > 1_000_000 {
				t.Fatalf("seed %d: %d requests are left, %d in the twin", seed, fast.channel.InFlight(), len(slow.waiting))
			}
		}
		// Refreshes after the last request are not asked for.
		slow.log = slow.log[:min(len(slow.log), len(log))]
		if diff := cmp.Diff(slow.log, log, cmp.AllowUnexported(logged{})); diff != "" {
			t.Fatalf("seed %d: commands (-twin +got)\n%.2000s", seed, diff)
		}
		if diff := cmp.Diff(slow.done, fast.order); diff != "" {
			t.Fatalf("seed %d: order of the reads (-twin +got)\n%s", seed, diff)
		}
		if len(log) < 1200 {
			t.Errorf("seed %d: only %d commands", seed, len(log))
		}
	}
}
