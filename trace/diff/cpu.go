// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/cursor"
	"github.com/warptape/warptape/trace/wtape"
)

// describeCPU is what an instruction did.
func describeCPU(c *cursor.CPU) string {
	in := c.Instruction()
	return fmt.Sprintf("%x %s %x %x stores %s loads %s", in.IP, describeOutcome(in, c.Taken()), in.Destinations, in.Sources,
		describeOperands(c.Addresses()[:in.Stores()]), describeOperands(c.Addresses()[in.Stores():]))
}

// diffCPU names the first instruction of the CPU threads that differs.
func diffCPU(a, b *wtape.Reader) (string, error) {
	if a.CPUThreads() != b.CPUThreads() {
		return fmt.Sprintf("%d CPU threads and %d", a.CPUThreads(), b.CPUThreads()), nil
	}
	ca, cb := cursor.NewCPU(a), cursor.NewCPU(b)
	for {
		moreA, err := ca.Step()
		if err != nil {
			return "", err
		}
		moreB, err := cb.Step()
		if err != nil {
			return "", err
		}
		switch {
		case !moreA && !moreB:
			return "", nil
		case !moreB || moreA && ca.Chunk.Thread < cb.Chunk.Thread:
			return fmt.Sprintf("the second has no CPU thread %d, instruction %d", ca.Chunk.Thread, ca.Number()), nil
		case !moreA || cb.Chunk.Thread < ca.Chunk.Thread:
			return fmt.Sprintf("the first has no CPU thread %d, instruction %d", cb.Chunk.Thread, cb.Number()), nil
		}
		if sa, sb := ca.Syncs(), cb.Syncs(); !slices.EqualFunc(sa, sb, sameSync) {
			return fmt.Sprintf("CPU thread %d, before instruction %d: %s and %s", ca.Chunk.Thread, ca.Number(), describeSyncs(sa), describeSyncs(sb)), nil
		}
		if *ca.Instruction() != *cb.Instruction() || ca.Taken() != cb.Taken() || !slices.Equal(ca.Addresses(), cb.Addresses()) {
			return fmt.Sprintf("CPU thread %d, instruction %d: %s and %s", ca.Chunk.Thread, ca.Number(), describeCPU(ca), describeCPU(cb)), nil
		}
	}
}

// describeOutcome gives the letter that the text form has for an outcome.
func describeOutcome(in *trace.CPUInstruction, taken bool) string {
	switch {
	case in.MarkedTaken:
		return "m"
	case !in.Branch:
		return "-"
	case taken:
		return "t"
	}
	return "n"
}

// sameSync compares events, whatever their places in chunks.
func sameSync(a, b trace.CPUSync) bool {
	a.At, b.At = 0, 0
	return a == b
}

func describeSyncs(list []trace.CPUSync) string {
	if len(list) == 0 {
		return "no synchronisation"
	}
	var s []string
	for i := range list {
		s = append(s, fmt.Sprintf("%v %x %d", list[i].Kind, list[i].Object, list[i].Threads))
	}
	return strings.Join(s, ", ")
}

func describeOperands(addresses []uint64) string {
	if len(addresses) == 0 {
		return "-"
	}
	return strings.Trim(fmt.Sprintf("%x", addresses), "[]")
}
