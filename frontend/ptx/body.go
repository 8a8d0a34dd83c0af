// SPDX-License-Identifier: Apache-2.0

package ptx

// maxDepth bounds the nesting of { } in a body.
const maxDepth = 256

// operandLabels says which labels an operand of an instruction names.
type operandLabels struct {
	instruction, operand int
	use                  labelUse
}

// parseBody reads { statements } of a kernel. The parser goes on behind the
// body whatever is in it.
func (p *parser) parseBody(kernel *Kernel) {
	k := &kernelParser{parser: p, code: &kernel.Code, name: "kernel " + kernel.Name}
	k.openOutermost()
	for _, param := range kernel.Params {
		k.scope.define(param.Name, symbol{kind: symbolParam, param: param})
	}
	k.parseBlock()
}

// parseBlock reads { statements } into the code, in the scope that holds the
// parameters.
func (k *kernelParser) parseBlock() {
	p := k.parser
	p.location = location{}
	opened := p.position(&p.tok)
	p.advance()
	k.depth = 1
	for k.depth > 0 {
		if p.tok.kind == tokenEOF {
			p.errorAt(opened, "the body of %s is never closed", abbreviate(k.name))
			break
		}
		k.code.LastLine = p.tok.line
		if !k.parseStatement() {
			p.skipStatement()
		}
	}
	k.resolveLabels()
	k.code.Registers = sortRegisters(k.registers)
}

func (k *kernelParser) openScope() {
	s := &scope{parent: k.scope}
	if k.scope != nil {
		s.argumentBytes = k.scope.argumentBytes
	}
	k.scope = s
}

// parseStatement reads one statement, label or brace.
func (k *kernelParser) parseStatement() bool {
	p := k.parser
	switch {
	case p.take(';'):
		return true
	case p.tok.is('{'):
		return k.enter()
	case p.take('}'):
		k.depth--
		k.scope = k.scope.parent
		return true
	case p.tok.is('@'):
		return k.parseInstruction()
	case p.tok.kind == tokenIdent:
		if ahead := p.lexer; isColon(ahead.next()) {
			return k.parseLabel()
		}
		return k.parseInstruction()
	case p.tok.kind == tokenDotted:
		return k.parseDirective()
	}
	p.errorf("an instruction expected, found %s", p.tok.describe())
	return false
}

func isColon(t token) bool { return t.is(':') }

func (k *kernelParser) enter() bool {
	p := k.parser
	if k.depth == maxDepth {
		p.errorf("more than %d nested scopes", maxDepth)
		p.stop()
		p.advance()
		return true
	}
	p.advance()
	k.depth++
	k.openScope()
	return true
}

// parseDirective reads a directive inside a body.
func (k *kernelParser) parseDirective() bool {
	p := k.parser
	switch p.tok.text {
	case "reg":
		return k.parseRegisters()
	case "loc":
		return p.parseLoc()
	case "file":
		return p.parseFile()
	case "pragma":
		return p.parsePragma()
	case "param":
		return k.parseArgumentVariables()
	case "branchtargets", "calltargets", "callprototype":
		p.errorf("%s needs a label before it", p.tok.describe())
		return false
	}
	return p.parseVariables(k, p.parseLinkage())
}

// parseRegisters reads .reg {.v2|.v4} .type a, %r<9>; (5.1.1, 5.4.2, 5.4.6).
func (k *kernelParser) parseRegisters() bool {
	p := k.parser
	p.advance()
	length := p.parseVectorLength()
	s := suffixes[p.tok.text]
	if p.tok.kind != tokenDotted || s.kind != suffixType {
		p.errorf("a register type expected, found %s", p.tok.describe())
		return false
	}
	if !s.typ.Declarable() {
		p.errorf("registers have no type .%s; elements of matrices are packed in .b32 registers", s.typ)
		return false
	}
	if why := vectorFault(length, s.typ); why != "" {
		p.errorf("%s", why)
		return false
	}
	k.vectors = k.vectors || length > 0
	p.advance()
	for {
		name, ok := p.identifier("a register's name")
		if !ok {
			return false
		}
		r := registerRange{typ: p.registerType(s.typ), vector: length, declaration: k.declarations}
		k.declarations++
		if p.take('<') {
			if r.count, ok = p.unsigned("the number of registers", 1<<32); !ok || !p.expect('>', "behind the number of registers") {
				return false
			}
		}
		k.declareRegisters(&name, r)
		if !p.take(',') {
			return p.expect(';', "behind the registers")
		}
	}
}

