// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"math"
	"testing"
)

func TestLiteralsHaveTheirValue(t *testing.T) {
	cases := []struct {
		text string
		typ  Type
		want uint64
	}{
		{"0", U32, 0}, {"42", U32, 42}, {"0x1F", B64, 31}, {"0X1fU", U32, 31}, {"0b101", U32, 5}, {"017", U32, 15}, {"4294967295U", U32, math.MaxUint32},
		{"0xFFFFFFFF", S32, math.MaxUint64}, {"0xffffffffffffffff", S64, math.MaxUint64}, {"255", S8, math.MaxUint64}, {"0xffffffffffffffffU", U32, math.MaxUint32}, {"0xFFFFFFFFFFFF8000", S16, math.MaxUint64 - 0x7FFF}, {"65535", B16, 65535},
		{"0f3F800000", F32, 0x3F800000}, {"0F3f800000", B32, 0x3F800000}, {"0f3F800000", F64, 0x3FF0000000000000},
		{"0d3FF0000000000000", F64, 0x3FF0000000000000}, {"0D3FF0000000000000", F32, 0x3F800000}, {"0d3FF0000000000000", B64, 0x3FF0000000000000},
		{"1.5", F32, uint64(math.Float32bits(1.5))}, {"1.", F64, math.Float64bits(1)}, {"25e-2", F64, math.Float64bits(0.25)}, {"1.0e+3", F32, uint64(math.Float32bits(1000))},
		{"0f7FA00001", F32, 0x7FA00001}, {"0", Pred, 0}, {"1", Pred, 1}, {"0e5", F64, 0},
	}
	for _, c := range cases {
		l, err := parseLiteral(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, err := l.as(c.typ); err != nil || got != c.want {
			t.Errorf("%s as .%s = %#x (%v), want %#x", c.text, c.typ, got, err, c.want)
		}
	}
}

func TestNegativeLiteralsAreTwosComplement(t *testing.T) {
	cases := []struct {
		text string
		typ  Type
		want uint64
	}{
		{"1", S32, math.MaxUint64}, {"1", B32, math.MaxUint32}, {"32768", B16, 0x8000}, {"128", S8, math.MaxUint64 - 127},
		{"9223372036854775808", B64, 1 << 63}, {"1.0", F32, 0xBF800000}, {"0f3F800000", F32, 0xBF800000}, {"1", Pred, 1},
	}
	for _, c := range cases {
		l, err := parseLiteral(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.negate().as(c.typ); err != nil || got != c.want {
			t.Errorf("-%s as .%s = %#x (%v), want %#x", c.text, c.typ, got, err, c.want)
		}
	}
}

func TestMalformedLiteralsAreRefused(t *testing.T) {
	for _, text := range []string{"0x", "09", "12ab", "0f123", "0f123456789", "0dFF", "1.2.3", "1e", "18446744073709551616", "0b2", "0fGGGGGGGG", "1_0", "1.0p3"} {
		if l, err := parseLiteral(text); err == nil {
			t.Errorf("%s was read as %+v", text, l)
		}
	}
}
