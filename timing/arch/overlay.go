// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"math"
	"reflect"

	"github.com/goccy/go-yaml/ast"
)

// overlay changes a machine: it sets keys, or scales numbers. Parameters let its
// user choose some of them; requirements say on which machines it makes sense.
type overlay struct {
	doc         *document
	name        string
	description string
	requires    []requirement
	set         []field // sections as in a machine file
	scale       []scaling
	parameters  []parameter
	given       []given // by the specification
}

// requirement is a condition on a value of the machine.
type requirement struct {
	at     Origin
	leaf   *leaf
	above  float64 // when is is empty
	is     string
	reason string
}

// scaling multiplies a number by a factor.
type scaling struct {
	at     Origin
	leaf   *leaf
	factor float64
}

// maxScale is the largest factor.
const maxScale = 1024

var overlayKeys = []string{"overlay", "description", "parameters", "requires", "set", "scale"}

// parseOverlay reads and checks an overlay file: keys, types and ranges.
func parseOverlay(doc *document) (*overlay, error) {
	p := &problems{}
	o := &overlay{doc: doc}
	for _, f := range doc.fields(doc.root, p) {
		o.parseKey(f, p)
	}
	if o.name == "" && len(p.list) == 0 {
		p.add(Origin{File: doc.file}, "is not an overlay: it has no \"overlay: NAME\" line")
	}
	if o.name == setWord {
		p.add(Origin{File: doc.file}, "overlay: %s is the word that sets keys in a specification; choose another name", setWord)
	}
	if len(p.list) == 0 {
		o.checkRanges(p)
		o.checkParameters(p)
	}
	return o, p.err()
}

func (o *overlay) parseKey(f field, p *problems) {
	var err error
	switch f.key {
	case "overlay":
		o.name, err = text(f.value)
	case "description":
		o.description, err = text(f.value)
	case "requires":
		o.parseRequires(f, p)
	case "parameters":
		o.parseParameters(f, p)
	case "set":
		section, ok := f.value.(*ast.MappingNode)
		if !ok {
			p.add(f.at, "set: expected sections as in a machine file, found %s", describe(f.value))
			return
		}
		o.set = o.doc.fields(section, p)
	case "scale":
		o.parseScale(f, p)
	default:
		p.add(f.at, "unknown key %q in an overlay%s", f.key, didYouMean(f.key, overlayKeys))
	}
	if err != nil {
		p.add(o.doc.at(f.value), "%s: %v", f.key, err)
	}
}

func (o *overlay) parseScale(f field, p *problems) {
	section, ok := f.value.(*ast.MappingNode)
	if !ok {
		p.add(f.at, "scale: expected lines such as \"clocks.dram_mhz: 0.5\", found %s", describe(f.value))
		return
	}
	for _, in := range o.doc.fields(section, p) {
		l := knownLeaf(in.key, in.at, p)
		factor, err := floating(in.value)
		switch {
		case err != nil:
			p.add(o.doc.at(in.value), "%s: %v", in.key, err)
		case !(factor > 0 && factor <= maxScale):
			p.add(o.doc.at(in.value), "%s: factor %g is not in 0..%d", in.key, factor, maxScale)
		case l != nil && !l.ranged:
			p.add(in.at, "%s is not a number and cannot be scaled", in.key)
		case l != nil:
			o.scale = append(o.scale, scaling{at: o.doc.at(in.value), leaf: l, factor: factor})
		}
	}
}

func knownLeaf(path string, at Origin, p *problems) *leaf {
	if l := machineSchema.byPath[path]; l != nil {
		return l
	}
	paths := make([]string, len(machineSchema.leaves))
	for i := range machineSchema.leaves {
		paths[i] = machineSchema.leaves[i].path
	}
	if n := nearest(path, paths); n != "" {
		p.add(at, "unknown key %q; did you mean %s?", path, n)
	} else {
		p.add(at, "unknown key %q; keys are written as in l1.line_bytes", path)
	}
	return nil
}

