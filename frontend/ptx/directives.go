// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"math"
	"strconv"
	"strings"
)

// parseModule reads the whole text.
func (p *parser) parseModule() {
	p.parseVersion()
	for p.tok.kind != tokenEOF {
		if !p.parseTopLevel() {
			p.skipDeclaration()
		}
	}
}

// parseVersion reads .version, with which every module begins (11.1.1).
func (p *parser) parseVersion() {
	if !p.takeDotted("version") {
		p.errorf("PTX begins with .version, found %s", p.tok.describe())
		return
	}
	major, minor, ok := strings.Cut(p.tok.text, ".")
	a, errMajor := strconv.Atoi(major)
	b, errMinor := strconv.Atoi(minor)
	if p.tok.kind != tokenNumber || !ok || errMajor != nil || errMinor != nil {
		p.errorf(".version takes a number such as 6.3, found %s", p.tok.describe())
		return
	}
	p.module.VersionMajor, p.module.VersionMinor = a, b
	p.target.version = Version{a, b}
	p.advance()
}

// parseTopLevel reads one directive at module scope.
func (p *parser) parseTopLevel() bool {
	switch {
	case p.tok.is('@'):
		return p.parseDwarfLine()
	case p.tok.is(';'):
		p.advance()
		return true
	case p.tok.kind != tokenDotted:
		p.errorf("a directive expected, found %s", p.tok.describe())
		return false
	}
	switch p.tok.text {
	case "target":
		return p.parseTarget()
	case "address_size":
		return p.parseAddressSize()
	case "file":
		return p.parseFile()
	case "loc":
		return p.parseLoc()
	case "section":
		return p.parseSection()
	case "pragma":
		return p.parsePragma()
	case "alias":
		return p.parseAlias()
	case "reg":
		return p.parseModuleRegisters()
	}
	link := p.parseLinkage()
	switch {
	case p.takeDotted("entry"):
		return p.parseEntry()
	case p.tok.kind == tokenDotted && p.tok.text == "func":
		return p.parseFunc()
	}
	return p.parseVariables(nil, link)
}

// linkage holds the linking directives before a declaration (11.6).
type linkage struct{ extern bool }

func (p *parser) parseLinkage() linkage {
	var l linkage
	for {
		switch {
		case p.takeDotted("extern"):
			l.extern = true
		case p.takeDotted("visible"), p.takeDotted("weak"), p.takeDotted("common"):
		default:
			return l
		}
	}
}

func (p *parser) parseTarget() bool {
	p.advance()
	for {
		t, ok := p.identifier("a target such as sm_70")
		if !ok {
			return false
		}
		p.module.Targets = append(p.module.Targets, t.text)
		p.target = p.module.architecture()
		p.compareTarget(t.text, p.position(&t))
		p.noteTarget(t.text)
		if !p.take(',') {
			return true
		}
	}
}

func (p *parser) parseAddressSize() bool {
	p.advance()
	at := p.position(&p.tok)
	n, ok := p.unsigned(".address_size", 64)
	switch {
	case !ok:
		return false
	case n != 32 && n != 64:
		p.errorAt(at, ".address_size is 32 or 64, not %d", n)
	default:
		p.module.AddressSize = int(n)
	}
	p.addressSizeKnown = true
	return true
}

// parseFile reads .file index {"directory"} "name" {, time, size} (11.5.2); with
// the directory since DWARF 5.
func (p *parser) parseFile() bool {
	p.advance()
	n, ok := p.unsigned("a file index", math.MaxInt32)
	if !ok {
		return false
	}
	if p.tok.kind != tokenString {
		p.errorf("a file name in quotes expected, found %s", p.tok.describe())
		return false
	}
	name := p.tok.text
	p.advance()
	if p.tok.kind == tokenString {
		name += "/" + p.tok.text
		p.advance()
	}
	p.module.SourceFiles[int(n)] = name
	for p.take(',') {
		if _, ok := p.literal(); !ok {
			return false
		}
	}
	return true
}

// parseLoc reads .loc file line column {, function_name label, inlined_at file
// line column} (11.5.4). The directive has no terminator.
func (p *parser) parseLoc() bool {
	p.advance()
	var n [3]uint64
	for i := range n {
		var ok bool
		if n[i], ok = p.unsigned("a number of .loc", math.MaxInt32); !ok {
			return false
		}
	}
	p.location = location{int(n[0]), int(n[1])}
	for p.take(',') {
		word, ok := p.identifier("function_name or inlined_at")
		if !ok || !p.parseLocAttribute(word) {
			return false
		}
	}
	return true
}

func (p *parser) parseLocAttribute(word token) bool {
	switch word.text {
	case "function_name":
		if _, ok := p.identifier("a label"); !ok {
			return false
		}
		if p.take('+') {
			_, ok := p.literal()
			return ok
		}
		return true
	case "inlined_at":
		for range 3 {
			if _, ok := p.unsigned("a number of inlined_at", math.MaxInt32); !ok {
				return false
			}
		}
		return true
	}
	p.errorAt(p.position(&word), "unknown attribute %s of .loc", word.describe())
	return false
}

// parseSection skips a DWARF section (11.5.1).
func (p *parser) parseSection() bool {
	p.advance()
	if p.tok.kind != tokenDotted && p.tok.kind != tokenIdent {
		p.errorf("a section name expected, found %s", p.tok.describe())
		return false
	}
	p.advance()
	if !p.tok.is('{') {
		p.errorf(`"{" expected behind the section's name, found %s`, p.tok.describe())
		return false
	}
	p.skipBraces()
	return true
}

// parseDwarfLine skips @@DWARF lines of PTX 1.x.
func (p *parser) parseDwarfLine() bool {
	p.advance()
	if !p.tok.is('@') {
		p.errorf("a directive expected, found %s", p.tok.describe())
		return false
	}
	p.lexer.skipLine()
	p.advance()
	return true
}

// parsePragma skips .pragma "..."; (11.4.7): hints to an optimising assembler.
func (p *parser) parsePragma() bool {
	p.advance()
	for {
		if p.tok.kind != tokenString {
			p.errorf("a string expected behind .pragma, found %s", p.tok.describe())
			return false
		}
		p.advance()
		if !p.take(',') {
			return p.expect(';', "behind .pragma")
		}
	}
}

// beginsDeclaration are directives that stand only where something new begins.
var beginsDeclaration = map[string]bool{"visible": true, "extern": true, "weak": true, "entry": true, "func": true, "file": true, "section": true}

// skipDeclaration moves behind the ";" or the "{ }" that ends a faulty
// declaration at module scope.
func (p *parser) skipDeclaration() {
	if p.take('}') {
		return
	}
	for start := p.tok.offset; p.tok.kind != tokenEOF; {
		switch {
		case p.tok.kind == tokenDotted && beginsDeclaration[p.tok.text] && p.tok.offset != start:
			return
		case p.take(';'):
			return
		case p.tok.is('{'):
			p.skipBraces()
			if !p.tok.is(',') && !p.tok.is('}') && !p.tok.is(';') {
				return
			}
			continue // it was part of an initial value
		}
		p.advance()
	}
}
