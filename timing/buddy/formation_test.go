// SPDX-License-Identifier: Apache-2.0

package buddy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormationsAreThoseOfTableI(t *testing.T) {
	for _, c := range []struct {
		size, residue int
		want          []int
	}{
		{4, 1, []int{2, 1, 1}}, {4, 2, []int{2, 2}}, {4, 3, []int{2, 1, 1}}, {2, 1, []int{1, 1}},
		{8, 4, []int{4, 4}}, {8, 6, []int{4, 2, 2}}, {8, 7, []int{4, 2, 1, 1}},
	} {
		if diff := cmp.Diff(c.want, formation(c.size, c.residue)); diff != "" {
			t.Errorf("size %d, residue %d:\n%s", c.size, c.residue, diff)
		}
	}
}

// An SM issues together with those of its group, wherever the group lies in the cluster,
// unless its group has parted.
func TestSMsIssueTogetherByGroups(t *testing.T) {
	c := &cluster{}
	for _, g := range []struct{ size, mode int }{{2, int(together)}, {1, int(together)}, {4, int(together)}, {2, int(apart)}} {
		c.groups = append(c.groups, &group{sms: make([]member, g.size), mode: mode(g.mode)})
	}
	want := [][2]int{{0, 2}, {0, 2}, {2, 1}, {3, 4}, {3, 4}, {3, 4}, {3, 4}, {7, 1}, {8, 1}}
	for place, w := range want {
		if first, count := c.together(place); first != w[0] || count != w[1] {
			t.Errorf("SM %d issues with %d from SM %d on, want %d from SM %d on", place, count, first, w[1], w[0])
		}
	}
}
