// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBracketsOfLaunches(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"k << <grid, block >> >(a);", "k <<<grid, block >>>(a);"},
		{"k < << grid, block> >> (a);", "k <<< grid, block>>> (a);"},
		{"k<<<g, b>>>(a); x = a << b;", "k<<<g, b>>>(a); x = a << b;"},
		{"std::vector<std::vector<int> > v; k << <1, 2>> > (v);", "std::vector<std::vector<int> > v; k <<<1, 2>>> (v);"},
	} {
		if got, had := closed([]byte(c.in)); string(got) != c.out || had != (c.in != c.out) {
			t.Errorf("%s became %s, and it had others: %v", c.in, got, had)
		}
	}
}

func TestOptionsOfNvcc(t *testing.T) {
	j, err := ParseArgs([]string{"-O3", "-gencode", "arch=compute_60,code=sm_60", "--gpu-architecture=sm_80", "-DN=4", "-D", "M", "-I", "inc", "-Xcompiler", "-Wall,-fopenmp",
		"-lcudart", "-lm", "-L", "", "--compile", "a.cu", "b.o", "-o", "x", "-Xptxas", "-v", "--std=c++14"})
	if err != nil {
		t.Fatal(err)
	}
	if j.Arch != 80 || j.Level != "-O3" || j.Stage != StageObject || j.Output != "x" || len(j.Inputs) != 2 || j.Inputs[1].Language != LanguageLink {
		t.Errorf("%+v", j)
	}
	same(t, j.Macros, "-DN=4", "-DM")
	same(t, j.Both, "-Iinc", "-std=c++14")
	same(t, j.Host, "-Wall", "-fopenmp")
	same(t, j.Link, "-lm", "b.o")
	for _, bad := range [][]string{{}, {"-o"}, {"a.cu", "-arch=fast"}, {"a.cu", "-x", "fortran"}, {"a.cu", "--no-such-option"}} {
		if _, err := ParseArgs(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%q, not %q", got, want)
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// Files beside an input whose brackets are apart get copies with whole ones. A file that cannot be read, and one that
// needs nothing, change nothing for those behind them.
func TestBracketsOfTheFilesBesideAnInput(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.Symlink(filepath.Join(folder, "nowhere"), filepath.Join(folder, "a.cu")); err != nil {
		t.Skip(err)
	}
	whole := write("b.cu", "k<<<1, 2>>>(a);")
	apart, header := write("c.cu", "k << <1, 2>> >(a);"), write("d.h", "k<< <3, 4> >>(a);")
	b := Builder{overlay: overlay{folder: t.TempDir()}}
	if err := b.closeBrackets(&Input{Path: filepath.Join(folder, "c.cu")}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{whole: "k<<<1, 2>>>(a);", apart: "k <<<1, 2>>>(a);", header: "k<<<3, 4>>>(a);"} {
		if got, err := b.overlay.read(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
	if len(b.overlay.files) != 2 {
		t.Errorf("%d files have copies", len(b.overlay.files))
	}
}
