// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// A check of the digest names the trace and the place of what is wrong. That is the
// chunk that the index has otherwise, or the offset of a frame that it lacks.
func TestCheckDigestNamesThePlace(t *testing.T) {
	if err := testtraces.Counted(t).CheckDigest(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		damage func(r *wtape.Reader)
		want   func(r *wtape.Reader) string
	}{
		"another length": {func(r *wtape.Reader) { r.Content().File.Index.Chunks[0].RawBytes++ }, func(r *wtape.Reader) string { return r.Content().File.Index.ChunkName(0) + ": " }},
		"no chunks":      {func(r *wtape.Reader) { r.Content().File.Index.Chunks = nil }, func(*wtape.Reader) string { return "frame at offset " }},
		"another digest": {func(r *wtape.Reader) { r.Content().File.Footer.Digest[0]++ }, func(*wtape.Reader) string { return "the content has digest" }},
	} {
		r := testtraces.Counted(t)
		r.Content().Name = "tape"
		c.damage(r)
		first, again := r.CheckDigest(context.Background()), r.CheckDigest(context.Background())
		if first == nil || !strings.HasPrefix(first.Error(), "tape: "+c.want(r)) {
			t.Errorf("%s: error %v, want one that begins with %q", name, first, "tape: "+c.want(r))
		}
		if fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("%s: a second check says %v, the first %v", name, again, first)
		}
	}
}

// A check that is called off says so, and leaves the answer to the next.
func TestACheckThatIsCalledOffIsNoAnswer(t *testing.T) {
	r := testtraces.Counted(t)
	off, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.CheckDigest(off); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := r.CheckDigest(context.Background()); err != nil {
		t.Errorf("the next check: %v", err)
	}
}
