// SPDX-License-Identifier: Apache-2.0

package ptx

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokenEOF    tokenKind = iota
	tokenIdent            // name, %register, $label
	tokenDotted           // .suffix or .directive; text without the dot
	tokenNumber           // integer or float literal, unparsed
	tokenString           // text without the quotes
	tokenPunct            // one character
	tokenBad              // a character that PTX does not have, or an unclosed string or comment
)

// token is one lexical element; its text is a part of the module's text.
type token struct {
	kind         tokenKind
	text         string
	offset       int // of the first byte, the dot or quote included
	line, column int
}

// is reports whether t is the punctuation character c.
func (t *token) is(c byte) bool { return t.kind == tokenPunct && t.text[0] == c }

// end is the offset behind the token.
func (t *token) end() int {
	switch t.kind {
	case tokenDotted:
		return t.offset + 1 + len(t.text)
	case tokenString:
		return t.offset + 2 + len(t.text)
	}
	return t.offset + len(t.text)
}

// describe names the token in a message.
func (t *token) describe() string {
	switch t.kind {
	case tokenEOF:
		return "the end of the file"
	case tokenDotted:
		return "." + abbreviate(t.text)
	case tokenString:
		return "a string"
	}
	return `"` + abbreviate(t.text) + `"`
}

// abbreviate bounds how much of the input a message repeats.
func abbreviate(s string) string {
	const most = 160
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
