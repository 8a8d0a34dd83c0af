// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// options are those of a build, as clang takes them.
type options struct {
	front []string // for what reads sources
	plain bool     // no optimisation
	// library says that a link makes a library.
	library bool
}

// passed are the options that clang knows under the same name (OpenCL 1.2, 5.6.4).
var passed = []string{
	"-w", "-Werror", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math",
	"-cl-single-precision-constant", "-cl-denorms-are-zero", "-cl-fp32-correctly-rounded-divide-sqrt", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2",
	"-Wall", "-Wextra",
}

// idle are options without effect here: what they ask for is done anyway, or is of
// another vendor's compiler.
var idle = []string{"-cl-kernel-arg-info", "-cl-strict-aliasing", "-cl-nv-verbose", "-cl-nv-arch", "-g", "-enable-link-options", "-O1", "-O2", "-O3"}

// parse reads the options of a build; those that are of no effect or not known are told.
func parse(text, folder string) (*options, error) {
	words, err := split(text)
	if err != nil {
		return nil, err
	}
	o := &options{}
	standard := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case strings.HasPrefix(w, "-D"), strings.HasPrefix(w, "-I"), strings.HasPrefix(w, "-U"):
			value := w[2:]
			if value == "" {
				if i++; i == len(words) {
					return nil, fmt.Errorf("%w: %s needs a value", errOptions, w)
				}
				value = words[i]
			}
			if w[1] == 'I' && !filepath.IsAbs(value) {
				value = filepath.Join(folder, value)
			}
			o.front = append(o.front, w[:2]+value)
		case slices.Contains(passed, w):
			o.front = append(o.front, w)
			standard = standard || strings.HasPrefix(w, "-cl-std=")
		case w == "-cl-opt-disable", w == "-O0":
			o.plain = true
		case w == "-create-library":
			o.library = true
		case slices.Contains(idle, w), strings.HasPrefix(w, "-cl-nv-maxrregcount"), strings.HasPrefix(w, "-cl-nv-opt-level"):
			if w == "-cl-nv-arch" {
				i++
			}
		case strings.HasPrefix(w, "-cl-std="):
			return nil, fmt.Errorf("%w: %s: the device has OpenCL C 1.2", errOptions, w)
		default:
			return nil, fmt.Errorf("%w: %s", errOptions, w)
		}
	}
	if !standard {
		o.front = append(o.front, "-cl-std=CL1.2")
	}
	return o, nil
}

// split takes options apart at spaces; quotation marks keep them together.
func split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote := false, rune(0)
	for _, r := range text {
		switch {
		case r == 0:
			return nil, fmt.Errorf("%w: a zero byte", errOptions)
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			in, quote = true, r
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%w: a quotation mark that is not closed", errOptions)
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
