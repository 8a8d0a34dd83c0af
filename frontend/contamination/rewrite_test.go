// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
)

func kernelsOf(t testing.TB, m *ptx.Module) []*contaminator.Kernel {
	t.Helper()
	var list []*contaminator.Kernel
	for _, k := range m.Kernels {
		c, err := contaminator.Contaminate(k)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// What the two modes refuse of the catalogue, by reason.
var refused = map[Mode]map[string]string{}

// What is rewritten is PTX again, with the same kernels; each line that was there belongs
// to itself, and what cannot be rewritten is refused with its place.
func TestCatalogueStaysPTX(t *testing.T) {
	files, err := filepath.Glob("../../traces/*/*.ptx")
	if err != nil || len(files) < 50 {
		t.Fatal(files, err)
	}
	for _, file := range tracetest.Draw(t, files, tracetest.Fewer(4, 16)) {
		name := strings.TrimSuffix(filepath.Base(file), ".ptx")
		m := parse(t, file)
		for _, mode := range []Mode{Straight, Segments} {
			r, err := Rewrite(kernelsOf(t, m), Options{Mode: mode})
			if why := refused[mode][name]; why != "" || err != nil {
				if err == nil || why == "" || !strings.Contains(err.Error(), why) || !strings.HasPrefix(err.Error(), file+":") {
					t.Errorf("%s of %s: %v, want a refusal because of %q", mode, file, err, why)
				}
				continue
			}
			again, err := ptx.Parse(file, r.Text)
			if err != nil {
				t.Errorf("%s: %v", mode, err)
				continue
			}
			if len(again.Kernels) != len(m.Kernels) {
				t.Errorf("%s: %s has %d kernels, then %d", file, mode, len(m.Kernels), len(again.Kernels))
			}
			text := m.Text
			if kernels := kernelsOf(t, m); declaredLate(kernels, newSource(text)) || mode == Segments && (beginsInside(kernels, newSource(text)) || registersLate(kernels, newSource(text))) {
				text = flattenText(text)
			}
			checkLines(t, text, r)
		}
	}
}

// checkLines looks for the lines of a module in what it was rewritten to.
func checkLines(t *testing.T, before []byte, r *Result) {
	t.Helper()
	old, lines := strings.Split(string(before), "\n"), strings.Split(string(r.Text), "\n")
	if len(lines) != len(r.Lines) {
		t.Fatalf("%d lines, places of %d", len(lines), len(r.Lines))
	}
	at := 0
	for i, line := range old {
		line = strings.TrimSpace(line)
		for line != "" && at < len(lines) && strings.TrimSpace(lines[at]) != line {
			if changed := strings.Contains(line, "ctaid") || strings.Contains(line, "bar") || strings.HasPrefix(line, "setmaxnreg") || strings.HasPrefix(line, "wgmma") || strings.Contains(line, "{") || strings.Contains(line, "; ") || strings.Contains(line, ": "); changed && r.Lines[at] == i+1 && at+1 < len(r.Lines) && r.Lines[at+1] > i+1 {
				break
			}
			at++
		}
		if at == len(lines) {
			t.Fatalf("line %d, %q, has gone", i+1, line)
		}
		if line != "" && r.Lines[at] != i+1 {
			t.Fatalf("line %d, %q, is said to be line %d", i+1, line, r.Lines[at])
		}
		if line != "" {
			at++
		}
	}
}

func parse(t testing.TB, file string) *ptx.Module {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// By segments a function serves all kernels that are rewritten; one that stays as it is
// cannot call it any more.
func TestKernelsShareFunctions(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 out) next(.param .b32 in);
.func (.param .b32 out) next(.param .b32 in)
{
	.reg .b32 %r;
	ld.param.u32 %r, [in];
	add.u32 %r, %r, 1;
	st.param.b32 [out], %r;
	ret;
}
.func (.param .b32 out) unreached(.param .b32 in)
{
	.reg .b32 %r;
	ld.param.u32 %r, [in];
	call (%r), next, (%r);
	st.param.b32 [out], %r;
	ret;
}
.visible .entry one(.param .u64 p)
{
	.reg .b32 %r;
	.reg .b64 %d;
	ld.param.u64 %d, [p];
	ld.global.u32 %r, [%d];
	call (%r), next, (%r);
	st.global.u32 [%d], %r;
	ret;
}
.visible .entry two(.param .u64 p)
{
	.local .align 8 .b8 own[40];
	.reg .b32 %r;
	.reg .b64 %d;
	ld.param.u64 %d, [p];
	st.local.u32 [own], 4;
	call (%r), next, (5);
	st.global.u32 [%d], %r;
	ret;
}
`
	m, err := ptx.Parse("shared.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	kernels := kernelsOf(t, m)
	for _, mode := range []Mode{Straight, Segments} {
		r, err := Rewrite(kernels, Options{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		again, err := ptx.Parse("again.ptx", r.Text)
		if err != nil {
			t.Fatalf("%v\n%s", err, r.Text)
		}
		kernelsOf(t, again)
		if _, err := Rewrite(kernels[:1], Options{Mode: mode}); err == nil || !strings.Contains(err.Error(), "shared.ptx:5:25: function next cannot be contaminated for kernel one alone: kernel two calls it as well") {
			t.Errorf("%s of one of two: %v", mode, err)
		}
		if _, err := Rewrite(kernels[:1], Options{Mode: mode, Alone: true}); err != nil {
			t.Error(err)
		}
	}
}
