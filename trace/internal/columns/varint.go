// SPDX-License-Identifier: Apache-2.0

// Package columns reads and writes the packed columns of a chunk: varints, runs of zeros,
// bits, sequences that warps share, histories of masks, and predicted bases.
package columns

import (
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// What a reader of a column finds at its end.
var (
	ErrShort = errors.New("column ends early")
	ErrLong  = errors.New("column has elements left over")
)

// Reader reads the elements of a packed varint column one by one. After the end
// it yields zeros and remembers that it failed: a decoder checks once, at its end.
type Reader struct {
	Data   []byte
	Failed bool
}

// Uvarint is the hot path: most elements are one byte.
func (c *Reader) Uvarint() uint64 {
	if len(c.Data) > 0 && c.Data[0] < 0x80 {
		v := c.Data[0]
		c.Data = c.Data[1:]
		return uint64(v)
	}
	return c.long()
}

func (c *Reader) long() uint64 {
	v, n := binary.Uvarint(c.Data)
	if n <= 0 {
		c.Failed, c.Data = true, nil
		return 0
	}
	c.Data = c.Data[n:]
	return v
}

// Svarint reads a sint64 (zigzag).
func (c *Reader) Svarint() int64 { return protowire.DecodeZigZag(c.Uvarint()) }

// Check reports a column that was too short or too long for what was read.
func (c *Reader) Check() error {
	switch {
	case c.Failed:
		return ErrShort
	case len(c.Data) > 0:
		return ErrLong
	}
	return nil
}

// ZeroRunReader reads a zero-run column: see wtape.proto.
type ZeroRunReader struct {
	Reader
	Zeros uint64 // pending
}

func (r *ZeroRunReader) Next() uint64 {
	if r.Zeros > 0 {
		r.Zeros--
		return 0
	}
	return r.fetch()
}

func (r *ZeroRunReader) fetch() uint64 {
	v := r.Uvarint()
	if v == 0 && !r.Failed {
		r.Zeros = r.Uvarint()
	}
	return v
}

func (r *ZeroRunReader) Check() error {
	if r.Zeros > 0 {
		return ErrLong
	}
	return r.Reader.Check()
}

// ZeroRunWriter builds a zero-run column.
type ZeroRunWriter struct {
	data  []byte
	zeros uint64
}

func (w *ZeroRunWriter) Put(v uint64) {
	if v == 0 {
		w.zeros++
		return
	}
	w.flush()
	w.data = binary.AppendUvarint(w.data, v)
}

func (w *ZeroRunWriter) flush() {
	if w.zeros > 0 {
		w.data = append(w.data, 0)
		w.data = binary.AppendUvarint(w.data, w.zeros-1)
		w.zeros = 0
	}
}

// Bytes ends the column.
func (w *ZeroRunWriter) Bytes() []byte {
	w.flush()
	return w.data
}

func (w *ZeroRunWriter) Reset() { w.data, w.zeros = w.data[:0], 0 }
