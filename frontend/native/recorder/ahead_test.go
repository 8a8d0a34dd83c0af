// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// measured knows the sizes of the reads of what lies behind, and gives no more than so many bytes in one.
type measured struct {
	io.Reader
	most  int
	sizes []int
}

func (c *measured) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p[:min(len(p), c.most)])
	c.sizes = append(c.sizes, len(p))
	return n, err
}

// Bytes come in their order, whatever the sizes of reads. Small ones are taken from one large read. One that is as
// large as the buffer is a read of its own.
func TestReadingAheadKeepsTheBytesAndSparesReads(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	data := make([]byte, 300<<10)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	c := &measured{Reader: bytes.NewReader(data), most: 50 << 10}
	reader, got := newReader(c), []byte(nil)
	for len(got) < len(data) {
		p := make([]byte, []int{1, 9, 100, 4 << 10, 64 << 10, 80 << 10}[r.IntN(6)])
		n, err := io.ReadFull(reader, p)
		if got = append(got, p[:n]...); err != nil && len(got) < len(data) {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, data) {
		t.Error("other bytes were read")
	}
	if n, err := reader.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d, %v", n, err)
	}
	small := &measured{Reader: bytes.NewReader(data), most: len(data)}
	reader = newReader(small)
	for range 6400 {
		reader.Read(make([]byte, 10))
	}
	if len(small.sizes) != 1 || small.sizes[0] != 64<<10 {
		t.Errorf("6400 reads of 10 bytes are reads of %v", small.sizes)
	}
	large := &measured{Reader: bytes.NewReader(data), most: len(data)}
	reader = newReader(large)
	for _, size := range []int{80 << 10, 64 << 10} {
		if n, _ := reader.Read(make([]byte, size)); n != size || large.sizes[len(large.sizes)-1] != size {
			t.Errorf("a read of %d bytes gives %d, of reads of %v", size, n, large.sizes)
		}
	}
}
