// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"regexp"
	"slices"
	"strings"
)

// Patterns of LLVM's text of a module: what calls a kernel, and the line that begins one.
var (
	kernelCall  = regexp.MustCompile(`call spir_kernel void @([A-Za-z_$.][\w$.]*)\(`)
	kernelBegin = regexp.MustCompile(`^define .*spir_kernel void @([A-Za-z_$.][\w$.]*)\(`)
	debugNode   = regexp.MustCompile(` !dbg !\d+`)
)

// bodySuffix ends the name of the function that has a called kernel's body. No name in
// OpenCL C has a dot.
const bodySuffix = ".body"

// callable gives kernels that others call a function for their body, which both they and
// their callers have in line. To OpenCL C such a call is one of a function (6.7.1); PTX
// cannot call an entry. Other modules stay as they are.
func callable(module string) string {
	if !strings.Contains(module, "call spir_kernel ") {
		return module
	}
	var called []string
	for _, m := range kernelCall.FindAllStringSubmatch(module, -1) {
		called = append(called, m[1])
	}
	var out strings.Builder
	var defined []string
	for line := range strings.Lines(module) {
		m := kernelBegin.FindStringSubmatch(line)
		if m == nil || !slices.Contains(called, m[1]) {
			out.WriteString(line)
			continue
		}
		defined = append(defined, m[1])
		at := strings.Index(line, "@"+m[1]+"(") + len(m[1]) + 1
		params := line[at : at+closing(line[at:])+1]
		out.WriteString(debugNode.ReplaceAllString(line, ""))
		out.WriteString("  call void @" + m[1] + bodySuffix + params + "\n  ret void\n}\n\n")
		out.WriteString("define internal void @" + m[1] + bodySuffix + params + " convergent alwaysinline nounwind" + debugNode.FindString(line) + " {\n")
	}
	text := out.String()
	for _, name := range defined {
		text = strings.ReplaceAll(text, "call spir_kernel void @"+name+"(", "call void @"+name+bodySuffix+"(")
	}
	return text
}

// closing is where the parenthesis closes that a text begins with.
func closing(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text) - 1
}
