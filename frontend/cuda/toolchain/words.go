// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"fmt"
	"os"
	"strings"
)

// words splits the value of -Xcompiler and its like as nvcc and the shell behind it do: at
// commas and at blanks. Quotes and a backslash keep what follows whole.
func words(v string) []string {
	var out []string
	var word strings.Builder
	begun, quote := false, rune(0)
	end := func() {
		if begun {
			out = append(out, word.String())
		}
		word.Reset()
		begun = false
	}
	escaped := false
	for _, r := range v {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, begun = r, true
		case r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r':
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return out
}

// optionWords are the words of a file of options, which blanks part and commas do not.
func optionWords(text string) []string {
	return words(strings.ReplaceAll(text, ",", `\,`))
}

// maxOptionFiles bounds the files of options that a command line names, some in others.
const maxOptionFiles = 100

// optionFiles puts the options of files in the place of --options-file.
func (p *parser) optionFiles(names string) error {
	for _, name := range strings.Split(names, ",") {
		if err := p.optionFile("--options-file", name); err != nil {
			return err
		}
	}
	return nil
}

// optionFile puts the options of one file in its place.
func (p *parser) optionFile(option, name string) error {
	if p.files++; p.files > maxOptionFiles {
		return fmt.Errorf("%s %s: more than %d files of options; does one name itself?", option, name, maxOptionFiles)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%s: %w", option, err)
	}
	p.rest = append(optionWords(string(text)), p.rest...)
	return nil
}
