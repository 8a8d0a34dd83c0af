// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// parameter is what the user of an overlay may choose by name:
// "buddy(members=4)". It stands for a key that the overlay sets, or for the factor
// of keys that it scales.
type parameter struct {
	at    Origin
	name  string
	about string
	// leaf is the key that is set; with words the parameter is true or false.
	leaf    *leaf
	words   map[bool]string
	scale   []*leaf
	limited bool // to min..max, within the leaf's own range
	min     float64
	max     float64
}

var parameterKeys = []string{"key", "scale", "range", "true_is", "false_is", "about"}

// parseParameters reads the section "parameters".
func (o *overlay) parseParameters(f field, p *problems) {
	section, ok := f.value.(*ast.MappingNode)
	if !ok {
		p.add(f.at, "parameters: expected lines such as \"lines: {key: tinycache.entries}\", found %s", describe(f.value))
		return
	}
	for _, in := range o.doc.fields(section, p) {
		m, ok := in.value.(*ast.MappingNode)
		if !ok {
			p.add(in.at, "parameters: %s: expected {key: SECTION.KEY} or {scale: [SECTION.KEY]}, found %s", in.key, describe(in.value))
			continue
		}
		if q := o.parseParameter(in, m, p); q != nil {
			o.parameters = append(o.parameters, *q)
		}
	}
}

func (o *overlay) parseParameter(in field, m *ast.MappingNode, p *problems) *parameter {
	q := &parameter{at: o.doc.at(in.value), name: in.key}
	before := len(p.list)
	for _, f := range o.doc.fields(m, p) {
		if err := q.parseKey(o.doc, f, p); err != nil {
			p.add(o.doc.at(f.value), "parameters: %s: %s: %v", q.name, f.key, err)
		}
	}
	switch {
	case len(p.list) > before:
		return nil
	case (q.leaf == nil) == (q.scale == nil):
		p.add(q.at, "parameters: %s: needs one of key and scale", q.name)
	case q.words != nil && (q.leaf == nil || len(q.words) != 2):
		p.add(q.at, "parameters: %s: true_is and false_is come together, and with a key", q.name)
	case q.limited && !q.number():
		p.add(q.at, "parameters: %s: range is for numbers", q.name)
	case !q.within():
		p.add(q.at, "parameters: %s: the range goes beyond that of %s, %s", q.name, q.leaf.path, q.leaf.expects())
	default:
		return q
	}
	return nil
}

func (q *parameter) parseKey(doc *document, f field, p *problems) error {
	var err error
	switch f.key {
	case "about":
		q.about, err = text(f.value)
	case "key":
		var path string
		if path, err = text(f.value); err == nil {
			q.leaf = knownLeaf(path, doc.at(f.value), p)
		}
	case "scale":
		q.scale, err = leafList(doc, f.value, p)
	case "range":
		err = q.parseRange(f.value)
	case "true_is", "false_is":
		var word string
		if word, err = text(f.value); err == nil {
			if q.words == nil {
				q.words = map[bool]string{}
			}
			q.words[f.key == "true_is"] = word
		}
	default:
		p.add(f.at, "unknown key %q in a parameter%s", f.key, didYouMean(f.key, parameterKeys))
	}
	return err
}

func (q *parameter) parseRange(node ast.Node) error {
	s, err := text(node)
	if err != nil {
		return err
	}
	lo, hi, ok := strings.Cut(s, "..")
	var errLow, errHigh error
	q.min, errLow = strconv.ParseFloat(lo, 64)
	q.max, errHigh = strconv.ParseFloat(hi, 64)
	if !ok || errLow != nil || errHigh != nil || !(q.min <= q.max) {
		return fmt.Errorf("expected limits such as 2..8, found %q", s)
	}
	q.limited = true
	return nil
}

func leafList(doc *document, node ast.Node, p *problems) ([]*leaf, error) {
	list, ok := node.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return nil, fmt.Errorf("expected a list of keys, found %s", describe(node))
	}
	var out []*leaf
	for _, item := range list.Values {
		path, err := text(item)
		if err != nil {
			return nil, err
		}
		if l := knownLeaf(path, doc.at(item), p); l != nil {
			out = append(out, l)
		}
	}
	return out, nil
}

// number reports whether values of the parameter are numbers.
func (q *parameter) number() bool { return q.leaf == nil || q.leaf.ranged && q.words == nil }

// checkParameters finds parameters that the overlay's own lines do not bear out:
// the default of a parameter is what they say.
func (o *overlay) checkParameters(p *problems) {
	m := o.alone(p)
	for i := range o.parameters {
		q := &o.parameters[i]
		if slices.ContainsFunc(o.parameters[:i], func(r parameter) bool { return r.name == q.name }) {
			p.add(q.at, "parameters: %s is declared twice", q.name)
		}
		for _, l := range q.scale {
			if o.scaling(l) == nil {
				p.add(q.at, "parameters: %s: the overlay does not scale %s, so that there is no default", q.name, l.path)
			}
		}
		if q.leaf == nil {
			continue
		}
		if _, ok := m.origins[q.leaf.path]; !ok {
			p.add(q.at, "parameters: %s: the overlay does not set %s, so that there is no default", q.name, q.leaf.path)
			continue
		}
		for _, word := range q.words {
			if q.leaf.words != nil && !slices.Contains(q.leaf.words, word) {
				p.add(q.at, "parameters: %s: unknown word %q of %s%s", q.name, word, q.leaf.path, didYouMean(word, q.leaf.words))
			}
		}
	}
}

// alone is a machine that has nothing but what the overlay sets.
func (o *overlay) alone(p *problems) *Machine {
	m := &Machine{origins: map[string]Origin{}}
	for _, f := range o.set {
		m.setField(o.doc, "", f, p)
	}
	return m
}

// scaling is the overlay's line for a key, nil when there is none.
func (o *overlay) scaling(l *leaf) *scaling {
	for i := range o.scale {
		if o.scale[i].leaf == l {
			return &o.scale[i]
		}
	}
	return nil
}

// parameter finds a parameter by name.
func (o *overlay) parameter(name string) *parameter {
	for i := range o.parameters {
		if o.parameters[i].name == name {
			return &o.parameters[i]
		}
	}
	return nil
}

// expects says what a parameter may be given.
func (q *parameter) expects() string {
	switch {
	case q.words != nil:
		return "true or false"
	case q.limited && q.leaf != nil && q.leaf.unit != "":
		return fmt.Sprintf("%s, %s..%s", q.leaf.unit, q.leaf.limit(q.min), q.leaf.limit(q.max))
	case q.limited:
		return fmt.Sprintf("%.10g..%.10g", q.min, q.max)
	case q.scale != nil:
		return fmt.Sprintf("a factor, 0..%d", maxScale)
	}
	return q.leaf.expects()
}

// within reports whether a leaf's own range has the parameter's.
func (q *parameter) within() bool {
	return !q.limited || q.leaf == nil || q.min >= q.leaf.min && q.max <= q.leaf.max
}
