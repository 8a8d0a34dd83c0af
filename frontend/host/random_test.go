// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/host"
)

// output runs the statements of a main and gives what they print.
func output(t *testing.T, statements string, seed uint64) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := load(t, inMain(statements)).Run(context.Background(), host.Options{Out: &out, Seed: seed}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRandomNumbersFillTheirRange(t *testing.T) {
	output(t, `x = random.uniform(f32, 100000, low=-2.0, high=6.0)
check.that(x.min() >= -2.0 and x.max() < 6.0, "outside: %s %s" % (x.min(), x.max()))
check.that(x.min() < -1.99 and x.max() > 5.99, "does not fill: %s %s" % (x.min(), x.max()))
mean = x.sum() / len(x)
check.that(1.96 < mean and mean < 2.04, "mean %s" % mean)
n = random.integers(i8, (1000, 10), low=-128, high=128)
check.that(n.min() == -128 and n.max() == 127, "range %s %s" % (n.min(), n.max()))
check.that(len(n.unique()) == 256, "values are missing")
counts = array.zeros(i32, 256)
counts.add_at(i32(n.flatten()) + 128, 1)
check.that(counts.max() < 100, "one value %s times of 10000" % counts.max())
u = random.integers(i64, 100, low=-9223372036854775808, high=9223372036854775807)
check.that(u.min() < -(1 << 60) and u.max() > 1 << 60, "i64")`, 3)
}

func TestEveryRandomCallHasItsOwnNumbersFromTheSeed(t *testing.T) {
	const two = "print(random.integers(i32, %s, 0, 1000))\nprint(random.integers(i32, 4, 0, 1000))"
	short := output(t, strings.Replace(two, "%s", "4", 1), 1)
	long := output(t, strings.Replace(two, "%s", "50", 1), 1)
	lines := strings.Split(short, "\n")
	if lines[0] == lines[1] {
		t.Errorf("two calls gave %s", lines[0])
	}
	if diff := cmp.Diff(lines[1], strings.Split(long, "\n")[1]); diff != "" {
		t.Errorf("a longer first call changes the second: %s", diff)
	}
	if short == output(t, strings.Replace(two, "%s", "4", 1), 2) {
		t.Error("the seed makes no difference")
	}
}

func TestGraphsAreCompressedRows(t *testing.T) {
	const valid = `
check.that(len(g.offsets) == n + 1 and g.offsets[0] == 0 and g.offsets[n] == n * d, "offsets")
check.that(len(g.columns) == n * d and g.columns.min() >= 0 and g.columns.max() < n, "columns")
degrees = g.offsets[1:] - g.offsets[:-1]
check.that(degrees.min() >= 0, "offsets must not fall")
`
	output(t, "n, d = 300, 7\ng = random.graph_uniform(n, d)"+valid+`check.that(degrees.min() == 7 and degrees.max() == 7, "degrees")`, 1)
	output(t, "n, d = 1 << 12, 8\ng = random.graph_rmat(n, d)"+valid+`check.that(degrees.max() > 20 * d, "no hubs: %s" % degrees.max())
check.that(degrees.eq(0).any(), "no lonely vertices")`, 1)
	output(t, "n, d = 1 << 12, 8\ng = random.graph_rmat(n, d, a=0.25, b=0.25, c=0.25)"+valid+`check.that(degrees.max() < 4 * d, "hubs: %s" % degrees.max())`, 1)
	output(t, "n, d = 1, 3\ng = random.graph_rmat(n, d)"+valid, 1)
	output(t, "n, d = 5, 0\ng = random.graph_uniform(n, d)\n"+`check.equal(g.offsets, array.zeros(i32, 6))`, 1)
}
