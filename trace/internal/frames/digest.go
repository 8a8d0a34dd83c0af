// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/warptape/warptape/proto/wtapepb"
)

// Digester computes the digest of a trace's content. It is SHA-256 over, for every
// frame but the index and ancillary ones, the kind byte, the uncompressed length
// as u64 little endian, and the uncompressed payload. It does not depend on the
// compression.
type Digester struct{ hash hash.Hash }

// NewDigester begins a digest.
func NewDigester() Digester { return Digester{sha256.New()} }

// Add adds a frame with its uncompressed payload.
func (d Digester) Add(kind wtapepb.FrameKind, raw []byte) {
	if kind >= wtapepb.FrameKind_FRAME_KIND_INDEX {
		return
	}
	var prefix [9]byte
	prefix[0] = byte(kind)
	binary.LittleEndian.PutUint64(prefix[1:], uint64(len(raw)))
	d.hash.Write(prefix[:]) // a hash never fails
	d.hash.Write(raw)
}

// Sum is the digest of what was added.
func (d Digester) Sum() (digest [sha256.Size]byte) {
	d.hash.Sum(digest[:0])
	return digest
}
