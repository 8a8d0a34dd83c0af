// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"
)

//go:embed machines/*.yaml overlays/*.yaml
var builtin embed.FS

// maxBases bounds the chain of "base:" lines.
const maxBases = 8

// Load gives the architecture that spec names: a built-in machine or the path of a
// YAML file (a name with a "/" or ending in .yaml). Any number of overlays follow,
// each after a "+": "gtx480", "gtx480+lrr", "./my.yaml+l1-off". An overlay may be
// given values of its parameters, "gtx480+buddy(members=4)"; the word set changes
// single keys, "gtx480+set(l1.bytes=32KiB)". A machine file may say "base: gtx480"
// (also with overlays) to inherit.
//
// What is wrong with a description comes back as an *Error that lists all of
// it with file, line and column.
func Load(spec string) (*Machine, error) {
	l := &loader{m: &Machine{origins: map[string]Origin{}}}
	if err := l.load(spec, ".", 0); err != nil {
		return nil, err
	}
	l.m.Name = spec
	if base, _, _ := strings.Cut(spec, "+"); isPath(base) {
		l.m.Name = l.name + spec[len(base):]
	}
	if err := l.m.check(l.file); err != nil {
		return nil, err
	}
	return l.m, nil
}

// Check loads the machine or overlay file at path and reports everything wrong
// with it; nil when it may be used. An overlay is checked by itself: its keys,
// types and ranges.
func Check(path string) error {
	doc, err := readDocument(path)
	if err != nil {
		return err
	}
	if doc.has("overlay") {
		_, err := parseOverlay(doc)
		return err
	}
	if strings.Contains(path, "+") {
		return fmt.Errorf("%s: a file name with + cannot be named in a specification; rename it", path)
	}
	_, err = Load(asPath(path))
	return err
}

// asPath makes sure that a file name is not taken for a built-in name.
func asPath(path string) string {
	if isPath(path) {
		return path
	}
	return "./" + path
}

func isPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// loader builds one machine from files.
type loader struct {
	m    *Machine
	name string // of the outermost machine file
	file string // of the outermost machine
}

// load applies spec; paths are relative to dir.
func (l *loader) load(spec, dir string, depth int) error {
	if depth > maxBases {
		return fmt.Errorf("architecture %s: more than %d levels of base; is it its own base?", spec, maxBases)
	}
	parts, err := parseSpec(spec)
	if err != nil {
		return err
	}
	doc, err := open("machines", parts[0].name, dir)
	if err != nil {
		return err
	}
	if err := l.machine(doc, parts[0].name, dir, depth); err != nil {
		return err
	}
	for i := range parts[1:] {
		if err := l.overlay(&parts[i+1], dir); err != nil {
			return err
		}
	}
	return nil
}

// overlay applies one part of a specification behind the machine.
func (l *loader) overlay(part *specPart, dir string) error {
	if part.name == setWord {
		return l.m.applySettings(part)
	}
	doc, err := open("overlays", part.name, dir)
	if err != nil {
		return err
	}
	o, err := parseOverlay(doc)
	if err != nil {
		return err
	}
	if err := o.bind(part); err != nil {
		return err
	}
	return o.apply(l.m)
}

// open reads a built-in ("machines" or "overlays") or a file of the user's.
func open(kind, name, dir string) (*document, error) {
	if isPath(name) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return readDocument(path)
	}
	what := strings.TrimSuffix(kind, "s")
	names := builtinNames(kind)
	if !slices.Contains(names, name) {
		if name == "" {
			return nil, fmt.Errorf("empty %s name; known: %s", what, commaList(names))
		}
		switch {
		case what == "machine" && slices.Contains(builtinNames("overlays"), name):
			return nil, fmt.Errorf("no built-in machine %q: it is an overlay, which changes a machine; put it behind one, as in gtx480+%s", name, name)
		case what == "overlay" && slices.Contains(builtinNames("machines"), name):
			return nil, fmt.Errorf("no built-in overlay %q: it is a machine; put it first, without another", name)
		}
		return nil, fmt.Errorf("no built-in %s %q%s (a file needs a / or .yaml in its name)", what, name, didYouMean(name, names))
	}
	key := kind + "/" + name
	if doc, ok := parsed.Load(key); ok {
		return doc.(*document), nil
	}
	data, err := readBuiltin(kind, name)
	if err != nil {
		return nil, fmt.Errorf("BUG: built-in %s %s: %w", what, name, err)
	}
	doc, err := parseDocument(name, data)
	if err != nil {
		return nil, err
	}
	parsed.Store(key, doc)
	return doc, nil
}

// parsed keeps the *document of each built-in that a process has opened. Documents are
// only read. A sweep or a study loads the same few machines and overlays hundreds of times,
// and YAML is most of what a load costs.
var parsed sync.Map

// readBuiltin reads a built-in machine, or an overlay of ours or a mechanism's.
func readBuiltin(kind, name string) ([]byte, error) {
	data, err := builtin.ReadFile(kind + "/" + name + ".yaml")
	for i := range mechanisms {
		if files := mechanisms[i].files(kind); err != nil && files != nil {
			data, err = fs.ReadFile(files, name+".yaml")
		}
	}
	return data, err
}

