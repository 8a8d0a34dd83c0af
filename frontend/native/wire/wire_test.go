// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// Whatever comes, a message is read and decoded, or refused as malformed; it never
// takes more memory than it has bytes, and a step.
func FuzzMessages(f *testing.F) {
	launch := AppendNumbers(nil, 1, 0, 4, 1, 1, 32, 1, 1, 2, 1, 1, 0, 0)
	launch = AppendBytes(launch, "arguments")
	f.Add(AppendReply(nil, uint32(KindLaunch), launch))
	f.Add(AppendReply(nil, uint32(KindHello), AppendBytes(AppendNumbers(nil, Version), "program")))
	f.Add(AppendReply(nil, uint32(KindModule), AppendNumbers(nil, 1, 1<<63)))
	f.Add(AppendReply(nil, uint32(KindTensorMap), AppendNumbers(nil, 7, 0, 0, 0, 1<<20, 1, 64, 0, 1, 32, 1, 1, 0, 0)))
	f.Add(AppendReply(nil, uint32(KindTensorMap), AppendNumbers(nil, 7, 0, 0, 0, 1<<20, 1<<61)))
	f.Add([]byte{7, 0, 0, 0, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			m, err := ReadMessage(iotest.OneByteReader(r))
			if err == io.EOF {
				return
			}
			if err == nil {
				_, err = Decode(m)
			}
			if err != nil {
				if !errors.Is(err, ErrMalformed) {
					t.Fatalf("%v is not said to be malformed", err)
				}
				return
			}
		}
	})
}

func TestMessagesOfTheWrongLengthAreRefused(t *testing.T) {
	whole := AppendNumbers(nil, 0xC0000000, 7, 1, 16, 1, 16, 0)
	if _, err := Decode(Message{KindFill, whole}); err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{whole[:len(whole)-1], append(whole, 0), nil, whole[:8]} {
		if _, err := Decode(Message{KindFill, body}); !errors.Is(err, ErrMalformed) {
			t.Errorf("%d bytes: %v", len(body), err)
		}
	}
}

func TestAHugeLengthTakesNoMemory(t *testing.T) {
	head := AppendReply(nil, uint32(KindModule), nil)
	head[4], head[5], head[6], head[7] = 0, 0, 0, 0x0f // 240 MiB that never come
	grown := testing.AllocsPerRun(1, func() {
		if _, err := ReadMessage(bytes.NewReader(head)); !errors.Is(err, ErrMalformed) {
			t.Fatal(err)
		}
	})
	if grown > 20 {
		t.Errorf("%v allocations", grown)
	}
}
