// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Limits on what is read: a hostile file eats neither memory nor time.
const (
	maxFileBytes = 256 << 10
	maxDepth     = 32
)

// parseYAML gives the mapping that a plan is.
func parseYAML(file string, text []byte) (root *ast.MappingNode, err error) {
	fail := func(line, column int, format string, args ...any) error {
		return &Error{File: file, Problems: []Problem{{line, column, fmt.Sprintf(format, args...)}}}
	}
	if len(text) > maxFileBytes {
		return nil, fail(0, 0, "%d bytes, more than the %d allowed", len(text), maxFileBytes)
	}
	if line := tooDeep(text); line > 0 {
		return nil, fail(line, 1, "more than %d nested lists or mappings; a plan has 4", maxDepth)
	}
	defer func() {
		// The parser is a third party's and the file anybody's.
		if r := recover(); r != nil {
			root, err = nil, fail(0, 0, "the YAML parser failed: %v", r)
		}
	}()
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		var y yaml.Error
		if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
			p := y.GetToken().Position
			return nil, fail(p.Line, p.Column, "YAML: %s", y.GetMessage())
		}
		return nil, fail(0, 0, "YAML: %s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if len(tree.Docs) != 1 {
		return nil, fail(0, 0, "has %d YAML documents; write one", len(tree.Docs))
	}
	switch body := tree.Docs[0].Body.(type) {
	case *ast.MappingNode:
		return body, nil
	case nil:
		return nil, fail(0, 0, "is empty; a plan has at least \"traces:\" and \"machines:\"")
	default:
		p := body.GetToken().Position
		return nil, fail(p.Line, p.Column, "expected keys such as \"traces:\", found %s", body.Type())
	}
}

// tooDeep gives the first line at which brackets, or dashes of lists, are nested beyond
// maxDepth; zero without any.
func tooDeep(text []byte) int {
	line, depth, dashes := 1, 0, 0
	for _, c := range text {
		switch c {
		case '\n':
			line, dashes = line+1, 0
		case '-', '?':
			dashes++
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth || dashes > 8*maxDepth {
			return line
		}
	}
	return 0
}

// member is a key of a mapping with its value.
type member struct {
	key   string
	at    ast.Node // the key
	value ast.Node
}

// members lists the keys of a mapping; each may stand once.
func (p *problems) members(node ast.Node, what string) []member {
	if anchored(node) {
		p.add(node, "anchors and aliases are not read; write the value out")
		return nil
	}
	m, ok := node.(*ast.MappingNode)
	if !ok {
		p.add(node, "%s: expected keys with values, found %s", what, describe(node))
		return nil
	}
	var list []member
	seen := map[string]bool{}
	for _, v := range m.Values {
		key := scalarText(v.Key)
		if seen[key] {
			p.add(v.Key, "%s stands twice", key)
			continue
		}
		seen[key] = true
		list = append(list, member{key: key, at: v.Key, value: v.Value})
	}
	return list
}

// texts reads a list of scalars as they are written, or one scalar.
func (p *problems) texts(node ast.Node, what string) []string {
	if anchored(node) {
		p.add(node, "anchors and aliases are not read; write the value out")
		return nil
	}
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		if text, ok := p.text(node, what); ok {
			return []string{text}
		}
		return nil
	}
	if len(list.Values) == 0 {
		p.add(node, "%s: the list is empty; a product with it has no points", what)
	}
	var texts []string
	for _, v := range list.Values {
		if text, ok := p.text(v, what); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// text reads one scalar as it is written.
func (p *problems) text(node ast.Node, what string) (string, bool) {
	if scalar, ok := node.(ast.ScalarNode); ok && node.Type() != ast.NullType {
		if text := scalarText(scalar); text != "" {
			return text, true
		}
	}
	p.add(node, "%s: expected a value, found %s", what, describe(node))
	return "", false
}

func anchored(node ast.Node) bool {
	return node != nil && (node.Type() == ast.AnchorType || node.Type() == ast.AliasType)
}

// scalarText is a scalar without its quotes.
func scalarText(node ast.Node) string {
	if l, ok := node.(*ast.LiteralNode); ok {
		return strings.TrimSpace(l.Value.Value)
	}
	if t := node.GetToken(); t != nil {
		return t.Value
	}
	return ""
}

func describe(node ast.Node) string {
	if node == nil || node.Type() == ast.NullType {
		return "nothing"
	}
	return strings.ToLower(node.Type().String())
}
