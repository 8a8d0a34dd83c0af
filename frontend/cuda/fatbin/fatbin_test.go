// SPDX-License-Identifier: Apache-2.0

package fatbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const module = ".version 7.0\n.target sm_70\n.address_size 64\n"

func TestPackedTextComesBack(t *testing.T) {
	for _, in := range []string{module, strings.Repeat(module, 100), ""} {
		got, err := PTX(Pack([]byte(in), 70, false))
		if err != nil || string(got) != in {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// Of several texts the newest is taken, wherever it stands among machine code and older ones.
func TestTheNewestTextIsTaken(t *testing.T) {
	entries := map[string][]byte{}
	for name, arch := range map[string]uint32{"old": 52, "middle": 70, "new": 90, "code": 100} {
		b := Pack([]byte(name), arch, false)[headBytes:]
		if name == "code" {
			binary.LittleEndian.PutUint16(b, kindSASS)
		}
		entries[name] = b
	}
	for _, order := range [][]string{{"old", "middle", "new"}, {"new", "old", "middle"}, {"middle", "old", "new", "code"}, {"code", "old", "new"}, {"old", "new", "code", "middle"}} {
		image := bytes.Clone(Pack(nil, 52, false)[:headBytes])
		for _, name := range order {
			image = append(image, entries[name]...)
		}
		binary.LittleEndian.PutUint64(image[8:], uint64(len(image)-headBytes))
		if got, err := PTX(image); err != nil || string(got) != "new" {
			t.Errorf("of %v is taken %q, %v", order, got, err)
		}
	}
}

// compressed makes a fat binary whose payload is compressed already.
func compressed(payload []byte, length int, flag uint64) []byte {
	b := Pack(payload, 70, false)
	e := b[headBytes:]
	binary.LittleEndian.PutUint32(e[16:], uint32(len(payload)))
	binary.LittleEndian.PutUint64(e[40:], 1|flag)
	binary.LittleEndian.PutUint64(e[56:], uint64(length))
	return b
}

// stored writes text as LZ4 literals and one overlapping copy of its first byte, by the
// format's description.
func stored(s string, repeat int) (block []byte, whole string) {
	put := func(n int) {
		for n -= 15; ; n -= 255 {
			if n < 255 {
				block = append(block, byte(n))
				return
			}
			block = append(block, 255)
		}
	}
	block = append(block, 0xff)
	put(len(s))
	block = append(append(block, s...), 1, 0)
	put(repeat - 4)
	last := s[len(s)-1:]
	block = append(append(block, 0x10), 'x')
	return block, s + strings.Repeat(last, repeat) + "x"
}

func TestCompressedTextIsExpanded(t *testing.T) {
	block, whole := stored(strings.Repeat(module, 9), 700)
	if got, err := PTX(compressed(block, len(whole), flagLZ4)); err != nil || string(got) != whole {
		t.Errorf("LZ4: %d bytes, %v", len(got), err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := PTX(compressed(w.EncodeAll([]byte(whole), nil), len(whole), flagZstd)); err != nil || string(got) != whole {
		t.Errorf("zstd: %d bytes, %v", len(got), err)
	}
}

func TestMachineCodeAloneIsRefused(t *testing.T) {
	b := Pack([]byte(module), 70, false)
	binary.LittleEndian.PutUint16(b[headBytes:], kindSASS)
	if _, err := PTX(b); !errors.Is(err, ErrNoPTX) {
		t.Error(err)
	}
}

// Any bytes give text or an error, and no more memory than the text's bound.
func FuzzPTX(f *testing.F) {
	block, whole := stored(module, 30)
	f.Add(Pack([]byte(module), 70, false))
	f.Add(compressed(block, len(whole), flagLZ4))
	f.Add(compressed([]byte{0xf0, 255, 255}, 1<<40, flagLZ4))
	f.Add([]byte(module))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := PTX(data)
		if err == nil && bytes.IndexByte(got, 0) >= 0 {
			t.Error("a text with a zero byte")
		}
	})
}