func (o *overlay) parseRequires(f field, p *problems) {
	list, ok := f.value.(*ast.SequenceNode)
	if !ok {
		p.add(f.at, "requires: expected a list of {key, above or is, reason}, found %s", describe(f.value))
		return
	}
	for _, item := range list.Values {
		m, ok := item.(*ast.MappingNode)
		if !ok {
			p.add(o.doc.at(item), "requires: expected {key, above or is, reason}, found %s", describe(item))
			continue
		}
		if r, ok := o.parseRequirement(m, p); ok {
			o.requires = append(o.requires, r)
		}
	}
}

func (o *overlay) parseRequirement(m *ast.MappingNode, p *problems) (requirement, bool) {
	r := requirement{above: math.NaN(), at: o.doc.at(m)}
	for _, f := range o.doc.fields(m, p) {
		var err error
		switch f.key {
		case "key":
			var path string
			if path, err = text(f.value); err == nil {
				r.leaf = knownLeaf(path, o.doc.at(f.value), p)
			}
		case "above":
			r.above, err = floating(f.value)
		case "is":
			r.is, err = text(f.value)
		case "reason":
			r.reason, err = text(f.value)
		default:
			p.add(f.at, "unknown key %q in requires%s", f.key, didYouMean(f.key, []string{"key", "above", "is", "reason"}))
		}
		if err != nil {
			p.add(o.doc.at(f.value), "%s: %v", f.key, err)
		}
	}
	if r.leaf == nil || r.reason == "" || math.IsNaN(r.above) == (r.is == "") {
		if len(p.list) == 0 {
			p.add(r.at, "requires: needs key, reason, and one of above and is")
		}
		return r, false
	}
	return r, true
}

// holds reports whether the machine meets the requirement.
func (r *requirement) holds(m *Machine) bool {
	v := r.leaf.get(m)
	switch {
	case r.is != "":
		return r.leaf.format(m) == r.is
	case r.leaf.kind == reflect.Int:
		return float64(v.Int()) > r.above
	case r.leaf.kind == reflect.Float64:
		return v.Float() > r.above
	}
	return false
}

// checkRanges applies the set keys to an empty machine and checks each alone.
func (o *overlay) checkRanges(p *problems) {
	m := o.alone(p)
	for i := range machineSchema.leaves {
		l := machineSchema.leaves[i]
		if at, ok := m.origins[l.path]; ok {
			if complaint := l.complaint(m); complaint != "" && !takesAway(l, m) {
				p.add(at, "%s", complaint)
			}
		}
	}
}

// apply changes m, or refuses a machine on which the overlay makes no sense.
func (o *overlay) apply(m *Machine) error {
	p := &problems{}
	for i := range o.requires {
		if r := &o.requires[i]; !r.holds(m) {
			p.add(r.at, "overlay %s does not fit this machine: %s (%s is %s)", o.name, r.reason, r.leaf.path, r.leaf.format(m))
		}
	}
	if len(p.list) > 0 {
		return p.err()
	}
	for _, f := range o.set {
		m.setField(o.doc, "", f, p)
	}
	for i := range o.scale {
		o.scale[i].apply(m, p)
	}
	for i := range o.given {
		o.given[i].apply(m, p)
	}
	return p.err()
}

func (s *scaling) apply(m *Machine, p *problems) {
	v, old := s.leaf.get(m), s.leaf.format(m)
	before, had := m.origins[s.leaf.path]
	if s.leaf.kind == reflect.Float64 {
		v.SetFloat(v.Float() * s.factor)
	} else {
		scaled := float64(v.Int()) * s.factor
		if scaled != math.Trunc(scaled) || math.Abs(scaled) > math.MaxInt32 {
			p.add(s.at, "%s: %s times %g is not a usable whole number", s.leaf.path, old, s.factor)
			return
		}
		v.SetInt(int64(scaled))
	}
	at := s.at
	if at.Source == "" {
		at.Source = fmt.Sprintf("scaled by %g", s.factor)
	}
	m.record(s.leaf.path, at, before, had, old)
}
