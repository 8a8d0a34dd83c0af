// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/frontend/host"
	_ "github.com/warptape/warptape/trace/tracetest/heap"
)

func TestProgramSaysWhereItComesFrom(t *testing.T) {
	for _, c := range []struct {
		declaration string
		want        host.About
	}{
		{"", host.About{}},
		{"about = {}", host.About{}},
		{"about = {'suite': 'Rodinia'}", host.About{Suite: "Rodinia"}},
		{"about = {'tables': []}", host.About{}},
		{"about = {'tables': ['One 2', 'Three 4'], 'suite': 'SHOC'}", host.About{Suite: "SHOC", Tables: []string{"One 2", "Three 4"}}},
	} {
		p := load(t, c.declaration+"\ndef main(p): pass\n")
		if diff := cmp.Diff(c.want, p.About()); diff != "" {
			t.Errorf("%s:\n%s", c.declaration, diff)
		}
	}
}

func TestCallersCannotChangeWhatAProgramDeclares(t *testing.T) {
	p := load(t, "about = {'tables': ['One 2']}\ndef main(p): pass\n")
	p.About().Tables[0] = "Nine 9"
	if got := p.About().Tables[0]; got != "One 2" {
		t.Errorf("got %q", got)
	}
}

func TestWrongDeclarationsAreRefusedWithTheirPlace(t *testing.T) {
	for _, c := range []struct{ declaration, want string }{
		{"about = 'Rodinia'", "dir/p.star:2:1: in <toplevel>: about must be a dictionary"},
		{"about = {'sweet': 'Rodinia'}", `2:1: in <toplevel>: about["sweet"]: there are the keys suite and tables`},
		{"about = {1: 'Rodinia'}", "about[1]: there are the keys suite and tables"},
		{"about = {'suite': 3}", `about["suite"] must be the name of a benchmark suite, not 3`},
		{"about = {'suite': ''}", `about["suite"] must be the name of a benchmark suite, not ""`},
		{"about = {'tables': 'One 2'}", `about["tables"] must be a list of names of tables, not a string`},
		{"about = {'tables': ['One 2', 2]}", `about["tables"][1] must be the name of a table, not 2`},
		{"about = {'tables': ['One 2', 'One 2']}", `about["tables"][1]: "One 2" is in the list twice`},
		{"sizes = 3", "dir/p.star:2:1: in <toplevel>: sizes must be a dictionary"},
	} {
		_, err := host.Load(folder("x = 1\n"+c.declaration+"\ndef main(p): pass\n"), "dir/p.star")
		wantError(t, err, c.want)
	}
}
