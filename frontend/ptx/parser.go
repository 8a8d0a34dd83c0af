// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"bytes"
	"fmt"
	"sort"
)

// MaxTextBytes is the largest PTX text that Parse reads.
const MaxTextBytes = 64 << 20

// maxErrors is how many complaints one Parse lists.
const maxErrors = 100

// parser reads one module. A syntax error is noted with errorf, the method
// that met it returns false, and reading goes on at the next statement.
type parser struct {
	lexer
	tok    token // the current token, not yet consumed
	file   string
	errors ErrorList
	module *Module
	// addressSizeKnown is set by .address_size, or by the first 64-bit address
	// in text older than that directive.
	addressSizeKnown bool
	// demoted is set by map_f64_to_f32, flushes by a target of sm_1x.
	demoted, flushes bool
	symbols          map[string]symbol // module scope
	location         location          // from the last .loc
	initialBytes     uint64            // of all variables so far
	externUses       []externUse
	warnings         map[warningKind]*Warning
	target           architecture  // of the module
	registers        *kernelParser // declares those outside of kernels; nil without them
}

// location is what .loc says about the instructions that follow it (11.5.4).
type location struct{ file, line int }

// Parse reads and checks PTX text; file is its name in positions. The error is
// an ErrorList: all complaints that could be told from each other, sorted.
func Parse(file string, text []byte) (*Module, error) {
	p := &parser{file: file, symbols: make(map[string]symbol), warnings: make(map[warningKind]*Warning)}
	p.module = &Module{File: file, Text: text, AddressSize: 32, SourceFiles: make(map[int]string)}
	if len(text) > MaxTextBytes {
		p.errorAt(Position{file, 1, 1}, "the text has %d bytes; at most %d are read", len(text), MaxTextBytes)
		return nil, p.errors
	}
	if nul := bytes.IndexByte(text, 0); nul >= 0 {
		// A compiled or compressed file would draw a complaint a byte.
		p.errorAt(Position{file, 1, 1}, "this is no PTX text: byte %d is zero; give the .ptx file that the compiler wrote, not a cubin, fat binary or archive", nul)
		return nil, p.errors
	}
	p.lexer = newLexer(string(text))
	p.advance()
	p.parseModule()
	p.checkExterns()
	if len(p.errors) > 0 {
		p.errors.Sort()
		return nil, p.errors
	}
	p.noteEntries()
	p.module.Warnings = p.sortedWarnings()
	return p.module, nil
}

// advance moves to the next token. A character that PTX does not have is
// reported and skipped.
func (p *parser) advance() {
	for {
		p.tok = p.lexer.next()
		if p.tok.kind != tokenBad {
			return
		}
		switch {
		case p.tok.text == `"`:
			p.errorf("unclosed string")
		case p.tok.text == "/*":
			p.errorf("unclosed comment")
		default:
			p.errorf("illegal character %q", p.tok.text)
		}
	}
}

// stop makes the rest of the text invisible.
func (p *parser) stop() { p.lexer.offset = len(p.lexer.text) }

func (p *parser) position(t *token) Position { return Position{p.file, t.line, t.column} }

// errorf notes a complaint about the current token.
func (p *parser) errorf(format string, args ...any) {
	p.errorAt(p.position(&p.tok), format, args...)
}

func (p *parser) errorAt(at Position, format string, args ...any) {
	if len(p.errors) >= maxErrors {
		return
	}
	p.errors = append(p.errors, &Error{at, fmt.Sprintf(format, args...)})
	if len(p.errors) == maxErrors {
		p.errors = append(p.errors, &Error{at, "too many errors; the rest is not listed"})
		p.stop()
	}
}

// take consumes the punctuation c and reports whether it stood there.
func (p *parser) take(c byte) bool {
	if !p.tok.is(c) {
		return false
	}
	p.advance()
	return true
}

