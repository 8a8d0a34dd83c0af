// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

// rules are the rules of the documents' prose that comments and messages keep as well.
type rules struct {
	most int            // words of a sentence
	word *regexp.Regexp // what counts as one
	odd  *regexp.Regexp // words that a text does without
}

// readRules reads the rules of vale in a folder. History is none of them: a comment may say what
// a program does "no longer".
func readRules(folder string) (*rules, error) {
	var length struct {
		Max   int
		Token string
	}
	if err := readRule(folder, "SentenceLength", &length); err != nil {
		return nil, err
	}
	var odd []string
	for _, name := range []string{"Words", "People"} {
		var words struct{ Tokens []string }
		if err := readRule(folder, name, &words); err != nil {
			return nil, err
		}
		odd = append(odd, words.Tokens...)
	}
	if length.Max == 0 || length.Token == "" || len(odd) == 0 {
		return nil, fmt.Errorf("%s: no bound of a sentence, or no words", folder)
	}
	r := &rules{most: length.Max}
	var err error
	if r.word, err = regexp.Compile(length.Token); err == nil {
		r.odd, err = regexp.Compile(`(?i)\b(?:` + strings.Join(odd, "|") + `)\b`)
	}
	return r, err
}

func readRule(folder, name string, into any) error {
	path := filepath.Join(folder, name+".yml")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
