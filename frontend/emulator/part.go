// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"
	"fmt"
	"sort"

	"github.com/warptape/warptape/trace"
)

// part is the thread blocks of a launch that are executed: turn 0 is the first of them.
type part struct {
	only []trace.Range // nil: all
	// before[i] is the number of thread blocks in the ranges ahead of the i-th.
	before []uint64
	count  uint64
}

func newPart(l *LaunchRequest) part {
	p := part{only: l.Only, count: l.Grid.Count()}
	if p.only == nil {
		return p
	}
	p.count = 0
	for _, r := range p.only {
		p.before = append(p.before, p.count)
		p.count += r.Last - r.First + 1
	}
	return p
}

// at is the thread block whose turn it is.
func (p *part) at(turn uint64) uint64 {
	if p.only == nil {
		return turn
	}
	i := sort.Search(len(p.before), func(i int) bool { return p.before[i] > turn }) - 1
	return p.only[i].First + turn - p.before[i]
}

func (l *LaunchRequest) checkOnly() error {
	if l.Only == nil {
		return nil
	}
	if l.clusterSize().Count() > 1 {
		return errors.New("some of the thread blocks of clusters; clusters are executed whole")
	}
	next := uint64(0)
	for _, r := range l.Only {
		if r.First < next || r.Last < r.First || r.Last >= l.Grid.Count() {
			return fmt.Errorf("thread blocks %s of %d, after %d: want ascending ranges of the grid", r, l.Grid.Count(), next)
		}
		next = r.Last + 1
	}
	return nil
}
