// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/warptape/warptape/frontend/host/bounds"
)

// TestGrowingListsEnd gives the watch a limit that a list reaches at once; the
// steps are far more than the list needs.
func TestGrowingListsEnd(t *testing.T) {
	program := "def main(p):\n    l = []\n    while True: l.append([0] * 1000)\n"
	p, err := Load(fstest.MapFS{"p.star": {Data: []byte(program)}}, "p.star")
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(context.Background(), p, Options{})
	r.budget = bounds.New(r.thread, r.options.MaxSteps, 32<<20, 1<<62)
	err = r.supervise(func() error { return r.main(&p.sizes[0]) })
	var located *Error
	if !errors.As(err, &located) || !strings.Contains(err.Error(), "out of memory") {
		t.Errorf("got %v", err)
	}
}
