// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// setScalar reads node into the leaf's field of m; the error says what was
// expected.
func (l *leaf) setScalar(m *Machine, node ast.Node) error {
	v := l.get(m)
	switch l.kind {
	case reflect.Int:
		n, err := l.integer(node)
		if err == nil {
			v.SetInt(n)
		}
		return err
	case reflect.Float64:
		f, err := floating(node)
		if err == nil {
			v.SetFloat(f)
		}
		return err
	case reflect.Bool:
		b, ok := node.(*ast.BoolNode)
		if !ok {
			return fmt.Errorf("expected true or false, found %s", describe(node))
		}
		v.SetBool(b.Value)
		return nil
	}
	s, err := text(node)
	if err == nil {
		v.SetString(s)
	}
	return err
}

func (l *leaf) integer(node ast.Node) (int64, error) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		if v, ok := n.Value.(int64); ok {
			return v, nil
		}
		if v, ok := n.Value.(uint64); ok && v <= math.MaxInt64 {
			return int64(v), nil
		}
		return 0, fmt.Errorf("%s is too large", n.Token.Value)
	case *ast.StringNode:
		if l.unit == "bytes" {
			return parseSize(n.Value)
		}
	}
	if l.unit == "bytes" {
		return 0, fmt.Errorf("expected a size such as 48KiB, found %s", describe(node))
	}
	return 0, fmt.Errorf("expected a whole number of %s, found %s", l.unit, describe(node))
}

func floating(node ast.Node) (float64, error) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		if v, ok := n.Value.(int64); ok {
			return float64(v), nil
		}
		if v, ok := n.Value.(uint64); ok {
			return float64(v), nil
		}
	case *ast.FloatNode:
		return n.Value, nil
	}
	return 0, fmt.Errorf("expected a number, found %s", describe(node))
}

func text(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value), nil
	}
	return "", fmt.Errorf("expected text, found %s", describe(node))
}

// describe names a node for a message.
func describe(node ast.Node) string {
	switch n := node.(type) {
	case *ast.MappingNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	case *ast.AliasNode, *ast.AnchorNode:
		return "a YAML anchor or alias, which architectures do not use"
	case *ast.StringNode:
		return fmt.Sprintf("%.40q", n.Value)
	}
	return fmt.Sprintf("%.40q", node.GetToken().Value)
}
