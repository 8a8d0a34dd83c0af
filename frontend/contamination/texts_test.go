// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace/tracetest"
)

// rewritten rewrites each kernel of a text by itself in both modes, and reads it again.
func rewritten(t *testing.T, file string, text []byte) {
	t.Helper()
	m, err := ptx.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range m.Kernels {
		k, err := contaminator.Contaminate(kernel)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []Mode{Straight, Segments} {
			if Check(mode, k) != nil {
				continue // TestRefusals has why
			}
			r, err := Rewrite([]*contaminator.Kernel{k}, Options{Mode: mode, Alone: true})
			var again *ptx.Module
			if err == nil {
				again, err = ptx.Parse("again.ptx", r.Text)
			}
			if err == nil {
				err = newWarnings(m, again)
			}
			if err != nil {
				t.Errorf("%s, kernel %s, %s: %v", file, k.PTX.Name, mode, err)
			}
		}
	}
}

// newWarnings is an error for what a module uses that its .version or .target does not have, where
// the one before does not use it as well: a driver would refuse it.
func newWarnings(before, after *ptx.Module) error {
	for _, w := range after.Warnings {
		if !slices.ContainsFunc(before.Warnings, func(b ptx.Warning) bool { return b.Message == w.Message }) {
			return errors.New(w.String())
		}
	}
	return nil
}

// What is added is there in the version and for the target that the text says, from the oldest
// that are contaminated on; for each the text says no more than it needs.
func TestWhatIsAddedIsThereForTheTarget(t *testing.T) {
	for header, body := range map[string]string{
		".version 3.1\n.target sm_20": "",
		".version 3.1\n.target sm_30": "shfl.down.b32 %r1, %r1, 1, 31;",
		".version 5.0\n.target sm_52": "vote.ballot.b32 %r1, %p;",
		".version 6.0\n.target sm_70": "match.any.sync.b32 %r1, %r1, -1;",
		".version 6.3\n.target sm_75": "",
		".version 7.1\n.target sm_80": "cp.async.ca.shared.global [row], [%d], 4; redux.sync.add.s32 %r1, %r1, -1;",
		".version 8.0\n.target sm_90": "fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%d], [row], 16;",
		".version 9.1\n.target sm_90a": `barrier.cluster.arrive; barrier.cluster.wait; mapa.shared::cluster.u32 %r1, %r1, 0; elect.sync _|%p, -1;
	mbarrier.init.shared.b64 [row], 1; setmaxnreg.inc.sync.aligned.u32 64;`,
	} {
		rewritten(t, header+".ptx", []byte(header+`
.address_size 64
.global .texref picture;
.entry k(.param .u64 out)
{
	.shared .align 16 .b32 row[32]; .local .align 4 .b32 mine[2];
	.reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %d; .reg .pred %p;
	ld.param.u64 %d, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p, %r1, 3;
	st.local.b32 [mine], %r1; st.shared.b32 [row], %r1;
	@%p bra END;
	`+body+`
	bar.sync 0;
	tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [picture, {%r1}];
	atom.global.add.u32 %r1, [%d], 1;
	ld.shared.b32 %r1, [row];
END:	st.global.b32 [%d], %r1; ret;
}
`))
	}
}

// Texts of compilers, also with all that debuggers want: lines that tell of the source stand before
// braces and declarations.
func TestTextsOfCompilersAreRewritten(t *testing.T) {
	files, err := filepath.Glob("../ptx/testdata/[cn]*/*.ptx")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	files = append(tracetest.Draw(t, files, len(files)/tracetest.Fewer(10, 3)), "../emulator/testdata/images/images.ptx")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rewritten(t, file, text)
	}
}

