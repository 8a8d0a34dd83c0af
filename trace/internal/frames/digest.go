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
type Digester struct{ *sums }

// sums are the hashes of the content so far.
type sums struct {
	all hash.Hash
	// withoutCPU leaves out the frames of CPU threads, as digests once did. It is nil
	// while there are none.
	withoutCPU hash.Hash
}

// NewDigester begins a digest.
func NewDigester() Digester { return Digester{&sums{all: sha256.New()}} }

// Add adds a frame with its uncompressed payload.
func (d Digester) Add(kind wtapepb.FrameKind, raw []byte) {
	h := Header{Kind: kind}
	if kind == wtapepb.FrameKind_FRAME_KIND_INDEX || h.Ancillary() {
		return
	}
	cpu := CPUChunk(kind)
	if cpu && d.withoutCPU == nil {
		d.withoutCPU = copied(d.all)
	}
	add(d.all, kind, raw)
	if !cpu && d.withoutCPU != nil {
		add(d.withoutCPU, kind, raw)
	}
}

func add(to hash.Hash, kind wtapepb.FrameKind, raw []byte) {
	var prefix [9]byte
	prefix[0] = byte(kind)
	binary.LittleEndian.PutUint64(prefix[1:], uint64(len(raw)))
	to.Write(prefix[:]) // a hash never fails
	to.Write(raw)
}

func copied(h hash.Hash) hash.Hash {
	c, err := h.(hash.Cloner).Clone()
	if err != nil {
		panic("BUG: a hash that cannot be copied: " + err.Error())
	}
	return c
}

// Sum is the digest of what was added.
func (d Digester) Sum() (digest [sha256.Size]byte) {
	d.all.Sum(digest[:0])
	return digest
}

// Matches reports whether a digest that a file has is that of what was added. Files that
// were written before digests covered the frames of CPU threads have the one without them.
func (d Digester) Matches(digest [sha256.Size]byte) bool {
	if d.Sum() == digest {
		return true
	}
	return d.withoutCPU != nil && [sha256.Size]byte(d.withoutCPU.Sum(nil)) == digest
}
