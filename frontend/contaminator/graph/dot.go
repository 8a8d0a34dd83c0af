// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
)

// dotStyles are by edgeKind.
var dotStyles = [...]string{`style=dashed`, `style=solid`, `style=dotted, color="#b03060", constraint=false`}

// DOT writes the control-flow graph of a kernel in Graphviz's language. Solid
// edges are branches, dashed ones fall through, dotted red ones lead from
// divergent branches to where their lanes meet again.
func DOT(w io.Writer, k *contaminator.Kernel) error {
	g, b := build(k), bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph \"%s\" {\n  node [shape=box, fontname=monospace];\n", escapeDOT(k.PTX.Name))
	for i, lines := range g.nodes {
		fmt.Fprintf(b, "  n%d [label=\"", i)
		for _, l := range lines {
			b.WriteString(escapeDOT(l))
			b.WriteString(`\l`)
		}
		b.WriteString("\"];\n")
	}
	for _, e := range g.edges {
		fmt.Fprintf(b, "  n%d -> n%d [%s];\n", e.from, e.to, dotStyles[e.kind])
	}
	b.WriteString("}\n")
	return b.Flush()
}

func escapeDOT(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
}
