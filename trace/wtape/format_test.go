// SPDX-License-Identifier: Apache-2.0

package wtape_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// A trace that was written yesterday must read today. If this digest changes, the
// format changed: see "Versions" in docs/trace-format.md before touching it.
func TestContentOfAKnownTraceIsStable(t *testing.T) {
	const want = "130a7c096bca2822f402b86bda1cc6bbb2dc1cede83127dfbbeab9f3bd7d54a9"
	if got := testtraces.Open(t, testtraces.Small(t, wtape.Options{})).Digest(); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// The packages of tools test with this file.
func TestTheSmallTraceInTestdataIsWhatThisWriterWrites(t *testing.T) {
	data, err := os.ReadFile("../testdata/small.wtape")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, testtraces.Small(t, wtape.Options{})) {
		t.Error("../testdata/small.wtape has other bytes")
	}
}