func (k *kernelParser) declareRegisters(name *token, r registerRange) {
	s := k.scope
	if r.count > 0 {
		if _, twice := s.ranges[name.text]; twice {
			k.parser.errorAt(k.parser.position(name), "the registers %s<> are declared twice", abbreviate(name.text))
			return
		}
		if s.ranges == nil {
			s.ranges = make(map[string]registerRange)
		}
		s.ranges[name.text] = r
		return
	}
	if s.declares(name.text) {
		k.parser.errorAt(k.parser.position(name), "%s is declared twice", abbreviate(name.text))
		return
	}
	if s.singles == nil {
		s.singles = make(map[string]registerRange)
	}
	s.singles[name.text] = r
}

// parseLabel reads "name:" and the target list that may follow it.
func (k *kernelParser) parseLabel() bool {
	p := k.parser
	name := p.tok
	p.advance()
	p.advance()
	switch {
	case p.takeDotted("branchtargets"):
		return k.parseTargets(&name)
	case p.takeDotted("callprototype"):
		return k.parsePrototype(&name)
	case p.takeDotted("calltargets"):
		return k.parseCallTargets(&name)
	}
	k.addLabel(&name)
	return true
}

// defineLabel reads "name:" where nothing else can follow.
func (k *kernelParser) defineLabel() {
	name := k.parser.tok
	k.parser.advance()
	k.parser.advance()
	k.addLabel(&name)
}

// addLabel enters a label of the next instruction into the scope.
func (k *kernelParser) addLabel(name *token) {
	p, s := k.parser, k.scope
	if _, twice := s.labels[name.text]; twice {
		p.errorAt(p.position(name), "label %s is defined twice", abbreviate(name.text))
		return
	}
	if s.labels == nil {
		s.labels = make(map[string]*Label)
	}
	l := &Label{Position: p.position(name), Name: name.text, Index: len(k.code.Body)}
	s.labels[name.text] = l
	k.code.Labels = append(k.code.Labels, l)
}

// parseTargets reads ".branchtargets a, b, N<4>;" behind its label (11.3.1).
func (k *kernelParser) parseTargets(name *token) bool {
	p := k.parser
	list := &targetList{}
	for {
		t, ok := p.identifier("a label")
		if !ok {
			return false
		}
		use := labelUse{k.scope, t.text, p.position(&t)}
		if !p.take('<') {
			list.uses = append(list.uses, use)
		} else if !k.parseTargetRange(list, use) {
			return false
		}
		if !p.take(',') {
			break
		}
	}
	if k.scope.lists == nil {
		k.scope.lists = make(map[string]*targetList)
	}
	k.scope.lists[name.text] = list
	return p.expect(';', "behind the branch targets")
}

// maxTargetRange bounds N<n>, and with it all such ranges of a kernel.
const maxTargetRange = 1 << 16

// parseTargetRange reads the "n>" of N<n>, which stands for N0 to N(n-1).
func (k *kernelParser) parseTargetRange(list *targetList, use labelUse) bool {
	n, ok := k.parser.unsigned("the number of labels", maxTargetRange)
	if !ok || !k.parser.expect('>', "behind the number of labels") {
		return false
	}
	if k.rangeTargets += n; k.rangeTargets > maxTargetRange {
		k.parser.errorAt(use.at, "ranges of branch targets name more than %d labels", maxTargetRange)
		return false
	}
	for i := range n {
		list.uses = append(list.uses, labelUse{k.scope, numbered(use.name, i), use.at})
	}
	return true
}

// resolveLabels fills the label operands when all labels are known.
func (k *kernelParser) resolveLabels() {
	for i := range k.uses {
		u := &k.uses[i]
		o := &k.code.Body[u.instruction].Operands[u.operand]
		if o.Kind == OperandLabel {
			o.Label = k.resolve(&u.use)
			continue
		}
		list := u.use.findList()
		if list == nil {
			k.parser.errorAt(u.use.at, "no .branchtargets list %s in this scope", abbreviate(u.use.name))
			continue
		}
		o.Labels = k.resolveList(list)
	}
}

// resolveList resolves a list once; all branches that name it share the labels.
func (k *kernelParser) resolveList(list *targetList) []*Label {
	if !list.resolved {
		list.resolved = true
		for i := range list.uses {
			if l := k.resolve(&list.uses[i]); l != nil {
				list.labels = append(list.labels, l)
			}
		}
	}
	return list.labels
}

func (k *kernelParser) resolve(u *labelUse) *Label {
	l := u.findLabel()
	if l == nil {
		k.parser.errorAt(u.at, "undefined label %s", abbreviate(u.name))
	}
	return l
}
