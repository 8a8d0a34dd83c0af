// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/tracetest"
	"github.com/warptape/warptape/trace/wtape"
)

// Steps of a program with thousands of streams wait for thousands of others each. The
// messages of the timeline stay within their bound, and the trace has all of them.
func TestTimelinesOfStepsThatWaitForThousands(t *testing.T) {
	tracetest.Nightly(t)
	const streams, steps = 5000, 4500
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, streams)
	for i := range all {
		all[i] = i
		if _, err := w.AddEvent(trace.HostEvent{Kind: trace.EventSynchronize, Stream: uint32(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for range steps {
		if _, err := w.AddEvent(trace.HostEvent{Kind: trace.EventSynchronize, Stream: streams, After: all}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Timeline()
	if len(got) != streams+steps || !slices.Equal(got[streams].After, all) || !slices.Equal(got[len(got)-1].After, all) {
		t.Errorf("%d events", len(got))
	}
}
