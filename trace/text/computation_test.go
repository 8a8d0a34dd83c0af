// SPDX-License-Identifier: Apache-2.0

package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

func computing(t *testing.T, accesses []trace.HostAccess) *wtape.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := wtape.NewWriter(&out, "test", trace.Header{}, wtape.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.AddEvent(trace.HostEvent{Kind: trace.EventCompute, Name: "think", Operations: 7, Accesses: accesses}); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := wtape.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		if strings.Contains(err.Error(), "beyond the end of memory") {
			return nil
		}
		t.Fatal(err)
	}
	return r
}

func TestAccessesOfAComputationComeBack(t *testing.T) {
	want := []trace.HostAccess{{HostAddress: 1 << 40, Bytes: 100}, {HostAddress: 5, Bytes: 0, Writes: true}, {HostAddress: ^uint64(0) - 8, Bytes: 8, Writes: true}}
	r := computing(t, want)
	if diff := cmp.Diff(want, r.Timeline()[0].Accesses); diff != "" {
		t.Error(diff)
	}
	text := fullTextOf(t, r)
	if !strings.Contains(text, "accesses") {
		t.Errorf("the text form has no accesses:\n%s", text)
	}
	again, err := assembled(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Timeline(), testtraces.Open(t, again).Timeline()); diff != "" {
		t.Error(diff)
	}
}

func TestAccessesBeyondTheEndOfMemoryAreRefused(t *testing.T) {
	if r := computing(t, []trace.HostAccess{{HostAddress: ^uint64(0), Bytes: 2}}); r != nil {
		t.Error("they were read")
	}
}

func fullTextOf(t *testing.T, r *wtape.Reader) string {
	t.Helper()
	var out strings.Builder
	if err := Dump(r, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
