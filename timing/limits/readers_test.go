// SPDX-License-Identifier: Apache-2.0

package limits_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readers are the files that read a field of an architecture's description which is nothing
// but a limit, and how often. Each gives the number to limits.New, makes room for so many entries, or
// is an exception that arch.Machine.FamilyDigest knows.
var readers = map[string]map[string]int{
	"MSHRs": {
		"memory/frontcache.go":       1, // limit
		"memory/level.go":            3, // limit, room twice
		"memory/cache/fillbuffer.go": 1, // room: one place a register, see Tags.Certify
		"memory/prefetch.go":         1, // with a prefetcher
		"memory/prefetch_level.go":   1, // with a prefetcher
		"lanes/chip.go":              1, // cores of another kind
	},
	"MSHRMerges": {
		"memory/frontcache.go": 1, // limit
		"memory/level.go":      2, // limit, room
	},
	"MissQueue": {
		"memory/frontcache.go": 2, // limit, room
		"memory/level.go":      2, // limit, room
	},
	"OutputQueue": {
		"memory/networks.go":  2, // given to the networks
		"network/crossbar.go": 2, // limit, room
		"network/fabric.go":   2, // limit, room
	},
	"InputQueue": {
		"memory/networks.go":  2, // given to the networks
		"memory/system.go":    2, // of the L2: given to newLevel
		"network/crossbar.go": 2, // limit, room
		"network/fabric.go":   2, // limit, room
	},
}

// A new reader of such a key has to be a limit, or to be known as an exception: otherwise
// results would be shared that are not the same.
func TestLimitsOfAnArchitectureAreReadAsLimitsOnly(t *testing.T) {
	found := map[string]map[string]int{}
	for field := range readers {
		found[field] = map[string]int{}
	}
	queues := map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "../"))
		if strings.HasPrefix(name, "arch/") || strings.HasPrefix(name, "gpu/gputest/") {
			return nil // describe machines, and make some
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of := found[s.Sel.Name]; of != nil && !isPackage(s.X) {
					of[name]++
				}
				if s.Sel.Name == "Queue" && strings.HasPrefix(name, "memory/") {
					queues[name]++
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(readers, found); diff != "" {
		t.Errorf("fields of an architecture that are limits are read elsewhere (-known +found):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"memory/dram/simple.go": 2, "memory/dram/banked.go": 2}, queues); diff != "" {
		t.Errorf("dram.queue is read elsewhere (-known +found): %s; %v", diff, slices.Sorted(maps.Keys(queues)))
	}
}

// isPackage reports whether an identifier is the package cache, whose type MSHRs is no field.
func isPackage(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "cache"
}
