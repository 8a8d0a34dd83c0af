// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/gpu/gputest"
	"github.com/warptape/warptape/timing/seam"
)

// asked is an offload that writes down who is asked for which instruction, and asks the next.
type asked struct {
	name string
	next seam.Offload
	list *[]string
}

func (a *asked) AtIssue(now clock.Cycle, i *seam.Issuing) seam.Decision {
	*a.list = append(*a.list, a.name)
	if a.next != nil {
		return a.next.AtIssue(now, i)
	}
	return seam.Here
}

// Mechanisms that offload stand around each other: the last one is asked first, and each instruction once.
func TestOffloadsOfMechanismsStandAroundEachOther(t *testing.T) {
	var list []string
	mechanism := func(name string) Mechanism {
		return Mechanism{Offload: func(_ *arch.Machine, next seam.Offload) seam.Offload { return &asked{name, next, &list} }}
	}
	for _, c := range []struct {
		mechanisms []Mechanism
		each       []string // asked for an instruction
	}{{nil, nil}, {[]Mechanism{{}, mechanism("one")}, []string{"one"}}, {[]Mechanism{mechanism("one"), mechanism("two")}, []string{"two", "one"}}} {
		g := &GPU{machine: gputest.Machine(), mechanisms: c.mechanisms}
		g.wrapBuilders()
		list = nil
		o := with(&gputest.Memory{})
		o.Offload = g.options.Offload
		whole, err := New(gputest.Machine(), o)
		if err != nil {
			t.Fatal(err)
		}
		replay(t, whole, gputest.Launch{Kernel: chain(3), Blocks: 1, Threads: 32})
		if want := slices.Repeat(c.each, 3+1); !slices.Equal(list, want) {
			t.Errorf("%d mechanisms, four instructions: asked were %v, want %v", len(c.mechanisms), list, want)
		}
	}
}
