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
