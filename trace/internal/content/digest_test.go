// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"testing"

	"github.com/warptape/warptape/trace/internal/testtraces"
	"github.com/warptape/warptape/trace/wtape"
)

// An index that lists other frames than the file has is found, and a last frame that reaches into the index.
func TestAnIndexOfOtherFramesIsFound(t *testing.T) {
	open := func() *wtape.Reader { return testtraces.Open(t, testtraces.Random(3).Encode(t, wtape.Options{})) }
	if err := open().Content().CheckDigest(t.Context()); err != nil {
		t.Fatal(err)
	}
	chunks := len(open().Chunks())
	for i := range chunks {
		c := open().Content()
		c.File.Index.Chunks[i].Offset++
		if err := c.CheckDigest(t.Context()); err == nil {
			t.Errorf("chunk %d is not where the index has it", i)
		}
		c = open().Content()
		c.File.Index.Chunks[i].RawBytes++
		if err := c.CheckDigest(t.Context()); err == nil {
			t.Errorf("chunk %d has not the bytes that the index says", i)
		}
	}
	for _, bytes := range []uint64{1, 24} {
		c := open().Content()
		c.File.Footer.IndexOffset -= bytes
		if err := c.CheckDigest(t.Context()); err == nil {
			t.Errorf("the last frame ends %d bytes behind where the index begins", bytes)
		}
	}
	if chunks == 0 {
		t.Error("the trace has no chunk")
	}
}
