// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// Unlinked is the text of a module that names what other modules define.
type Unlinked struct {
	File string
	Text []byte
}

// Merge joins modules of one program into the text of one, as a device linker does: what
// is .extern in one module is what another defines (5.4, 10.1.1). Of several .weak
// definitions the first stays; two others of one name are an error. A name that belongs to
// its module alone gets another one when it is taken: renamed has those, by module.
//
// Modules of a device's compiler without link-time optimisation are PTX when they meet. So
// no other tool is needed where a program runs, and objects of other makers' host
// compilers can take part.
func Merge(modules []Unlinked) (text []byte, renamed []map[string]string, err error) {
	m := merger{owners: map[string]*mergeItem{}, taken: map[string]int{}, renamed: make([]map[string]string, len(modules))}
	for i := range modules {
		m.renamed[i] = map[string]string{}
		if err := m.scan(i, modules[i]); err != nil {
			return nil, nil, err
		}
	}
	if err := m.resolve(modules); err != nil {
		return nil, nil, err
	}
	return m.write(modules), m.renamed, nil
}

// mergeItem is a declaration or a definition at module scope.
type mergeItem struct {
	module      int
	first, end  int // in the module's text
	header      int // where a function's body begins
	name        string
	function    bool
	entry       bool
	extern      bool
	weak        bool
	private     bool
	pragma      bool // what has no name: a pragma or an alias
	definition  bool
	line        int
	initializer int // where a variable's = stands, or zero
}

type merger struct {
	items                []mergeItem
	owners               map[string]*mergeItem // the definition that counts
	taken                map[string]int        // modules that have a name
	renamed              []map[string]string
	files                strings.Builder
	fileBase             []int // what a module's numbers of files grow by
	fileCount            int
	version, minor, arch int
	target, size         string
}

// PrivateName tells the names that compilers give to what is static in its file: C++'s
// mangled ones are, whatever linkage the text has for the host's sake. The mark is an L
// before a name, or a namespace without one (Itanium C++ ABI, 5.1.2 and 5.1.5).
func PrivateName(name string) bool {
	rest, mangled := strings.CutPrefix(name, "_Z")
	if !mangled {
		return false
	}
	rest = strings.TrimPrefix(rest, "Z") // what is inside a function is as private as that
	if strings.HasPrefix(rest, "L") {
		return true
	}
	if rest, mangled = strings.CutPrefix(rest, "N"); !mangled {
		return false
	}
	for {
		if strings.HasPrefix(rest, "L") {
			return true
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n > len(rest)-digits {
			return false
		}
		if rest[digits:digits+n] == "_GLOBAL__N_1" {
			return true
		}
		rest = rest[digits+n:]
	}
}

// scan finds the items of a module.
func (m *merger) scan(module int, source Unlinked) error {
	m.fileBase = append(m.fileBase, m.fileCount)
	l := newLexer(string(source.Text))
	for {
		t := l.next()
		switch {
		case t.kind == tokenEOF:
			return nil
		case t.kind != tokenDotted:
			return fmt.Errorf("%s:%d:%d: a directive expected, found %s", source.File, t.line, t.column, t.describe())
		}
		var err error
		switch t.text {
		case "version":
			err = m.scanVersion(&l)
		case "target":
			m.scanTarget(&l)
		case "address_size":
			size := l.next()
			if m.size != "" && m.size != size.text {
				err = fmt.Errorf("addresses of %s bits, and of %s bits in other modules", size.text, m.size)
			}
			m.size = size.text
		case "file":
			err = m.scanFile(&l)
		case "section":
			skipTo(&l, '{')
			skipTo(&l, '}')
		default:
			err = m.scanItem(&l, module, t)
		}
		if err != nil {
			return fmt.Errorf("%s:%d:%d: %w", source.File, t.line, t.column, err)
		}
	}
}

func skipTo(l *lexer, c byte) (t token) {
	for t = l.next(); t.kind != tokenEOF && !t.is(c); t = l.next() {
	}
	return t
}

func (m *merger) scanVersion(l *lexer) error {
	t := l.next()
	major, minor, _ := strings.Cut(t.text, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if err != nil || err2 != nil {
		return fmt.Errorf("version %s", t.describe())
	}
	if a > m.version || a == m.version && b > m.minor {
		m.version, m.minor = a, b
	}
	return nil
}

// scanTarget takes the newest architecture.
func (m *merger) scanTarget(l *lexer) {
	for {
		t := l.next()
		if n, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(t.text, "sm_"), "af")); err == nil && n > m.arch {
			m.arch, m.target = n, t.text
		}
		before := *l
		if t = l.next(); !t.is(',') {
			*l = before
			return
		}
	}
}

// scanFile renumbers a file of line numbers, and leaves the time and the size out.
func (m *merger) scanFile(l *lexer) error {
	n, name := l.next(), l.next()
	index, err := strconv.Atoi(n.text)
	if err != nil || name.kind != tokenString || index < 0 || index > 1<<20 {
		return fmt.Errorf("a file's number and name expected, found %s", n.describe())
	}
	base := m.fileBase[len(m.fileBase)-1]
	fmt.Fprintf(&m.files, ".file %d \"%s\"\n", base+index, name.text)
	m.fileCount = max(m.fileCount, base+index+1)
	for {
		before := *l
		if t := l.next(); !t.is(',') {
			*l = before
			return nil
		}
		l.next()
	}
}

