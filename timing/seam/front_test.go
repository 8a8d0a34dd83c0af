// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"slices"
	"testing"
)

type someSystem struct{ MemorySystem }

type someLookahead struct{ Lookahead }

type somePort struct{ Port }

// A path with a system in front is that system's. It does not tell how far it looks ahead, as the one behind did,
// and what is added to it is not told to another front's.
func TestAPathWithASystemInFront(t *testing.T) {
	behind := Path{MemorySystem: &someSystem{}, Lookahead: someLookahead{}, Entered: make([]func(int, Entry), 0, 4)}
	a, b := &someSystem{}, &someSystem{}
	pathA, pathB := behind.In(a), behind.In(b)
	if pathA.MemorySystem != MemorySystem(a) || pathB.MemorySystem != MemorySystem(b) || pathA.Lookahead != nil {
		t.Error("the path is not that of the system in front")
	}
	var told []string
	pathA.Entered = append(pathA.Entered, func(int, Entry) { told = append(told, "a") })
	pathB.Entered = append(pathB.Entered, func(int, Entry) { told = append(told, "b") })
	for _, p := range []Path{pathA, pathB} {
		for _, f := range p.Entered {
			f(0, Entry{})
		}
	}
	if want := []string{"a", "b"}; !slices.Equal(told, want) {
		t.Errorf("told are %q, want %q", told, want)
	}
}

// An entry with a port in front is that port's, and takes one access in a cycle. What lies behind stays.
func TestAnEntryWithAPortInFront(t *testing.T) {
	l1, front := &somePort{}, &somePort{}
	e := Entry{Port: l1, FiltersLanes: true, ByLanes: func() {}}.Behind(front)
	if e.Port != Port(front) || e.ByLanes != nil || !e.FiltersLanes {
		t.Errorf("the entry is %+v", e)
	}
}

// Architecture files may say names that are registered before and behind the call of Open.
func TestARegistryTellsAllItsNames(t *testing.T) {
	r := NewRegistry[int]("test strategy")
	r.Register("apple", 1)
	var words []string
	r.Open(func(name string) { words = append(words, name) })
	r.Register("fig", 2)
	if want := []string{"apple", "fig"}; !slices.Equal(words, want) {
		t.Errorf("words are %q, want %q", words, want)
	}
}
