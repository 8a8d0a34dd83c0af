// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warptape/warptape/timing/gpu/gputest"
)

// What Check has found out serves a replay of the same kernels and launches, and only one.
func TestACheckServesOneReplayOfWhatWasChecked(t *testing.T) {
	short, long := chain(5), chain(90)
	long.Name = "long"
	one := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: short, Blocks: 3, Threads: 32}))
	same := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: long, Blocks: 3, Threads: 32}))
	two := gputest.NewSource(gputest.Trace(t, gputest.Launch{Kernel: long, Blocks: 1, Threads: 32}, gputest.Launch{Kernel: short, Blocks: 1, Threads: 32}))
	for name, other := range map[string]*gputest.Source{"the same": one, "another trace": same, "one with more": two} {
		want, err := build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 9}).Replay(context.Background(), other, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := build(t, gputest.Machine(), &gputest.Memory{LatencyCycles: 9})
		if err := g.Check(one.Kernels(), one.Launches()); err != nil {
			t.Fatal(err)
		}
		if got, err := g.Replay(context.Background(), other, nil); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s behind a check: %v %s", name, err, cmp.Diff(want, got))
		}
	}
	g := build(t, gputest.Machine(), &gputest.Memory{})
	if err := g.Check(two.Kernels(), two.Launches()); err != nil {
		t.Fatal(err)
	}
	c := g.checked
	for _, d := range []struct {
		what              string
		kernels, launches int // of them
		serves            bool
	}{{"all", 2, 2, true}, {"fewer kernels", 1, 2, false}, {"fewer launches", 2, 1, false}, {"no kernels", 0, 2, false}, {"no launches", 2, 0, false}} {
		now := c
		if p := now.take(two.Kernels()[:d.kernels], two.Launches()[:d.launches]); (p != nil) != d.serves {
			t.Errorf("%s: the check serves: %v", d.what, p != nil)
		}
		if p := now.take(two.Kernels(), two.Launches()); p != nil {
			t.Errorf("%s: a check serves twice", d.what)
		}
	}
	copied := append(two.Launches()[:0:0], two.Launches()...)
	if p := c.take(two.Kernels(), copied); p != nil {
		t.Error("a check serves other launches")
	}
}
