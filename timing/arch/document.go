// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on what is read, so that a hostile file cannot eat memory or time: the
// parser's time grows with the square of the nesting.
const (
	maxFileBytes = 64 << 10
	maxDepth     = 64
)

// document is one parsed YAML file.
type document struct {
	file     string // as messages name it
	root     *ast.MappingNode
	comments map[int]string // trailing comment by line, without the #
}

// readDocument reads a file of the user's.
func readDocument(path string) (*document, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("architecture file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("architecture file %s is not a regular file", path)
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("architecture file %s has %d bytes, more than the %d allowed", path, info.Size(), maxFileBytes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("architecture file: %w", err)
	}
	return parseDocument(path, text)
}

// parseDocument parses text; the root must be one mapping.
func parseDocument(file string, text []byte) (doc *document, err error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d allowed", file, len(text), maxFileBytes)
	}
	if line := tooDeep(text); line > 0 {
		return nil, &Error{Problems: []Problem{{File: file, Line: line, Column: 1, Message: fmt.Sprintf("more than %d nested lists or mappings; an architecture has 4", maxDepth)}}}
	}
	defer func() {
		// The parser is a third party's and the file anybody's.
		if r := recover(); r != nil {
			doc, err = nil, &Error{Problems: []Problem{{File: file, Message: fmt.Sprintf("the YAML parser failed: %v", r)}}}
		}
	}()
	tokens := lexer.Tokenize(string(text))
	comments := trailingComments(tokens)
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntaxError(file, err)
	}
	root, err := rootMapping(file, tree)
	if err != nil {
		return nil, err
	}
	return &document{file: file, root: root, comments: comments}, nil
}

// tooDeep gives the first line at which brackets, or the dashes of lists in
// lists, are nested beyond maxDepth; zero without any. Brackets in comments and
// texts count as well: those of a sane file are closed.
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
		if depth > maxDepth || dashes > 4*maxDepth {
			return line
		}
	}
	return 0
}

func rootMapping(file string, tree *ast.File) (*ast.MappingNode, error) {
	if len(tree.Docs) != 1 {
		return nil, &Error{Problems: []Problem{{File: file, Message: fmt.Sprintf("has %d YAML documents; write one", len(tree.Docs))}}}
	}
	switch body := tree.Docs[0].Body.(type) {
	case *ast.MappingNode:
		return body, nil
	case nil:
		return nil, &Error{Problems: []Problem{{File: file, Message: "is empty; an architecture starts with \"name: ...\", an overlay with \"overlay: ...\""}}}
	default:
		p := body.GetToken().Position
		return nil, &Error{Problems: []Problem{{File: file, Line: p.Line, Column: p.Column, Message: "expected keys and values such as \"name: mygpu\", found " + body.Type().String()}}}
	}
}

// syntaxError turns the parser's error into one with file, line and column.
func syntaxError(file string, err error) error {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
		p := y.GetToken().Position
		return &Error{Problems: []Problem{{File: file, Line: p.Line, Column: p.Column, Message: "YAML: " + y.GetMessage()}}}
	}
	return &Error{Problems: []Problem{{File: file, Message: "YAML: " + strings.ReplaceAll(err.Error(), "\n", " ")}}}
}

// trailingComments maps lines that hold more than a comment to their comment.
func trailingComments(tokens token.Tokens) map[int]string {
	comments, code := map[int]string{}, map[int]bool{}
	for _, t := range tokens {
		if t.Type == token.CommentType {
			comments[t.Position.Line] = strings.TrimSpace(t.Value)
		} else {
			code[t.Position.Line] = true
		}
	}
	for line := range comments {
		if !code[line] {
			delete(comments, line)
		}
	}
	return comments
}

// at is where a node stands.
func (d *document) at(n ast.Node) Origin {
	p := n.GetToken().Position
	return Origin{File: d.file, Line: p.Line, Column: p.Column, Source: d.comments[p.Line]}
}

// field is one key with its value.
type field struct {
	key   string
	at    Origin // of the key
	value ast.Node
}

// fields lists the pairs of a mapping; merge keys and aliases are not part of
// the format.
func (d *document) fields(m *ast.MappingNode, p *problems) []field {
	out := make([]field, 0, len(m.Values))
	for _, v := range m.Values {
		at := d.at(v.Key)
		if _, ok := v.Key.(*ast.StringNode); !ok {
			p.add(at, "a key must be a plain word, found %s", v.Key.Type())
			continue
		}
		out = append(out, field{key: v.Key.GetToken().Value, at: at, value: v.Value})
	}
	return out
}
