// SPDX-License-Identifier: Apache-2.0

package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

func kernelOf(t *testing.T, text string) *contaminator.Kernel {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	k, err := contaminator.Contaminate(m.Kernels[0])
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const diamond = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k() { .reg .pred %p<3>; .reg .b32 %r<4>;
mov.u32 %r1, %tid.x;
L: setp.lt.u32 %p1, %r1, 5;
@%p1 bra LESS;
add.u32 %r1, %r1, 1; // "quoted" <&>
bra JOIN;
LESS: sub.u32 %r1, %r1, 1;
JOIN: setp.ne.u32 %p2, %r1, 9;
@%p2 bra L;
ret; }`

func TestDOTHasEveryEdgeAndPostDominator(t *testing.T) {
	var b bytes.Buffer
	if err := DOT(&b, kernelOf(t, diamond)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`n0 -> n1 [style=dashed]`, `n1 -> n2 [style=dashed]`, `n1 -> n3 [style=solid]`, `n2 -> n4 [style=solid]`, `n3 -> n4 [style=dashed]`,
		`n4 -> n1 [style=solid]`, `n4 -> n5 [style=dashed]`, `n5 -> n6 [style=solid]`, `n1 -> n4 [style=dotted`, `n4 -> n5 [style=dotted`,
		`block 1, line 6, post-dominated by 4, divergent`, `post-dominated by exit`, `// \"quoted\" <&>\l`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), " -> "); n != 10 {
		t.Errorf("%d edges", n)
	}
}

func TestLayersFollowTheEdgesThatGoForward(t *testing.T) {
	g := build(kernelOf(t, diamond))
	l := arrange(g)
	for i, e := range g.edges {
		if e.kind == reconverges {
			continue
		}
		if back := e.from == 4 && e.to == 1; back != l.back[i] {
			t.Errorf("edge %d to %d goes back: %t", e.from, e.to, l.back[i])
		} else if !back && l.layers[e.from] >= l.layers[e.to] {
			t.Errorf("edge %d to %d leads from layer %d to %d", e.from, e.to, l.layers[e.from], l.layers[e.to])
		}
	}
}

// Every committed PTX file is drawn: well-formed, one box a node, without
// overlaps, all inside the picture.
func TestDrawingsOfCompilerOutputAreSound(t *testing.T) {
	files, err := filepath.Glob("../../../traces/*/*.ptx")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k := kernelOf(t, string(text))
		var b bytes.Buffer
		if err := SVG(&b, k); err != nil {
			t.Fatal(err)
		}
		if n, err := boxes(b.Bytes()); err != nil || n != len(k.Segments)+1 {
			t.Errorf("%s: %d boxes for %d segments: %v", file, n, len(k.Segments), err)
		}
		checkLayout(t, file, arrange(build(k)))
	}
}

func boxes(svg []byte) (n int, err error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			n++
		}
	}
}

func checkLayout(t *testing.T, file string, l *layout) {
	t.Helper()
	for i, a := range l.places {
		if a.x-a.width/2 < 0 || a.x+a.width/2 > l.width || a.y < 0 || a.y+a.height > l.height {
			t.Errorf("%s: node %d is outside the picture", file, i)
		}
		for j, b := range l.places[:i] {
			if a.x-a.width/2 < b.x+b.width/2 && b.x-b.width/2 < a.x+a.width/2 && a.y < b.y+b.height && b.y < a.y+a.height {
				t.Errorf("%s: nodes %d and %d overlap", file, j, i)
			}
		}
	}
}

func TestLongBlocksAreShortened(t *testing.T) {
	text := strings.Replace(diamond, "sub.u32 %r1, %r1, 1;", strings.Repeat("sub.u32 %r1, %r1, 1;\n", 100), 1)
	lines := build(kernelOf(t, text)).nodes[3]
	if len(lines) != 1+maxLines+1 || lines[1+maxLines/2] != fmt.Sprintf("… %d more", 100-maxLines) {
		t.Errorf("lines %q", lines)
	}
}
