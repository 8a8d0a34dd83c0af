// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields are a tag and a value (protobuf encoding, "Message Structure"): a varint, or bytes behind their length. What is
// zero or empty is left out.
func TestFieldsAreTagsAndValues(t *testing.T) {
	m := AppendNumber(nil, 1, 150)
	m = AppendNumber(m, 2, 0)
	m = AppendColumn(m, 3, nil)
	m = AppendColumn(m, 2, []byte("testing"))
	m = AppendNumber(m, 16, 1)
	if want := append([]byte{0x08, 0x96, 0x01, 0x12, 7}, "testing\x80\x01\x01"...); !slices.Equal(m, want) {
		t.Fatalf("% x, want % x", m, want)
	}
	m = append(m, 0x1d, 1, 2, 3, 4) // a field of four bytes, which this format has not
	var got []string
	visit := func(field protowire.Number, number uint64, data []byte) error {
		got = append(got, fmt.Sprintf("%d:%d:%s", field, number, data))
		return nil
	}
	if err := EachField(m, visit); err != nil || !slices.Equal(got, []string{"1:150:", "2:0:testing", "16:1:", "3:0:"}) {
		t.Errorf("fields %q, %v", got, err)
	}
	for n := range m { // where a field ends the message is whole
		whole := n == 0 || n == 3 || n == 12 || n == 15
		if err := EachField(m[:n], visit); (err == nil) != whole {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
}

// The first error of a visit ends it.
func TestAnErrorEndsTheVisit(t *testing.T) {
	full, seen := errors.New("full"), 0
	err := EachField([]byte{8, 1, 8, 2, 8, 3}, func(_ protowire.Number, number uint64, _ []byte) error {
		if seen++; number == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || seen != 2 {
		t.Errorf("%d fields, %v", seen, err)
	}
}
