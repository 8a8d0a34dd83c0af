// SPDX-License-Identifier: Apache-2.0

package loadstore

// Groups are a warp's groups of asynchronous copies (PTX ISA 9.7.9.25.2). A copy belongs to
// the group that is open when it starts. A commit closes that group and opens the next, also
// where it is empty.
type Groups struct {
	groups []group // the open one last; old ones that are complete are dropped
	first  uint32  // number of groups[0]
}

// remembered is how many groups are kept at least, complete or not.
const remembered = 64

type group struct {
	started  int // copies
	underWay int // of these
}

// Reset forgets everything: another warp begins.
func (g *Groups) Reset() { *g = Groups{groups: append(g.groups[:0], group{})} }

// Start notes a copy of the open group, and gives the group's number.
func (g *Groups) Start() (number uint32) {
	last := len(g.groups) - 1
	g.groups[last].started++
	g.groups[last].underWay++
	return g.first + uint32(last)
}

// Commit closes the open group.
func (g *Groups) Commit() {
	g.groups = append(g.groups, group{})
	g.drop()
}

// Finish ends a copy of a group.
func (g *Groups) Finish(number uint32) { g.groups[number-g.first].underWay-- }

// drop forgets the oldest groups that are complete, when there are many.
func (g *Groups) drop() {
	if len(g.groups) < 2*remembered {
		return
	}
	over := 0
	for over < len(g.groups)-remembered && g.groups[over].underWay == 0 {
		over++
	}
	g.first += uint32(over)
	g.groups = append(g.groups[:0], g.groups[over:]...)
}

// Over reports whether all groups but the latest n that are committed are complete. The open
// one does not count.
func (g *Groups) Over(n int) bool {
	for i := range len(g.groups) - 1 - n {
		if g.groups[i].underWay > 0 {
			return false
		}
	}
	return true
}

// Latest is how many copies have started in the latest n groups that are committed, and in
// the open one.
func (g *Groups) Latest(n int) (started int) {
	for i := max(len(g.groups)-1-n, 0); i < len(g.groups); i++ {
		started += g.groups[i].started
	}
	return started
}
