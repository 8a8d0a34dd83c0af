// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
)

// bind gives the overlay the values of a part of a specification.
func (o *overlay) bind(part *specPart) error {
	p := &problems{}
	for i := range part.arguments {
		a := &part.arguments[i]
		q := o.parameter(a.name)
		if q == nil {
			p.add(Origin{File: part.text}, "%s", o.noParameter(a.name))
			continue
		}
		if err := o.bindOne(q, a, part); err != nil {
			p.add(Origin{File: part.text}, "%s: %v", a.name, err)
		}
	}
	return p.err()
}

func (o *overlay) noParameter(name string) string {
	if len(o.parameters) == 0 {
		return fmt.Sprintf("overlay %s has no parameters; set keys of the machine with +%s(KEY=VALUE)", o.name, setWord)
	}
	names := make([]string, len(o.parameters))
	for i := range names {
		names[i] = o.parameters[i].name
	}
	return fmt.Sprintf("overlay %s has no parameter %q%s", o.name, name, didYouMean(name, names))
}

func (o *overlay) bindOne(q *parameter, a *argument, part *specPart) error {
	doc, err := a.document(part)
	if err != nil {
		return err
	}
	value := doc.root.Values[0].Value
	if q.limited {
		v, err := floating(value)
		if err == nil && !(v >= q.min && v <= q.max) {
			err = fmt.Errorf("%s is out of range, expected %s", a.value, q.expects())
		}
		if err != nil {
			return err
		}
	}
	if q.scale != nil {
		return o.bindScale(q, value, part)
	}
	if q.words != nil {
		chosen, ok := value.(*ast.BoolNode)
		if !ok {
			return fmt.Errorf("expected true or false, found %s", describe(value))
		}
		doc, err = (&argument{value: q.words[chosen.Value]}).document(part)
		if err != nil {
			return err
		}
	}
	o.given = append(o.given, given{doc: doc, leaf: q.leaf})
	return complaintOf(q.leaf, doc)
}

// bindScale replaces factors.
func (o *overlay) bindScale(q *parameter, value ast.Node, part *specPart) error {
	factor, err := floating(value)
	if err != nil {
		return err
	}
	if !(factor > 0 && factor <= maxScale) {
		return fmt.Errorf("factor %g is not in 0..%d", factor, maxScale)
	}
	for _, l := range q.scale {
		s := o.scaling(l)
		s.factor, s.at = factor, Origin{File: part.text, Source: fmt.Sprintf("scaled by %g, as asked for", factor)}
	}
	return nil
}

// given is a value of a specification for a key.
type given struct {
	doc  *document // of one key
	leaf *leaf
}

// apply sets the value.
func (g *given) apply(m *Machine, p *problems) {
	before, had := m.origins[g.leaf.path]
	old := g.leaf.format(m)
	if err := g.leaf.setScalar(m, g.doc.root.Values[0].Value); err != nil {
		p.add(Origin{File: g.doc.file}, "%s: %v", g.leaf.path, err)
		return
	}
	m.record(g.leaf.path, Origin{File: g.doc.file, Source: "as asked for"}, before, had, old)
}

// complaintOf checks a value by itself.
func complaintOf(l *leaf, doc *document) error {
	m, p := &Machine{origins: map[string]Origin{}}, &problems{}
	(&given{doc, l}).apply(m, p)
	if len(p.list) > 0 {
		return errors.New(p.list[0].Message)
	}
	if complaint := l.complaint(m); complaint != "" && !takesAway(l, m) {
		return errors.New(complaint)
	}
	return nil
}

// applySettings is the part "set(KEY=VALUE,...)" of a specification.
func (m *Machine) applySettings(part *specPart) error {
	p := &problems{}
	for i := range part.arguments {
		a := &part.arguments[i]
		l := knownLeaf(a.name, Origin{File: part.text}, p)
		if l == nil {
			continue
		}
		if l.path == "name" || l.path == "description" {
			p.add(Origin{File: part.text}, "%s is not a value of the machine", l.path)
			continue
		}
		doc, err := a.document(part)
		if err == nil {
			err = complaintOf(l, doc)
		}
		if err != nil {
			p.add(Origin{File: part.text}, "%v", err)
			continue
		}
		(&given{doc, l}).apply(m, p)
	}
	if len(part.arguments) == 0 {
		p.add(Origin{File: part.text}, "write %s(KEY=VALUE,...), as in gtx480+%s(l1.bytes=32KiB)", setWord, setWord)
	}
	return p.err()
}
