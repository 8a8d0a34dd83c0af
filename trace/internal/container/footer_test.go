// SPDX-License-Identifier: Apache-2.0

package container

import (
	"bytes"
	"testing"

	"github.com/warptape/warptape/trace/internal/frames"
)

// The index lies between the first eight bytes of a file and its footer, and ends where that begins.
func TestTheFooterPutsTheIndexIntoTheFile(t *testing.T) {
	const first, frame = uint64(frames.MagicBytes), 32
	for _, c := range []struct {
		offset, length uint64
		want           bool
	}{
		{first, frame, true}, {first + 8, frame - 8, true}, {first + frame, 0, true},
		{first - 1, frame + 1, false}, {0, first + frame, false}, {first + frame + 1, ^uint64(0), false},
		{first, frame - 1, false}, {first, frame + 1, false},
	} {
		footer := frames.Footer{IndexOffset: c.offset, IndexLength: c.length}
		data := footer.Append(make([]byte, first+frame))
		f := File{In: bytes.NewReader(data), Size: int64(len(data)), Version: frames.FooterVersion}
		if err := f.ReadFooter(); (err == nil) != c.want || err == nil && (f.Footer.IndexOffset != c.offset || f.Footer.IndexLength != c.length) {
			t.Errorf("an index of %d bytes at %d of a file of %d: %v", c.length, c.offset, len(data), err)
		}
	}
	short := make([]byte, frames.MagicBytes+frames.FooterBytes-1)
	f := File{In: bytes.NewReader(short), Size: int64(len(short)), Version: frames.FooterVersion}
	if err := f.ReadFooter(); err == nil {
		t.Error("a file without room for a footer has one")
	}
}
