// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

func TestRandomTracesReadBackAsWritten(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 200, tracetest.Fewer(12, 33)) {
		want := testtraces.Random(seed)
		data := want.Encode(t, wtape.Options{Workers: 1})
		r, err := wtape.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := testtraces.Read(r)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d := testtraces.Diff(want, got); d != "" {
			t.Fatalf("seed %d: written (-) and read (+) differ:\n%s", seed, d)
		}
	}
}
