// SPDX-License-Identifier: Apache-2.0

package projection

import (
	"fmt"
	"strings"
)

// Rule is a rule of divergence: in which order the lanes of a warp run that take
// different paths, and where they meet again. Chapter 6 of the GPSim thesis
// compares them (its table of schemes: GPU-PD, GPU-SE, GPU-SBI, and EESI's lanes).
type Rule uint8

// The rules.
const (
	// PostDominator runs one path after the other and lets the lanes meet at the
	// joins of the branch, its immediate post-dominator mostly (a reconvergence
	// stack; trace.BasicBlock.Reconvergence). With 32 lanes it gives the recorded
	// warps, but for lanes that waited for others elsewhere.
	PostDominator Rule = iota
	// Serial runs one path after the other, each to the end of the thread: lanes that
	// have parted meet again only at a barrier of the thread block.
	Serial
	// SerialRounds is serial execution as the thesis's simulator has it (ESESC at commit
	// 6958074e, SerialDivergence.cpp), where the text says what Serial does. In each round
	// every lane that does not wait executes one basic block, in the order of the blocks'
	// numbers. Lanes that come to a basic block in the same round go on together.
	SerialRounds
	// Interleaved has two contexts, which take turns visit by visit, for the two paths at
	// the lowest instructions (simultaneous branch interweaving, Brunie, Collange and
	// Diamos, ISCA 2012). Paths meet wherever they are at the same basic block: at thread
	// frontiers (Diamos et al., MICRO 2011). At a join a path waits for those that are on
	// their way there from its branch, as the paper's synchronisation instruction does.
	Interleaved
	// Independent lets every lane go its own way (MIMD): visits have one lane each
	// and go round.
	Independent

	ruleEnd
)

var ruleNames = [ruleEnd]string{"post-dominator", "serial", "serial-rounds", "interleaved", "independent"}

func (r Rule) String() string {
	if r < ruleEnd {
		return ruleNames[r]
	}
	return fmt.Sprintf("rule %d", uint8(r))
}

// ParseRule is the rule of a name; the error lists them.
func ParseRule(name string) (Rule, error) {
	for r, n := range ruleNames {
		if n == name {
			return Rule(r), nil
		}
	}
	return 0, fmt.Errorf("divergence rule %q: there are %s", name, strings.Join(ruleNames[:], ", "))
}
