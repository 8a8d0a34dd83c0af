// SPDX-License-Identifier: Apache-2.0

package image

import (
	"strconv"
	"strings"

	"github.com/warptape/warptape/frontend/tesla/language"
)

// maxWords bounds the words of an image, which are far fewer in any that fits a machine.
const maxWords = 1 << 20

// Read reads the text of an image; file names it in messages. Behind // a line has a
// comment.
func Read(file, text string) ([]Word, *language.Kernel, error) {
	r := &reader{kernel: &language.Kernel{File: file}, at: language.Place{File: file}}
	for line := range strings.SplitSeq(text, "\n") {
		r.at.Line++
		line, _, _ = strings.Cut(line, "//")
		for field := range strings.FieldsSeq(line) {
			if err := r.take(field); err != nil {
				return nil, nil, err
			}
		}
	}
	if err := r.complete(); err != nil {
		return nil, nil, err
	}
	return r.words, r.kernel, nil
}

// reader is the state of Read.
type reader struct {
	kernel  *language.Kernel
	words   []Word
	at      language.Place
	seen    [16]bool
	started bool
}

// take reads one word.
func (r *reader) take(field string) error {
	n, err := strconv.ParseUint(field, 16, 64)
	if err != nil || len(field) != wordHex {
		return language.Errorf(r.at, "%.40q is no word of an image, which has %d hexadecimal digits", field, wordHex)
	}
	if r.started {
		return language.Errorf(r.at, "word %s stands behind START, which the machine never reads", field)
	}
	if len(r.words) == maxWords {
		return language.Errorf(r.at, "more than %d words", maxWords)
	}
	r.words = append(r.words, Word(n))
	kind, data := n>>dataBits, uint32(n)
	if r.seen[kind] && once(kind) {
		return language.Errorf(r.at, "the image has %s twice", kindNames[kind])
	}
	r.seen[kind] = true
	return r.word(kind, data)
}

// once reports whether an image has one word of a kind.
func once(kind uint64) bool {
	return kind == kindGrid || kind == kindBlock || kind == kindWarp || kind == kindReg
}

func (r *reader) word(kind uint64, data uint32) error {
	k := r.kernel
	switch kind {
	case kindGrid, kindBlock:
		if data>>(3*dimension) != 0 {
			return language.Errorf(r.at, "%s %08x: the sizes are ten bits each, and the upper two bits zero", kindNames[kind], data)
		}
		if kind == kindGrid {
			k.Grid = unpacked(data)
		} else {
			k.Block = unpacked(data)
		}
	case kindParam:
		k.Parameters = append(k.Parameters, data)
	case kindInstr:
		in, err := language.Decode(data)
		if err != nil {
			return language.Errorf(r.at, "%v", err)
		}
		k.Instructions = append(k.Instructions, in)
		k.Lines = append(k.Lines, r.at.Line)
	case kindConst:
		k.Constants = append(k.Constants, data)
	case kindData:
		k.Data = append(k.Data, data)
	case kindWarp:
		return r.small(kind, data, &k.WarpsPerBlock, 15)
	case kindReg:
		return r.small(kind, data, &k.RegistersPerThread, 32)
	case kindStart:
		r.started = true
	default:
		return language.Errorf(r.at, "no word has the operation %d (known: 0 to 7 and 15)", kind)
	}
	return nil
}

// small takes a number that few bits hold.
func (r *reader) small(kind uint64, data uint32, to *int, most uint32) error {
	if data < 1 || data > most {
		return language.Errorf(r.at, "%s is %d; it is 1 to %d", kindNames[kind], data, most)
	}
	*to = int(data)
	return nil
}

// complete finds what is missing.
func (r *reader) complete() error {
	if !r.started {
		return language.Errorf(r.at, "the image ends without START: it is cut")
	}
	for _, kind := range []uint64{kindGrid, kindBlock, kindInstr, kindWarp, kindReg} {
		if !r.seen[kind] {
			return language.Errorf(r.at, "the image has no %s before START", kindNames[kind])
		}
	}
	return nil
}
