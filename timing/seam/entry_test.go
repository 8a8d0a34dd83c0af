// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/memory/block"
)

// heard lists what parts of a path are told, in order.
type heard []string

// front is a keeper that has some lines.
type front struct {
	Port
	*heard
	keeps bool
}

func (f front) Clean(now clock.Cycle, l Lines, to PortCleaned, id uint32, behind Cleaner) {
	*f.heard = append(*f.heard, "front cleans")
	behind.Clean(now, l, to, id)
}
func (f front) Keeps(*MemoryAccess) bool { return f.keeps }
func (f front) Withdraw(clock.Cycle, *MemoryAccess) {
	*f.heard = append(*f.heard, "front gives up")
}

// behind is an L1 that an offloader looks up, and that is cleaned.
type behind struct {
	Cleaner
	OffloadPort
	*heard
	cached bool
}

func (b behind) Clean(clock.Cycle, Lines, PortCleaned, uint32) {
	*b.heard = append(*b.heard, "behind cleans")
}
func (b behind) Lookup(_ *MemoryAccess, out []block.Transaction) ([]block.Transaction, bool) {
	return append(out, block.Transaction{}), b.cached
}
func (b behind) Withdraw(clock.Cycle, *MemoryAccess) {
	*b.heard = append(*b.heard, "behind gives up")
}

// Recalls and look-ups go through what keeps lines in front: it cleans first and gives up first, and a line of
// either is cached. An entry without a cleaner or an offloader has none with a keeper, either.
func TestRecallsAndLookupsGoThroughAKeeper(t *testing.T) {
	for bits := range 4 {
		var log heard
		b := behind{heard: &log, cached: bits&1 != 0}
		f := front{heard: &log, keeps: bits&2 != 0}
		e := Entry{Cleaner: b, Offloader: b, ByLanes: func() {}}.BehindKeeper(f)
		if e.ByLanes != nil || e.Port != Port(f) {
			t.Error("the entry is not the keeper's")
		}
		list, cached := e.Offloader.Lookup(nil, nil)
		if cached != (b.cached || f.keeps) || len(list) != 1 {
			t.Errorf("kept in front %v, behind %v: cached %v, %d transactions", f.keeps, b.cached, cached, len(list))
		}
		e.Offloader.Withdraw(0, nil)
		e.Cleaner.Clean(0, Lines{}, nil, 0)
		if want := (heard{"front gives up", "behind gives up", "front cleans", "behind cleans"}); !slices.Equal(log, want) {
			t.Errorf("%q, want %q", log, want)
		}
	}
	if e := (Entry{}).BehindKeeper(front{}); e.Cleaner != nil || e.Offloader != nil {
		t.Errorf("a cleaner and an offloader come from nowhere: %+v", e)
	}
}

// Each owner finds the numbers of its own tokens alone, and no token is an SM's or NoToken.
func TestTokensAreTheirOwners(t *testing.T) {
	var p Path
	var owners []TokenOwner
	for range maxOwners {
		owners = append(owners, p.Tokens())
	}
	for at, o := range owners {
		for _, n := range []uint32{0, 1, 77, 1<<28 - 1} {
			token := o.Token(n)
			if token == NoToken || token < 1<<28 {
				t.Fatalf("owner %d: token %#x of %d is another's", at, token, n)
			}
			for other, q := range owners {
				if got, ok := q.Number(token); ok != (other == at) || ok && got != n {
					t.Fatalf("owner %d finds %d, %v in the token %d of owner %d", other, got, ok, n, at)
				}
			}
		}
		if _, ok := o.Number(5); ok {
			t.Errorf("owner %d takes an SM's token", at)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("there is an owner too many")
		}
	}()
	p.Tokens()
}

// A state that there is none of has no word.
func TestStatesOfWarpsHaveWords(t *testing.T) {
	seen := map[string]bool{}
	for s := range WarpState(WarpStateCount) {
		seen[s.String()] = true
	}
	if len(seen) != WarpStateCount || seen[""] || seen["unknown"] {
		t.Errorf("words are %v", seen)
	}
	for _, s := range []WarpState{WarpState(WarpStateCount), 255} {
		if got := s.String(); got != "unknown" {
			t.Errorf("state %d is %q", s, got)
		}
	}
}
