// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// leaf is one value of the schema.
type leaf struct {
	path     string // dotted keys: "l1.line_bytes"
	section  string // the key of a mechanism's section, "" for the baseline's values
	index    []int  // reflect field index from Machine, or from the section
	kind     reflect.Kind
	unit     string
	min, max float64 // when ranged
	ranged   bool
	pow2     bool
	words    []string // legal words of a string
	calls    bool     // words may have arguments: Call
	optional bool     // part of the digest only where it has a meaning
	apart    bool     // never part of the digest: no replay depends on it
	def      string   // what the value is when it is not given, "" when it must be
}

// schema is every leaf in the order of declaration, and the keys that may
// follow each prefix ("" for the root).
type schema struct {
	leaves []*leaf
	byPath map[string]*leaf
	keys   map[string][]string
}

var machineSchema = buildSchema()

func buildSchema() *schema {
	s := &schema{byPath: map[string]*leaf{}, keys: map[string][]string{}}
	s.collect(reflect.TypeFor[Machine](), "", nil)
	return s
}

// addSection adds the leaves of a mechanism's section.
func (s *schema) addSection(key string, t reflect.Type) {
	first := len(s.leaves)
	s.keys[""] = append(s.keys[""], key)
	s.collect(t, key, nil)
	for i := first; i < len(s.leaves); i++ {
		s.leaves[i].section = key
	}
}

func (s *schema) collect(t reflect.Type, prefix string, index []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		tags := tagsOf(f.Tag)
		key := tags["yaml"]
		if key == "" {
			continue
		}
		s.keys[prefix] = append(s.keys[prefix], key)
		path := join(prefix, key)
		at := append(append([]int(nil), index...), i)
		if f.Type.Kind() == reflect.Struct {
			s.collect(f.Type, path, at)
			continue
		}
		l := newLeaf(path, at, f.Type.Kind(), tags)
		s.leaves, s.byPath[path] = append(s.leaves, l), l
	}
}

// tagsOf takes a struct tag apart. reflect.StructTag.Get reads the whole tag for each
// key, which was most of what a schema took to build.
func tagsOf(tag reflect.StructTag) map[string]string {
	tags := map[string]string{}
	for rest := string(tag); rest != ""; {
		key, value, ok := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if !ok || err != nil {
			panic("BUG: struct tag of an architecture: " + string(tag)) // they are ours
		}
		rest = strings.TrimLeft(value[len(quoted):], " ")
		if tags[key], err = strconv.Unquote(quoted); err != nil {
			panic("BUG: struct tag of an architecture: " + string(tag))
		}
	}
	return tags
}

func newLeaf(path string, index []int, kind reflect.Kind, tags map[string]string) *leaf {
	l := &leaf{path: path, index: index, kind: kind, unit: tags["unit"], pow2: tags["pow2"] != "", optional: tags["digest"] == "used", apart: tags["digest"] == "never", calls: tags["calls"] != "", def: tags["default"]}
	if lo, hi, ok := strings.Cut(tags["range"], ".."); ok {
		l.ranged = true
		l.min, l.max = number(lo), number(hi)
	}
	if w := tags["oneof"]; w != "" {
		l.words = strings.Split(w, ",")
	}
	return l
}

// number reads a limit of a struct tag; the tags are ours, so a mistake is a bug.
func number(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("BUG: range tag of arch.Machine: " + s)
	}
	return v
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// RegisterWord adds a word to those that a key may hold: a package that brings a policy
// registers its name. A key that does not exist, or that holds no words, is a
// programming error and panics.
func RegisterWord(key, word string) {
	l := machineSchema.byPath[key]
	if l == nil || l.words == nil {
		panic(fmt.Sprintf("BUG: %q is registered as a word of the architecture key %q, which holds none", word, key))
	}
	if !slices.Contains(l.words, word) {
		l.words = append(slices.Clip(l.words), word)
	}
}

// Word gives RegisterWord for a key, as registries of policies call it.
func Word(key string) func(word string) { return func(word string) { RegisterWord(key, word) } }

// policyCores are the kinds of core of the divergence policies that need one.
var policyCores = map[string]string{}

// RegisterPolicyCore says that a divergence policy needs cores of a kind: a machine with
// others is refused.
func RegisterPolicyCore(policy, core string) { policyCores[policy] = core }

// PolicyCore is the kind of core that a divergence policy needs, empty for one of SIMT cores.
func PolicyCore(policy string) string { return policyCores[policy] }

// get is the value of a leaf in m.
func (l *leaf) get(m *Machine) reflect.Value {
	if l.section != "" {
		return reflect.ValueOf(m.section(l.section)).Elem().FieldByIndex(l.index)
	}
	return reflect.ValueOf(m).Elem().FieldByIndex(l.index)
}

// format writes the value of a leaf as Show and messages print it.
func (l *leaf) format(m *Machine) string {
	v := l.get(m)
	switch l.kind {
	case reflect.Int:
		if l.unit == "bytes" {
			return formatSize(v.Int())
		}
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return strings.Join(strings.Fields(v.String()), " ") // a map of rows on one line
}
