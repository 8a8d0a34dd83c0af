// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nvcc hands what it is given for its tools to a shell, so that blanks part it, too.
func TestOptionsForToolsAreWords(t *testing.T) {
	for _, c := range []struct {
		value string
		want  []string
	}{
		{"-Wall,-O2", []string{"-Wall", "-O2"}},
		{"-Wall -O2  -fopenmp", []string{"-Wall", "-O2", "-fopenmp"}},
		{`"-Wall -O2"`, []string{"-Wall -O2"}},
		{`-DNAME=\"x\",-DY='a b'`, []string{`-DNAME="x"`, "-DY=a b"}},
		{`-Wl\,-rpath\,/x`, []string{"-Wl,-rpath,/x"}},
		{"", nil}, {",,", nil}, {`""`, []string{""}}, {`-DX=\`, []string{"-DX="}},
	} {
		if got := words(c.value); strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
			t.Errorf("%s became %q", c.value, got)
		}
	}
	j, err := ParseArgs([]string{"a.cu", "-Xcompiler", "-Wall -fopenmp"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, j.Host, "-Wall", "-fopenmp")
}

// No option that changes results is dropped without a word.
func TestOptionsThatChangeResultsAreHeeded(t *testing.T) {
	j, err := ParseArgs([]string{"a.cu", "-ftz=true", "--prec-div=false", "-prec-sqrt", "false", "-odir", "out", "-default-stream", "per-thread"})
	if err != nil {
		t.Fatal(err)
	}
	if !j.Flush || !j.FastDivide || !j.FastRoot || j.Folder != "out" || len(j.Notes) != 1 {
		t.Errorf("%+v", j)
	}
	if j, err = ParseArgs([]string{"a.cu", "-ftz=false", "--prec-div=true", "-default-stream", "legacy"}); err != nil || j.Flush || j.FastDivide || len(j.Notes) != 0 {
		t.Errorf("%+v, %v", j, err)
	}
}

// Options of the host's compiler that its linker has to know go to both, and those of the linker there alone.
func TestOptionsOfTheHostGoToCompilerAndLinker(t *testing.T) {
	j, err := ParseArgs([]string{"a.cu", "-Xcompiler", "-rdynamic,-pthread,-O1", "-Xcompiler", `-Wl\,-x`, "--mathematics=calls"})
	if err != nil || !j.Calls {
		t.Fatalf("%+v, %v", j, err)
	}
	same(t, j.Host, "-rdynamic", "-pthread", "-O1")
	same(t, j.Link, "-rdynamic", "-pthread", "-Wl,-x")
	if j, err = ParseArgs([]string{"a.cu", "--mathematics=instructions"}); err != nil || j.Calls {
		t.Errorf("%+v, %v", j, err)
	}
	if j, err = ParseArgs([]string{"a.cu", "--cuda-release", "12.4"}); err != nil || j.Release != 12040 {
		t.Errorf("%+v, %v", j, err)
	}
	if _, err := ParseArgs([]string{"a.cu", "--cuda-release=12.5"}); err == nil || !strings.Contains(err.Error(), "11.8 and 12.4") {
		t.Errorf("--cuda-release=12.5: %v", err)
	}
	if _, err := ParseArgs([]string{"a.cu", "--mathematics=fast"}); err == nil || !strings.Contains(err.Error(), "fast") {
		t.Errorf("--mathematics=fast: %v", err)
	}
}

func TestUnknownOptionsGoToTheHostsCompilerOnRequest(t *testing.T) {
	j, err := ParseArgs([]string{"a.cu", "-forward-unknown-to-host-compiler", "--param=max-inline-insns-single=3"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, j.Host, "--param=max-inline-insns-single=3")
	if _, err := ParseArgs([]string{"a.cu", "--param=max-inline-insns-single=3"}); err == nil {
		t.Error("an unknown option is taken without the request")
	}
}

func TestFilesOfOptions(t *testing.T) {
	folder := t.TempDir()
	inner, outer := filepath.Join(folder, "inner"), filepath.Join(folder, "outer")
	for name, text := range map[string]string{
		inner: "-O2\n-Xcompiler \"-Wall,-O1\"\n", outer: "-DA=1 --options-file " + inner + "\nb.cu\n", filepath.Join(folder, "loop"): "--options-file " + filepath.Join(folder, "loop"),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j, err := ParseArgs([]string{"a.cu", "-optf", outer, "-o", "x"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, j.Host, "-Wall", "-O1")
	same(t, j.Macros, "-DA=1")
	if len(j.Inputs) != 2 || j.Inputs[1].Path != "b.cu" || j.Level != "-O2" || j.Output != "x" {
		t.Errorf("%+v", j)
	}
	if j, err = ParseArgs([]string{"a.o", "@" + inner, "-isystem=/x"}); err != nil || j.Level != "-O2" || len(j.Inputs) != 1 {
		t.Errorf("%+v, %v", j, err)
	}
	same(t, j.Both, "-isystem", "/x")
	for _, bad := range []string{filepath.Join(folder, "loop"), filepath.Join(folder, "nothing")} {
		if _, err := ParseArgs([]string{"a.cu", "--options-file", bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
		if _, err := ParseArgs([]string{"a.cu", "@" + bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("@%s: %v", bad, err)
		}
	}
}

// What the build makes and removes is no part of a list for make.
func TestListsForMakeLackWhatGoes(t *testing.T) {
	b := &Builder{work: "/tmp/warptape-cc-1"}
	in := "a.o: a.cu \\\n /tmp/warptape-cc-1/macros.h b.h \\\n  /tmp/warptape-cc-1/overlayk.h\n/tmp/warptape-cc-1/macros.h:\nb.h:\n"
	if got, want := string(b.stay([]byte(in))), "a.o: a.cu \\\n b.h \\\n \nb.h:\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestDebugInformationOfTheHost(t *testing.T) {
	for _, o := range []string{"-g", "-g3", "-ggdb", "-ggdb3", "-gdwarf-4"} {
		j, err := ParseArgs([]string{o, "a.cu"})
		if err != nil {
			t.Errorf("%s: %v", o, err)
			continue
		}
		same(t, j.Host, o)
	}
	if _, err := ParseArgs([]string{"-g9", "a.cu"}); err == nil {
		t.Error("-g9 is taken")
	}
}

func TestProgramsOf32BitsAreRefused(t *testing.T) {
	for _, o := range [][]string{{"-m32"}, {"-m", "32"}, {"--machine=32"}, {"-Xcompiler", "-O2,-m32"}, {"-m", "16"}} {
		if _, err := ParseArgs(append(o, "a.cu")); err == nil || !strings.Contains(err.Error(), "-m") {
			t.Errorf("%q: %v", o, err)
		}
	}
	for _, o := range [][]string{{"-m64"}, {"-m", "64"}, {"--machine=64"}, {"-Xcompiler", "-m64"}} {
		if _, err := ParseArgs(append(o, "a.cu")); err != nil {
			t.Errorf("%q: %v", o, err)
		}
	}
}
