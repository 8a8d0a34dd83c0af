package trace

import (
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var (
	errColumnShort = errors.New("column ends early")
	errColumnLong  = errors.New("column has elements left over")
)

// column reads the elements of a packed varint column one by one. After the end
// it yields zeros and remembers that it failed: a decoder checks once, at its end.
type column struct {
	data   []byte
	failed bool
}

// uvarint is the hot path: most elements are one byte.
func (c *column) uvarint() uint64 {
	if len(c.data) > 0 && c.data[0] < 0x80 {
		v := c.data[0]
		c.data = c.data[1:]
		return uint64(v)
	}
	return c.long()
}

func (c *column) long() uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.failed, c.data = true, nil
		return 0
	}
	c.data = c.data[n:]
	return v
}

// svarint reads a sint64 (zigzag).
func (c *column) svarint() int64 { return protowire.DecodeZigZag(c.uvarint()) }

// check reports a column that was too short or too long for what was read.
func (c *column) check() error {
	switch {
	case c.failed:
		return errColumnShort
	case len(c.data) > 0:
		return errColumnLong
	}
	return nil
}

// zeroRunReader reads a zero-run column: see wtape.proto.
type zeroRunReader struct {
	column
	zeros uint64 // pending
}

func (r *zeroRunReader) next() uint64 {
	if r.zeros > 0 {
		r.zeros--
		return 0
	}
	return r.fetch()
}

func (r *zeroRunReader) fetch() uint64 {
	v := r.uvarint()
	if v == 0 && !r.failed {
		r.zeros = r.uvarint()
	}
	return v
}

func (r *zeroRunReader) check() error {
	if r.zeros > 0 {
		return errColumnLong
	}
	return r.column.check()
}

// zeroRunWriter builds a zero-run column.
type zeroRunWriter struct {
	data  []byte
	zeros uint64
}

func (w *zeroRunWriter) put(v uint64) {
	if v == 0 {
		w.zeros++
		return
	}
	w.flush()
	w.data = binary.AppendUvarint(w.data, v)
}

func (w *zeroRunWriter) flush() {
	if w.zeros > 0 {
		w.data = append(w.data, 0)
		w.data = binary.AppendUvarint(w.data, w.zeros-1)
		w.zeros = 0
	}
}

// bytes ends the column.
func (w *zeroRunWriter) bytes() []byte {
	w.flush()
	return w.data
}

func (w *zeroRunWriter) reset() { w.data, w.zeros = w.data[:0], 0 }
