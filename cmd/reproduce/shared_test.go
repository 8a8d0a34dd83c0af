// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/cmd/results"
)

// TestStudiesTakeWhatIsReplayedAlready: with another cache but the same results a study
// has the same measurements, and one of a result that says otherwise follows it.
func TestStudiesTakeWhatIsReplayedAlready(t *testing.T) {
	store, err := results.Create(filepath.Join(t.TempDir(), "results"))
	if err != nil {
		t.Fatal(err)
	}
	measured := func(shared *results.Store) *Results {
		t.Helper()
		r := &Runner{Cache: t.TempDir(), Model: "this", Workers: 1, Results: shared}
		list, err := r.Run(context.Background(), tinyStudy(), "tiny")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	want := measured(nil)
	for _, when := range []string{"kept", "taken"} {
		if d := cmp.Diff(want, measured(store)); d != "" {
			t.Errorf("%s: %s", when, d)
		}
	}
	for key, err := range store.Keys() {
		if err != nil {
			t.Fatal(err)
		}
		p, err := store.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		p.Statistics = json.RawMessage(strings.Replace(string(p.Statistics), `"time_ns":`, `"time_ns":1`, -1))
		if err := store.Put(p); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range measured(store).Measurements {
		if m.Nanoseconds <= want.Measurements[i].Nanoseconds {
			t.Errorf("%s on %s was replayed again", m.Workload, m.Architecture)
		}
	}
}
