// SPDX-License-Identifier: Apache-2.0

package seam

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds the strategies of one kind by name. Folders add theirs in
// package initialisation; a machine looks its names up once, when it is built.
type Registry[T any] struct {
	kind    string
	open    []func(name string)
	entries []entry[T]
}

type entry[T any] struct {
	name  string
	value T
}

// NewRegistry makes an empty registry; kind ("dispatch policy") is for messages.
func NewRegistry[T any](kind string) *Registry[T] { return &Registry[T]{kind: kind} }

// Open tells open of each name that is or will be registered: with arch.Word
// architecture files may say them.
func (r *Registry[T]) Open(open func(name string)) {
	r.open = append(r.open, open)
	for i := range r.entries {
		open(r.entries[i].name)
	}
}

// Register adds a strategy. A name that is taken is a programming error and panics.
func (r *Registry[T]) Register(name string, value T) {
	at, found := r.find(name)
	if found {
		panic(fmt.Sprintf("BUG: %s %q is registered twice", r.kind, name))
	}
	r.entries = slices.Insert(r.entries, at, entry[T]{name, value})
	for _, open := range r.open {
		open(name)
	}
}

// Lookup finds a strategy; the error lists the names that exist.
func (r *Registry[T]) Lookup(name string) (T, error) {
	at, found := r.find(name)
	if !found {
		var none T
		return none, fmt.Errorf("unknown %s %q (known: %s)", r.kind, name, strings.Join(r.Names(), ", "))
	}
	return r.entries[at].value, nil
}

// Names lists the registered names in alphabetical order.
func (r *Registry[T]) Names() []string {
	names := make([]string, len(r.entries))
	for i := range r.entries {
		names[i] = r.entries[i].name
	}
	return names
}

func (r *Registry[T]) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.entries, name, func(e entry[T], n string) int { return strings.Compare(e.name, n) })
}
