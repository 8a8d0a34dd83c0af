// SPDX-License-Identifier: Apache-2.0

// Package fatbin reads and writes the containers in which compilers of CUDA C++ put
// device code: a head, and entries of PTX text or of machine code for one GPU.
//
// The form is not documented by its makers; the field's open tools agree on it. Every
// entry has a head of at least 64 bytes. It begins with the kind (16 bits: 1 is PTX, 2
// machine code), version, the head's length (32) and the length of what follows (64). The
// length of the compressed text (32) is at byte 16, the architecture (32) at byte 28.
// Flags (64) are at byte 40, the length of the whole text (64) is at byte 56.
package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	magic      = 0xba55ed50
	headBytes  = 16
	entryBytes = 64

	kindPTX  = 1
	kindSASS = 2

	flag64Bit = 1 << 0
	flagLZ4   = 1 << 13
	flagZstd  = 1 << 15
	// flagUnlinked is ours: the text names what other texts of the program define.
	flagUnlinked = 1 << 40
)

// maxTextBytes bounds the text of one entry.
const maxTextBytes = 256 << 20

// ErrNoPTX is the error of a fat binary that has machine code alone.
var ErrNoPTX = errors.New("it has machine code (SASS) and no PTX: build it again with PTX inside, for instance -gencode arch=compute_70,code=compute_70")

// PTX gives the PTX text of an image: of a fat binary the text for the newest
// architecture, of others the text that they are.
func PTX(image []byte) ([]byte, error) {
	if len(image) < headBytes || binary.LittleEndian.Uint32(image) != magic {
		return text(image)
	}
	head := uint64(binary.LittleEndian.Uint16(image[6:]))
	n := binary.LittleEndian.Uint64(image[8:])
	if head < headBytes || head > uint64(len(image)) || n > uint64(len(image))-head {
		return nil, errors.New("the fat binary is cut off")
	}
	var best []byte
	var newest uint32
	machineCode := false
	for rest := image[head : head+n]; len(rest) >= entryBytes; {
		e, after, err := readEntry(rest)
		if err != nil {
			return nil, err
		}
		rest = after
		if e.kind == kindSASS {
			machineCode = true
		}
		if e.kind != kindPTX || best != nil && e.arch < newest {
			continue
		}
		if best, err = e.text(); err != nil {
			return nil, err
		}
		newest = e.arch
	}
	switch {
	case best != nil:
		return best, nil
	case machineCode:
		return nil, ErrNoPTX
	}
	return nil, errors.New("the fat binary is empty")
}

// text is PTX without the zero byte that ends it in C.
func text(image []byte) ([]byte, error) {
	if bytes.HasPrefix(image, []byte("\x7fELF")) {
		return nil, ErrNoPTX
	}
	if i := bytes.IndexByte(image, 0); i >= 0 {
		image = image[:i]
	}
	return image, nil
}

type entry struct {
	kind    uint16
	arch    uint32
	flags   uint64
	length  uint64 // of the whole text
	payload []byte
}

func readEntry(b []byte) (e entry, rest []byte, err error) {
	head, n := uint64(binary.LittleEndian.Uint32(b[4:])), binary.LittleEndian.Uint64(b[8:])
	if head < entryBytes || head > uint64(len(b)) || n > uint64(len(b))-head {
		return entry{}, nil, errors.New("an entry of the fat binary is cut off")
	}
	e = entry{
		kind: binary.LittleEndian.Uint16(b), arch: binary.LittleEndian.Uint32(b[28:]),
		flags: binary.LittleEndian.Uint64(b[40:]), length: binary.LittleEndian.Uint64(b[56:]),
	}
	e.payload, rest = b[head:head+n], b[head+n:]
	if e.flags&(flagLZ4|flagZstd) != 0 {
		if c := uint64(binary.LittleEndian.Uint32(b[16:])); c <= n {
			e.payload = e.payload[:c]
		}
	}
	return e, rest, nil
}

func (e *entry) text() ([]byte, error) {
	if e.length > maxTextBytes {
		return nil, fmt.Errorf("a text of %d bytes; at most %d are taken", e.length, maxTextBytes)
	}
	var out []byte
	var err error
	switch {
	case e.flags&flagLZ4 != 0:
		out, err = expandLZ4(e.payload, int(e.length))
	case e.flags&flagZstd != 0:
		out, err = expandZstd(e.payload, int(e.length))
	default:
		out = e.payload
	}
	if err != nil {
		return nil, fmt.Errorf("the compressed PTX: %w", err)
	}
	return text(out)
}

func expandZstd(in []byte, length int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxTextBytes))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(in, make([]byte, 0, min(length, 1<<20)))
}

// Unlinked reports whether Pack made an image of a text that is to be linked with others.
func Unlinked(image []byte) bool {
	if len(image) < headBytes+entryBytes || binary.LittleEndian.Uint32(image) != magic {
		return false
	}
	return binary.LittleEndian.Uint64(image[headBytes+40:])&flagUnlinked != 0
}

// Pack makes a fat binary of PTX text for an architecture such as 70. An unlinked text
// names what other texts of the program define.
func Pack(ptx []byte, arch uint32, unlinked bool) []byte {
	payload := append(bytes.Clone(ptx), 0)
	for len(payload)%8 != 0 {
		payload = append(payload, 0)
	}
	var e [entryBytes]byte
	le := binary.LittleEndian
	le.PutUint16(e[0:], kindPTX)
	le.PutUint16(e[2:], 0x101)
	le.PutUint32(e[4:], entryBytes)
	le.PutUint64(e[8:], uint64(len(payload)))
	le.PutUint32(e[28:], arch)
	flags := uint64(flag64Bit)
	if unlinked {
		flags |= flagUnlinked
	}
	le.PutUint64(e[40:], flags)
	var head [headBytes]byte
	le.PutUint32(head[0:], magic)
	le.PutUint16(head[4:], 1)
	le.PutUint16(head[6:], headBytes)
	le.PutUint64(head[8:], uint64(len(e)+len(payload)))
	return append(append(head[:], e[:]...), payload...)
}