// scanItem finds the end of a declaration or definition, and what it is.
func (m *merger) scanItem(l *lexer, module int, t token) error {
	it := mergeItem{module: module, first: t.offset, definition: true, private: true, line: t.line}
	depth := 0
	for ; ; t = l.next() {
		switch {
		case t.kind == tokenEOF:
			return fmt.Errorf("the end of the file inside of a declaration")
		case t.kind == tokenBad:
			return fmt.Errorf("%s cannot be read", t.describe())
		case t.kind == tokenDotted && depth == 0 && it.name == "":
			it.directive(t.text)
		case t.kind == tokenIdent && depth == 0 && it.name == "":
			it.name = t.text
		case t.is('=') && depth == 0:
			it.initializer = t.offset
		case t.is('(') || t.is('['):
			depth++
		case t.is(')') || t.is(']'):
			depth--
		case t.is('{') && it.function:
			it.header = t.offset
			it.end = closing(l)
			m.add(it)
			return nil
		case t.is('{'):
			depth++
		case t.is('}'):
			depth--
		case t.is(';') && depth == 0:
			it.end = t.end()
			if it.function {
				it.definition, it.header = false, t.offset
			}
			m.add(it)
			return nil
		}
	}
}

func (it *mergeItem) directive(word string) {
	switch word {
	case "extern":
		it.extern, it.private, it.definition = true, false, false
	case "visible", "common":
		it.private = false
	case "weak":
		it.weak, it.private = true, false
	case "entry":
		it.function, it.entry, it.private = true, true, false
	case "func":
		it.function = true
	case "pragma", "alias":
		it.pragma = true
	}
}

// closing moves behind the brace that closes one that is open, and gives the place.
func closing(l *lexer) int {
	for depth := 1; ; {
		t := l.next()
		switch {
		case t.kind == tokenEOF:
			return t.offset
		case t.is('{'):
			depth++
		case t.is('}'):
			if depth--; depth == 0 {
				return t.end()
			}
		}
	}
}

func (m *merger) add(it mergeItem) {
	if PrivateName(it.name) && !it.extern {
		it.private = true
	}
	m.items = append(m.items, it)
}

// resolve finds which module defines what, and gives private names that are taken another one.
func (m *merger) resolve(modules []Unlinked) error {
	seen := map[[2]any]bool{}
	for i := range m.items {
		it := &m.items[i]
		if key := [2]any{it.module, it.name}; it.name != "" && !seen[key] {
			seen[key] = true
			m.taken[it.name]++
		}
	}
	for i := range m.items {
		it := &m.items[i]
		if it.pragma {
			continue
		}
		if it.private {
			if m.taken[it.name] > 1 {
				m.renamed[it.module][it.name] = fmt.Sprintf("%s$%d", it.name, it.module)
			}
			continue
		}
		old := m.owners[it.name]
		switch {
		case !it.definition || old == it:
		case old == nil || old.weak && !it.weak:
			m.owners[it.name] = it
		case !old.weak && !it.weak && (old.module != it.module || it.function):
			return fmt.Errorf("%s:%d: %s is defined in %s, too: only one file of a program may define it", modules[it.module].File, it.line, it.name, modules[old.module].File)
		}
	}
	return nil
}

// write puts declarations of everything before the definitions, so that no order matters.
func (m *merger) write(modules []Unlinked) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".version %d.%d\n.target %s\n.address_size %s\n%s", m.version, m.minor, m.target, m.size, m.files.String())
	declared := map[string]bool{}
	for i := range m.items {
		it := &m.items[i]
		if it.entry || it.pragma || declared[it.name] && !it.private {
			continue
		}
		switch {
		case it.function && it.private:
			b.WriteString(m.copy(modules, it, it.first, it.header, "") + ";\n")
		case it.function:
			b.WriteString(m.copy(modules, it, it.first, it.header, ".extern ") + ";\n")
		case it.extern:
			b.WriteString(m.copy(modules, it, it.first, it.end, "") + "\n")
		default:
			continue
		}
		declared[it.name] = true
	}
	for i := range m.items {
		it := &m.items[i]
		if it.definition && (it.private || it.pragma || m.owners[it.name] == it) {
			b.WriteString(m.copy(modules, it, it.first, it.end, "") + "\n")
		}
	}
	return []byte(b.String())
}

// copy gives a part of a module's text with the names and the files of the whole. With a
// linkage it has that in the place of its own.
func (m *merger) copy(modules []Unlinked, it *mergeItem, first, end int, linkage string) string {
	text := string(modules[it.module].Text)
	l := lexer{text: text[:end], offset: first, line: 1}
	var b strings.Builder
	b.WriteString(linkage)
	done, file := first, false
	replace := func(t *token, by string) {
		b.WriteString(text[done:t.offset])
		b.WriteString(by)
		done = t.end()
	}
	for t := l.next(); t.kind != tokenEOF; t = l.next() {
		switch {
		case t.kind == tokenDotted && linkage != "" && (t.text == "visible" || t.text == "weak" || t.text == "extern" || t.text == "common"):
			replace(&t, "")
		case t.kind == tokenIdent && m.renamed[it.module][t.text] != "":
			replace(&t, m.renamed[it.module][t.text])
		case t.kind == tokenNumber && file:
			if n, err := strconv.Atoi(t.text); err == nil {
				replace(&t, strconv.Itoa(n+m.fileBase[it.module]))
			}
		}
		file = t.kind == tokenDotted && t.text == "loc" || t.kind == tokenIdent && t.text == "inlined_at"
	}
	b.WriteString(text[done:end])
	return b.String()
}
