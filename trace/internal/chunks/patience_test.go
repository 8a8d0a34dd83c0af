// SPDX-License-Identifier: Apache-2.0

package chunks

import (
	"testing"
)

// A table that has not learnt is given up; one that learns, or knows enough, is not.
func TestPatienceEndsWithTablesThatDoNotLearn(t *testing.T) {
	for _, x := range []struct {
		first, second float64
		ends          bool
	}{{130, 130, true}, {130, 128, true}, {130, 100, false}, {90, 90, false}, {300, 200, false}} {
		if ends := hopeless(x.first, x.second, 800); ends != x.ends {
			t.Errorf("eighths of %g and %g %% of their share: ends %v", x.first, x.second, ends)
		}
	}
}
