// SPDX-License-Identifier: Apache-2.0

package datafile

import (
	"fmt"
	"io"

	"github.com/warptape/warptape/frontend/host/array"
)

// Raw reads little-endian elements. Of size bytes it leaves out skip; count is how many
// elements it takes, all of the rest if it is negative.
func Raw(space *array.Space, r io.Reader, size int64, t array.Type, skip int64, count int) (*array.Array, error) {
	if skip > size {
		return nil, fmt.Errorf("skip=%d: the file has %d bytes", skip, size)
	}
	rest, width := size-skip, int64(t.Bytes())
	if count < 0 {
		if rest%width != 0 {
			return nil, fmt.Errorf("%d bytes are no whole number of %s: give skip, count or another dtype", rest, t)
		}
		count = int(rest / width)
	}
	if int64(count) > rest/width {
		return nil, fmt.Errorf("%d elements of %s: the file has %d bytes, enough for %d", count, t, rest, rest/width)
	}
	if _, err := io.CopyN(io.Discard, r, skip); err != nil {
		return nil, shorter(err)
	}
	return elements(space, r, t, count)
}

// elements reads an array of one dimension.
func elements(space *array.Space, r io.Reader, t array.Type, shape ...int) (*array.Array, error) {
	a, err := array.New(space, t, shape...)
	if err != nil {
		return nil, err
	}
	return a, shorter(a.FillBytes(func(dst []byte) error {
		_, err := io.ReadFull(r, dst)
		return err
	}))
}

// shorter explains the end of a file that was longer when it was opened.
func shorter(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file became shorter while it was read")
	}
	return err
}
