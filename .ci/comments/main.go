// SPDX-License-Identifier: Apache-2.0

// Command comments holds the comments and the messages of Go sources to the rules of the
// documents' prose: sentences of at most thirty words, and the words of the field. The
// documents themselves are vale's, whose folder of rules is the argument.
//
//	git ls-files '*.go' | go run ./.ci/comments .ci/prose/Warptape
//
// It reads the names of files, prints each place that breaks a rule, and fails if there is one.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
)

func main() {
	places, err := 0, fmt.Errorf("give the folder of rules, as in: git ls-files '*.go' | go run ./.ci/comments .ci/prose/Warptape")
	if len(os.Args) == 2 {
		places, err = check(os.Args[1], bufio.NewScanner(os.Stdin))
	}
	if err == nil && places > 0 {
		err = fmt.Errorf("%d sentences of comments or messages break the rules of .ci/prose", places)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comments:", err)
		os.Exit(1)
	}
}

// check prints what breaks the rules in the files that names lists, and counts it.
func check(folder string, names *bufio.Scanner) (places int, err error) {
	r, err := readRules(folder)
	if err != nil {
		return 0, err
	}
	for names.Scan() {
		if strings.HasSuffix(names.Text(), ".pb.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, names.Text(), nil, parser.ParseComments)
		if err != nil {
			return places, err
		}
		for _, t := range texts(file) {
			for _, problem := range r.problems(t.text) {
				fmt.Printf("%s: %s\n", files.Position(t.at), problem)
				places++
			}
		}
	}
	return places, names.Err()
}

// text is a comment or a message, with its place.
type text struct {
	at   token.Pos
	text string
}

// texts lists the comments of a file, but for directives, and its string constants.
func texts(file *ast.File) []text {
	var list []text
	for _, c := range file.Comments {
		list = append(list, text{c.Pos(), c.Text()})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		// What has braces or many lines is a program, a template or a document.
		if s, err := strconv.Unquote(literal.Value); err == nil && !strings.ContainsAny(s, "{}`") && strings.Count(s, "\n") < 3 {
			list = append(list, text{literal.Pos(), s})
		}
		return true
	})
	return list
}
