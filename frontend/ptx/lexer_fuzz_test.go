// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"strings"
	"testing"
)

// FuzzLexer: tokens come in order, cover the text but for space and comments,
// have the place that counting lines gives, and end.
func FuzzLexer(f *testing.F) {
	for _, text := range []string{
		"ld.param.u64 %rd1, [k_param_0+8]; // end", "/* a\n b */ .reg .b32 %r<4>;\n\"a string\"", "0x1F 0b101 077 1.5e-3 0f3F800000 0d3FF0000000000000 12U",
		"\"open\nx", "/* open", "@!%p bra $L_1;", "\x00\xff\r\n\t.", "1.2.3..4 .5 a.b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := newLexer(text)
		end := 0
		for range len(text) + 1 {
			token := l.next()
			if token.kind == tokenEOF {
				return
			}
			if token.offset < end || token.end() > len(text) || token.kind != tokenBad && token.end() <= token.offset {
				t.Fatalf("token %+v after offset %d", token, end)
			}
			before := text[:token.offset]
			if line := 1 + strings.Count(before, "\n"); token.line != line || token.column != token.offset-strings.LastIndexByte(before, '\n') {
				t.Fatalf("token %+v is in line %d", token, line)
			}
			if token.kind != tokenBad && !strings.Contains(text[token.offset:token.end()], token.text) {
				t.Fatalf("token %+v is not in the text", token)
			}
			end = max(token.end(), token.offset)
		}
		t.Fatal("more tokens than bytes")
	})
}
