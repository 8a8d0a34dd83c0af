// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"os"
	"testing"
)

// BenchmarkParse isolates text to checked module: lexing, matching against the
// instruction table and checking of operands, on compiler output with long bodies.
func BenchmarkParse(b *testing.B) {
	text, err := os.ReadFile("testdata/clang/dense.ptx")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("dense.ptx", text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLex isolates the cutting into tokens.
func BenchmarkLex(b *testing.B) {
	data, err := os.ReadFile("testdata/clang/dense.ptx")
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		l := newLexer(text)
		for l.next().kind != tokenEOF {
		}
	}
}
