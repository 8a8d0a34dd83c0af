// SPDX-License-Identifier: Apache-2.0

package ptx

import "strings"

// lexer cuts PTX text into tokens (4.1 to 4.5). It is a small value: a copy is
// a bookmark to return to.
type lexer struct {
	text      string
	offset    int
	line      int
	lineStart int
}

func newLexer(text string) lexer { return lexer{text: text, line: 1} }

// byteClass bits of identCharacter tell which characters may stand in a name.
const (
	startsName = 1 << iota
	insideName
	digit
)

var characterClass = func() (class [256]uint8) {
	for c := byte('a'); c <= 'z'; c++ {
		class[c] = startsName | insideName
		class[c-'a'+'A'] = startsName | insideName
	}
	for c := byte('0'); c <= '9'; c++ {
		class[c] = insideName | digit
	}
	for _, c := range "_$" {
		class[c] = startsName | insideName
	}
	class['%'] = startsName
	return class
}()

// next returns the next token and moves behind it.
func (l *lexer) next() token {
	if bad := l.skipSpace(); bad != nil {
		return *bad
	}
	t := token{offset: l.offset, line: l.line, column: l.offset - l.lineStart + 1}
	if l.offset >= len(l.text) {
		return t
	}
	c := l.text[l.offset]
	switch {
	case characterClass[c]&startsName != 0:
		t.kind = tokenIdent
		t.text = l.take(l.nameEnd(l.offset + 1))
	case characterClass[c]&digit != 0:
		t.kind = tokenNumber
		t.text = l.take(l.numberEnd(l.offset))
	case c == '.' && l.offset+1 < len(l.text) && characterClass[l.text[l.offset+1]]&insideName != 0:
		t.kind = tokenDotted
		t.text = l.take(l.dottedEnd(l.offset + 1))[1:]
	case c == '"':
		l.lexString(&t)
	case strings.IndexByte("()[]{}<>,;:@!|+-=~.*/^&?", c) >= 0:
		t.kind = tokenPunct
		t.text = l.take(l.offset + 1)
	default:
		t.kind = tokenBad
		t.text = l.take(l.offset + 1)
	}
	return t
}

// take returns the text up to end and moves there.
func (l *lexer) take(end int) string {
	s := l.text[l.offset:end]
	l.offset = end
	return s
}

func (l *lexer) nameEnd(i int) int {
	for i < len(l.text) && characterClass[l.text[i]]&insideName != 0 {
		i++
	}
	return i
}

// dottedEnd is nameEnd for suffixes such as "L1::evict_last".
func (l *lexer) dottedEnd(i int) int {
	i = l.nameEnd(i)
	for strings.HasPrefix(l.text[i:], "::") {
		end := l.nameEnd(i + 2)
		if end == i+2 {
			break
		}
		i = end
	}
	return i
}

// numberEnd finds the end of a number: 12, 0x1F, 0b10, 017, 12U, 0f3F800000,
// 1.5, 1.5e-3. Malformed ones are told when the value is taken.
func (l *lexer) numberEnd(i int) int {
	hex := strings.HasPrefix(l.text[i:], "0x") || strings.HasPrefix(l.text[i:], "0X")
	i = l.nameEnd(i)
	if i < len(l.text) && l.text[i] == '.' {
		i = l.nameEnd(i + 1)
	}
	last := l.text[i-1]
	if !hex && (last == 'e' || last == 'E') && i < len(l.text) && (l.text[i] == '+' || l.text[i] == '-') && !isHexFloat(l.text[l.offset:i]) {
		i = l.nameEnd(i + 1)
	}
	return i
}

func (l *lexer) lexString(t *token) {
	rest := l.text[l.offset+1:]
	end := strings.IndexAny(rest, "\"\n")
	if end < 0 || rest[end] == '\n' {
		t.kind = tokenBad
		t.text = l.take(l.offset + 1)
		return
	}
	t.kind = tokenString
	t.text = rest[:end]
	l.offset += end + 2
}

// skipSpace moves over white space and comments. It returns a bad token for a
// comment that is never closed.
func (l *lexer) skipSpace() *token {
	for l.offset < len(l.text) {
		switch c := l.text[l.offset]; {
		case c == '\n':
			l.offset++
			l.line++
			l.lineStart = l.offset
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			l.offset++
		case strings.HasPrefix(l.text[l.offset:], "//"):
			l.skipLine()
		case strings.HasPrefix(l.text[l.offset:], "/*"):
			if bad := l.skipBlockComment(); bad != nil {
				return bad
			}
		default:
			return nil
		}
	}
	return nil
}

// skipLine moves to the end of the line.
func (l *lexer) skipLine() {
	end := strings.IndexByte(l.text[l.offset:], '\n')
	if end < 0 {
		l.offset = len(l.text)
		return
	}
	l.offset += end
}

func (l *lexer) skipBlockComment() *token {
	start := token{kind: tokenBad, text: "/*", offset: l.offset, line: l.line, column: l.offset - l.lineStart + 1}
	length := strings.Index(l.text[l.offset+2:], "*/")
	if length < 0 {
		l.offset = len(l.text)
		return &start
	}
	comment := l.text[l.offset : l.offset+2+length]
	if last := strings.LastIndexByte(comment, '\n'); last >= 0 {
		l.line += strings.Count(comment, "\n")
		l.lineStart = l.offset + last + 1
	}
	l.offset += length + 4
	return nil
}
