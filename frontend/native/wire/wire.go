// SPDX-License-Identifier: Apache-2.0

// Package wire has the messages that the runtime library of a program in CUDA or OpenCL
// sends to the recorder, and the replies.
//
// A message is its kind and the length of what follows, both 32 bits, and then its
// fields: numbers of 64 bits, and bytes behind their number. Everything is
// little-endian. A reply has a status in the place of the kind: an error of the CUDA
// runtime, with bit 31 when it lasts, or StatusOutput before what kernels printed. The
// runtime library (folder runtime) has the other side.
//
// The recorder trusts nothing that it reads. A message that is too long, cut off, or
// not of its kind's form is an error, and costs no more memory than it has bytes.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Version is that of the messages; the first one states it.
const Version = 5

// Kind says what a message asks for.
type Kind uint32

// The kinds, in step with the runtime library.
const (
	KindHello Kind = iota + 1
	KindModule
	KindFunction
	KindSymbol
	KindAllocate
	KindFree
	KindLaunch
	KindCopied
	KindMove
	KindFill
	KindWrite
	KindRead
	KindWait
	KindStream
	KindRecord
	KindStreamWait
	KindElapsed
	KindTexture
	KindBind
	KindGoodbye
	KindMemory
	KindCompile
	KindBinary
	KindRange
	KindJoin
	KindProfile
	KindLoad
	KindUnload
	KindTensorMap
	kindEnd
)

// StatusOutput and StatusSticky are the parts of a status that are no errors.
const (
	StatusOutput = 0xffffffff
	StatusSticky = 1 << 31
)

// MaxMessageBytes bounds a message: modules are the largest.
const MaxMessageBytes = 256 << 20

const headBytes = 8

// ErrMalformed is behind every complaint about a message's form.
var ErrMalformed = errors.New("malformed message")

// ErrCutOff is behind the complaint about a message whose end lacks: its sender has gone.
var ErrCutOff = fmt.Errorf("%w: cut off", ErrMalformed)

// Message is a kind with the bytes of its fields.
type Message struct {
	Kind Kind
	Body []byte
}

// step is how much room ReadMessage makes before bytes have come.
const step = 1 << 20

// ReadMessage reads one message. It gives io.EOF at the end between messages.
func ReadMessage(r io.Reader) (Message, error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w in its head", ErrCutOff)
		}
		return Message{}, err
	}
	m := Message{Kind: Kind(binary.LittleEndian.Uint32(head[:]))}
	n := binary.LittleEndian.Uint32(head[4:])
	if m.Kind == 0 || m.Kind >= kindEnd {
		return Message{}, fmt.Errorf("%w: kind %d", ErrMalformed, m.Kind)
	}
	if n > MaxMessageBytes {
		return Message{}, fmt.Errorf("%w: %d bytes, at most %d are taken", ErrMalformed, n, MaxMessageBytes)
	}
	for left := int(n); left > 0; {
		at, more := len(m.Body), min(left, step)
		m.Body = append(m.Body, make([]byte, more)...)
		if _, err := io.ReadFull(r, m.Body[at:]); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = fmt.Errorf("%w after %d of %d bytes", ErrCutOff, at, n)
			}
			return Message{}, err
		}
		left -= more
	}
	return m, nil
}

// AppendReply appends a reply to dst.
func AppendReply(dst []byte, status uint32, body []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, status)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(body)))
	return append(dst, body...)
}

// AppendBytes appends bytes as a field.
func AppendBytes[T []byte | string](dst []byte, data T) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(len(data))), data...)
}

// AppendNumbers appends numbers, each as a field.
func AppendNumbers(dst []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		dst = binary.LittleEndian.AppendUint64(dst, n)
	}
	return dst
}

// fields reads the fields of a message; err is the first complaint.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) number() uint64 {
	if f.err != nil || len(f.rest) < 8 {
		f.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(f.rest)
	f.rest = f.rest[8:]
	return n
}

// bytes shares the message's memory.
func (f *fields) bytes() []byte {
	n := f.number()
	if f.err != nil || n > uint64(len(f.rest)) {
		f.fail()
		return nil
	}
	b := f.rest[:n:n]
	f.rest = f.rest[n:]
	return b
}

// small is a number of 32 bits at most.
func (f *fields) small() uint32 {
	n := f.number()
	if n > 1<<32-1 {
		f.fail()
	}
	return uint32(n)
}

func (f *fields) flag() bool { return f.number() != 0 }

func (f *fields) fail() {
	if f.err == nil {
		f.err = fmt.Errorf("%w: its fields do not fit its length", ErrMalformed)
	}
}