// expect consumes the punctuation c or complains.
func (p *parser) expect(c byte, where string) bool {
	if p.take(c) {
		return true
	}
	p.errorf("%q expected %s, found %s", string(c), where, p.tok.describe())
	return false
}

// identifier consumes a name or complains.
func (p *parser) identifier(what string) (token, bool) {
	t := p.tok
	if t.kind != tokenIdent {
		p.errorf("%s expected, found %s", what, t.describe())
		return t, false
	}
	p.advance()
	return t, true
}

// takeDotted consumes the dotted word if it is the current token.
func (p *parser) takeDotted(word string) bool {
	if p.tok.kind != tokenDotted || p.tok.text != word {
		return false
	}
	p.advance()
	return true
}

// literal consumes a number with its sign.
func (p *parser) literal() (literal, bool) {
	neg := false
	for p.tok.is('-') || p.tok.is('+') {
		neg = neg != p.tok.is('-')
		p.advance()
	}
	if isWarpSize(&p.tok) {
		p.advance()
		return literal{bits: 32, neg: neg}, true
	}
	if p.tok.kind != tokenNumber {
		p.errorf("a number expected, found %s", p.tok.describe())
		return literal{}, false
	}
	l, err := parseLiteral(p.tok.text)
	if err != nil {
		p.errorf("%v", err)
		p.advance()
		return literal{}, false
	}
	p.advance()
	if neg {
		l = l.negate()
	}
	return l, true
}

// unsigned consumes an integer from 0 to most; the number stands alone.
func (p *parser) unsigned(what string, most uint64) (uint64, bool) {
	at := p.position(&p.tok)
	l, ok := p.literal()
	return p.within(at, what, most, l, ok)
}

// unsignedConstant consumes a constant expression from 0 to most.
func (p *parser) unsignedConstant(what string, most uint64) (uint64, bool) {
	at := p.position(&p.tok)
	l, ok := p.constant()
	return p.within(at, what, most, l, ok)
}

func (p *parser) within(at Position, what string, most uint64, l literal, ok bool) (uint64, bool) {
	if !ok {
		return 0, false
	}
	if l.kind != literalInteger || l.neg && l.bits != 0 || l.bits > most {
		p.errorAt(at, "%s must be an integer from 0 to %d", what, most)
		return 0, false
	}
	return l.bits, true
}

// skipStatement moves behind the next ";", or to the brace that opens or closes
// a scope. The braces of a vector operand do not count.
func (p *parser) skipStatement() {
	operand := false // the token before could stand before an operand
	for p.tok.kind != tokenEOF {
		switch {
		case p.take(';'):
			return
		case p.tok.is('{') && !operand, p.tok.is('}') && !p.closesVector():
			return
		}
		operand = p.tok.kind == tokenDotted || p.tok.is(',') || p.tok.is('[')
		p.advance()
	}
}

// closesVector reports whether the current "}" ends a vector operand: an
// operand list goes on or ends behind it.
func (p *parser) closesVector() bool {
	ahead := p.lexer
	t := ahead.next()
	return t.is(',') || t.is(';') || t.is(']')
}

// skipBraces moves behind the "}" that matches the current "{".
func (p *parser) skipBraces() {
	open := p.position(&p.tok)
	depth := 0
	for p.tok.kind != tokenEOF {
		switch {
		case p.tok.is('{'):
			depth++
		case p.tok.is('}'):
			depth--
		}
		p.advance()
		if depth == 0 {
			return
		}
	}
	p.errorAt(open, `the "{" is never closed`)
}

// sortRegisters puts a kernel's registers into the order of their declarations.
func sortRegisters(list []declaredRegister) []*Register {
	sort.Slice(list, func(i, j int) bool {
		if list[i].declaration != list[j].declaration {
			return list[i].declaration < list[j].declaration
		}
		return list[i].number < list[j].number
	})
	registers := make([]*Register, len(list))
	for i := range list {
		list[i].register.Index = i
		registers[i] = list[i].register
	}
	return registers
}