// files gives the overlays or machines of a mechanism, nil without any.
func (x *mechanism) files(kind string) fs.FS {
	if kind == "overlays" {
		return x.overlays
	}
	return x.machines
}

// names lists the overlays or machines of a mechanism.
func (x *mechanism) names(kind string) []string {
	if files := x.files(kind); files != nil {
		return yamlNames(files, ".")
	}
	return nil
}

// builtinNames lists the built-in machines or overlays in order.
func builtinNames(kind string) []string {
	names := yamlNames(builtin, kind)
	for i := range mechanisms {
		names = append(names, mechanisms[i].names(kind)...)
	}
	slices.Sort(names) // in the order of file names gtx480-ref.yaml precedes gtx480.yaml
	return names
}

func yamlNames(files fs.FS, folder string) []string {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		panic("BUG: built-in architectures: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
			names = append(names, name)
		}
	}
	return names
}

// machine applies a machine file after its base.
func (l *loader) machine(doc *document, name, dir string, depth int) error {
	p := &problems{}
	if doc.has("overlay") {
		return fmt.Errorf("%s is an overlay: write it after a machine, as in gtx480+%s", doc.file, name)
	}
	if base := doc.root.Values[0]; base.Key.GetToken().Value == "base" {
		spec, err := text(base.Value)
		if err != nil {
			p.add(doc.at(base.Value), "base: %v", err)
			return p.err()
		}
		if isPath(name) {
			dir = filepath.Dir(filepath.Join(dir, name))
			if filepath.IsAbs(name) {
				dir = filepath.Dir(name)
			}
		}
		if err := l.load(spec, dir, depth+1); err != nil {
			return fmt.Errorf("%s: base: %w", doc.file, err)
		}
	}
	for _, f := range doc.fields(doc.root, p) {
		if f.key == "base" {
			if f.value != doc.root.Values[0].Value {
				p.add(f.at, "base must be the first key of the file")
			}
			continue
		}
		l.m.setField(doc, "", f, p)
	}
	l.name, l.file = l.m.Name, doc.file
	return p.err()
}

// has reports whether the root has the key.
func (d *document) has(key string) bool {
	return slices.ContainsFunc(d.root.Values, func(v *ast.MappingValueNode) bool {
		return v.Key.GetToken().Value == key
	})
}

// setField applies one key below prefix, descending into sections.
func (m *Machine) setField(doc *document, prefix string, f field, p *problems) {
	path := join(prefix, f.key)
	if l := machineSchema.byPath[path]; l != nil {
		m.setLeaf(doc, l, f, p)
		return
	}
	if machineSchema.keys[path] == nil {
		where := ""
		if prefix != "" {
			where = " in " + prefix
		}
		p.add(f.at, "unknown key %q%s%s", f.key, where, didYouMean(f.key, machineSchema.keys[prefix]))
		return
	}
	section, ok := f.value.(*ast.MappingNode)
	if !ok {
		p.add(f.at, "%s is a section with the keys %s; found %s", path, commaList(machineSchema.keys[path]), describe(f.value))
		return
	}
	for _, inner := range doc.fields(section, p) {
		m.setField(doc, path, inner, p)
	}
}

func (m *Machine) setLeaf(doc *document, l *leaf, f field, p *problems) {
	before, had := m.origins[l.path]
	old := l.format(m)
	if err := l.setScalar(m, f.value); err != nil {
		p.add(doc.at(f.value), "%s: %v", l.path, err)
		return
	}
	m.record(l.path, doc.at(f.value), before, had, old)
}

// record keeps the origin of a value and what it replaced.
func (m *Machine) record(path string, at, before Origin, had bool, old string) {
	if had {
		was := before.place() + ": " + old
		if before.Source != "" {
			was += "  # " + before.Source
		}
		at.Overrides = append([]string{was}, before.Overrides...)
	}
	m.written++
	at.order = m.written
	m.origins[path] = at
	if path == "dram.kind" {
		m.takeKind(at)
	}
}

// Sources gives the origin of every value that a file set, by dotted key.
func (m *Machine) Sources() map[string]Origin { return maps.Clone(m.origins) }

// List gives the built-in machines, then the built-in overlays, in order of
// name.
func List() ([]Entry, error) {
	var out []Entry
	for _, name := range builtinNames("machines") {
		m, err := Load(name)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("BUG: built-in machine %s", name), err)
		}
		out = append(out, Entry{Name: name, Description: m.Description})
	}
	for _, name := range builtinNames("overlays") {
		doc, err := open("overlays", name, ".")
		if err != nil {
			return nil, err
		}
		o, err := parseOverlay(doc)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("BUG: built-in overlay %s", name), err)
		}
		out = append(out, Entry{Name: name, Description: o.description, Overlay: true, Parameters: o.listParameters()})
	}
	return out, nil
}