// Instructions to which no path leads may name what is no longer there.
func TestInstructionsWithoutAPathAreLeftOut(t *testing.T) {
	rewritten(t, "dead.ptx", []byte(`.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.func (.param .b32 r) twice(.param .b32 a)
{
	.shared .align 4 .b32 kept; .reg .b32 %r<3>;
	ld.param.b32 %r1, [a]; st.shared.b32 [kept], %r1; bra END;
	{ .param .b32 q; .param .b32 s; st.param.b32 [q], %r1; call (s), twice, (q); ld.param.b32 %r1, [s]; ld.shared.b32 %r2, [kept]; }
END:	st.param.b32 [r], %r1; ret;
}
.visible .entry dead()
{
	.param .b32 result; .param .b32 argument; .reg .b32 %r<3>; .reg .b64 %d<3>;
	{ .param .b64 n; .param .b64 p; st.param.b64 [n], 8; call (p), malloc, (n); ld.param.b64 %d1, [p]; }
	st.param.b32 [argument], 1; call (result), twice, (argument); bra OUT;
	{ .param .b64 n; .param .b64 p; st.param.b64 [n], 8; call (p), malloc, (n); ld.param.b64 %d1, [p]; }
AGAIN: st.param.b32 [argument], 3; call (result), twice, (argument); ld.param.b32 %r1, [result]; bra AGAIN;
OUT:	ret;
}
`))
}

// Each reason for which a kernel is refused has file, line, instruction and what to do.
func TestRefusals(t *testing.T) {
	header := ".version 8.6\n.target sm_90a\n.address_size 64\n"
	for name, c := range map[string]struct {
		text string
		mode Mode
		want []string
	}{
		"narrow addresses": {".version 7.0\n.target sm_50\n.address_size 32\n.entry k() { ret; }", Straight, []string{"r.ptx:4:", "kernel k", "addresses have 32 bits", "compile it with 64"}},
		"an old target":    {".version 1.4\n.target sm_13\n.entry k() { .reg .f32 %f; mov.f32 %f, 0f00000000; ret; }", Straight, []string{"r.ptx:3:", "other rules for .f32", "compile it for sm_20 or newer"}},
		"a part of a constant pointer": {header + ".entry k(.param .u64 .ptr .const .align 4 p) { .reg .b32 %r; ld.param.b32 %r, [p]; ret; }", Straight,
			[]string{"r.ptx:4:", "ld.param.b32", "parameter p points to constant memory", "load it as a whole"}},
		"an image of another kind": {header + ".extern .func (.param .b32 r) _Z11read_imagef20ocl_image2d_depth_ro11ocl_samplerDv2_i(.param .b64 i, .param .b64 s, .param .align 8 .b8 c[8]);\n.entry k() {\n.param .b64 i; .param .b64 s; .param .align 8 .b8 c[8]; .param .b32 r;\n" +
			"call (r), _Z11read_imagef20ocl_image2d_depth_ro11ocl_samplerDv2_i, (i, s, c); ret; }", Straight, []string{"r.ptx:7:", "call", "image2d_depth", "one to three dimensions"}},
		"an image function of other sizes": {header + ".extern .func (.param .align 16 .b8 r[16]) _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i(.param .b64 i, .param .b64 s, .param .b32 c);\n.entry k() {\n.param .b64 i; .param .b64 s; .param .b32 c; .param .align 16 .b8 r[16];\n" +
			"call (r), _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i, (i, s, c); ret; }", Segments, []string{"r.ptx:7:", "call", "otherwise than clang declares it"}},
		"the allocator through a pointer": {header + ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.entry k() { .reg .b64 %d; .param .b64 r; .param .b64 n; mov.u64 %d, malloc;\nP: .callprototype (.param .b64 _) _ (.param .b64 _);\ncall (r), %d, (n), P; ret; }", Straight,
			[]string{"r.ptx:7:", "malloc through a pointer", "call it by its name"}},
		"a pointer to what is elsewhere": {header + ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.entry k() { .reg .b64 %d; .param .b64 r; .param .b64 n; mov.u64 %d, malloc;\nP: .callprototype (.param .b64 _) _ (.param .b64 _);\ncall (r), %d, (n), P; ret; }", Segments,
			[]string{"r.ptx:7:", "which is not in this module", "straight through"}},
		"a carry from before a call": {header + ".func f() { ret; }\n.entry k() { .reg .u32 %r; add.cc.u32 %r, %r, 1; call f;\naddc.u32 %r, %r, 0; ret; }", Segments, []string{"r.ptx:6:", "addc.u32", "does not preserve it", "put it into a register"}},
	} {
		m, err := ptx.Parse("r.ptx", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		k, err := contaminator.Contaminate(m.Kernels[0])
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = Check(c.mode, k)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}
