// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// kinds are what statements draw, by text that no other statement writes.
var kinds = map[string]*regexp.Regexp{
	"branch of some lanes":      regexp.MustCompile(`@!%c\d+ bra L\d+;`),
	"indexed branch":            regexp.MustCompile(`brx\.idx %n\d+, L\d+;`),
	"loop":                      regexp.MustCompile(`setp\.gt\.s32 %c\d+, %n\d+, 0;`),
	"early exit":                regexp.MustCompile(`@%c\d+ exit;`),
	"call":                      regexp.MustCompile(`call(?:\.uni)? \((?:r|%b32_\d)\), f\d, `),
	"call by a pointer":         regexp.MustCompile(`call \(r\), %z64, `),
	"lanes' exchange":           regexp.MustCompile(`(?:vote|match|shfl|redux)\.\S+ .*%mask\d+;`),
	"chain of carries":          regexp.MustCompile(`(?:addc|subc|madc)\.`),
	"element of a vector":       regexp.MustCompile(`(?:mov\.b32 %v\.[xyzw], %b32_|%b32_\d, %v\.)`),
	"asynchronous copy":         regexp.MustCompile(`cp\.async\.c[ag]\.shared\.global`),
	"barrier with a reduction":  regexp.MustCompile(`bar\.red\.popc`),
	"barrier that some pass":    regexp.MustCompile(`bar\.arrive 4, (\d+);`),
	"barrier in a register":     regexp.MustCompile(`bar(?:rier)?\.sync %bar`),
	"another thread's word":     regexp.MustCompile(`min\.u32 %x32, %x32, \d+;`),
	"copy of one thread":        regexp.MustCompile(`cp\.async\.bulk`),
	"reduction that many share": regexp.MustCompile(`red\.\S+ \[%x64\+\d+\], `),
	"reduction of one's own":    regexp.MustCompile(`red\.\S+ \[%slot[gs]\+\d+\], `),
	"guarded instruction":       regexp.MustCompile(`@%pred_\d `),
	"negated guard":             regexp.MustCompile(`@!%pred_\d `),
	"surface by bytes":          regexp.MustCompile(`(?:sust|sured)\.b\.`),
	"texel of one's own":        regexp.MustCompile(`mad\.lo\.u32 %sx, %thread, 16, `),
	"number in an operand":      regexp.MustCompile(`(?:add|sub|mul|min|max|shl|shr)\.\S+ %[a-z]+\d+_\d, .*, \d+;`),
	"register of another type":  regexp.MustCompile(`\.u32 %[sbf]32_\d, `),
	"minus of an operand":       regexp.MustCompile(`vmad\..* -%`),
	"part of a register":        regexp.MustCompile(`%[us]32_\d\.[bh]\d`),
}

var (
	// called are the mask that a call gives, and the function.
	called = regexp.MustCompile(`mov\.b32 %n2, (\S+);[\s\S]*?\tcall\S* (?:\([^)]*\), )?(f\d), `)
	// exchanging is what lanes do together that a function was given.
	exchanging = regexp.MustCompile(`(?:vote|match|shfl|redux|elect)\.\S+ .*%mask0;`)
)

// All kinds of statements come among some programs, and registers of each type start with a value of
// their own.
func TestProgramsHaveAllKindsOfStatements(t *testing.T) {
	list, seen := forms(t), map[string]int{}
	lacks := func() bool {
		for name := range kinds {
			if seen[name] == 0 {
				return true
			}
		}
		return false
	}
	for seed := uint64(0); seed < 8 || seed < 60 && lacks(); seed++ {
		p := New(list, Options{Seed: seed, Statements: 60})
		for name, text := range kinds {
			seen[name] += len(text.FindAllString(p.Text, -1))
		}
		kernel := p.Text[strings.Index(p.Text, ".visible .entry drawn"):]
		prologue, _, _ := strings.Cut(kernel, "FILL:")
		for _, line := range regexp.MustCompile(`\.reg \.(\w+) %(\w+)_?<(\d+)>`).FindAllStringSubmatch(prologue, -1) {
			if line[2] != line[1] { // no pool
				continue
			}
			n, _ := strconv.Atoi(line[3])
			for i := range n {
				register := fmt.Sprintf("%%%s_%d,", line[1], i)
				if line[1] == "b128" {
					register = fmt.Sprintf("%%b128_%d, {", i)
				}
				if !strings.Contains(prologue, " "+register) {
					t.Errorf("seed %d: nothing is written to %s", seed, register)
				}
			}
		}
		if want := fmt.Sprintf("mad.lo.u32 %%y32, %%x32, %d, %%y32;", (p.Block+31)/32); !strings.Contains(prologue, want) {
			t.Errorf("seed %d: of %d threads it has no %q", seed, p.Block, want)
		}
		if strings.Contains(p.Text, "[%u64_") {
			t.Errorf("seed %d: an address is whatever a register has", seed)
		}
		for _, c := range called.FindAllStringSubmatch(p.Text, -1) {
			_, body, _ := strings.Cut(p.Text, " "+c[2]+"(.")
			_, body, _ = strings.Cut(body, "\n{\n")
			body, _, _ = strings.Cut(body, "\n}\n")
			if c[1] == "0" && exchanging.MatchString(body) {
				t.Errorf("seed %d: %s exchanges values of lanes, and a call does not name the lanes", seed, c[2])
			}
		}
		// Memory for matrices begins behind what threads have, and ends with the output.
		whole := *p
		whole.Matrices = true
		if want := fmt.Sprintf("add.u64 %%warp, %%warp, %d;", whole.OutputBytes()-p.Grid*((p.Block+31)/32)*WarpBytes); !strings.Contains(prologue, want) {
			t.Errorf("seed %d: of %d threads it has no %q", seed, p.Grid*p.Block, want)
		}
	}
	for name := range kinds {
		if seen[name] == 0 {
			t.Errorf("no program has: %s", name)
		}
	}
}

// The elements of a vector are different registers; a vector with more elements than a type has
// registers is not written.
func TestVectorsAreOfDifferentRegisters(t *testing.T) {
	const line = "ld.global.v4.b32 {%b32_0, %b32_1, %b32_2, %b32_3}, [%slotg];"
	for _, registers := range []int{3, 4, 9} {
		g := &generator{Rand: rand.New(rand.NewPCG(1, 1)), per: registers}
		for range 20 {
			text := g.fill(line, true)
			if (text == "") != (registers < 4) {
				t.Fatalf("with %d registers of a type: %q", registers, text)
			}
			different := map[string]bool{}
			for _, r := range register.FindAllString(text, -1) {
				different[r] = true
			}
			if text != "" && len(different) != 4 {
				t.Errorf("%q", text)
			}
		}
	}
}

// Moves that take a register apart write two registers, which there are, and read one.
func TestMovesWriteRegistersThatThereAre(t *testing.T) {
	list, apart := forms(t), 0
	pair := regexp.MustCompile(`mov\.\w+ \{%\w+_(\S+), %\w+_(\S+)\}, %\w+_(\S+);`)
	for _, registers := range []int{3, 4, 9} {
		g := &generator{Rand: rand.New(rand.NewPCG(1, 1)), forms: list, p: &Program{}, per: registers, b: new(strings.Builder)}
		for range 300 {
			g.move()
		}
		for _, m := range pair.FindAllStringSubmatch(g.b.String(), -1) {
			apart++
			for _, number := range m[1:] {
				if n, err := strconv.Atoi(number); err != nil || n < 0 || n >= registers || m[1] == m[2] {
					t.Errorf("with %d registers of a type: %s", registers, m[0])
				}
			}
		}
	}
	if apart < 50 {
		t.Errorf("%d registers are taken apart", apart)
	}
}

// Products of sparse matrices name places of elements that are there; any other word is undefined.
func TestSparseProductsNamePlacesOfElements(t *testing.T) {
	list, sparse := forms(t), 0
	g := &generator{Rand: rand.New(rand.NewPCG(1, 1)), forms: list, p: &Program{}, per: perType}
	for _, line := range list.lines["mma"] {
		mnemonic, _, _ := strings.Cut(line, " ")
		if !strings.Contains(mnemonic, ".sp") {
			continue
		}
		sparse++
		setup, text, ok := g.addressed("mma", mnemonic, line, scope{})
		if ok && (!strings.Contains(setup, "mov.b32 %y32, 0x44444444;") || !strings.Contains(text, ", %y32, ")) {
			t.Errorf("%q is drawn as %q %q", line, setup, text)
		}
	}
	if sparse == 0 {
		t.Error("the table has no sparse product")
	}
}

// What threads store to surfaces is a texel of their own, by its place in bytes or in texels.
func TestThreadsStoreToTexelsOfTheirOwn(t *testing.T) {
	list := forms(t)
	g := &generator{Rand: rand.New(rand.NewPCG(1, 1)), forms: list, p: &Program{}, per: perType}
	drawn := map[string]int{}
	for _, name := range []string{"sust", "sured"} {
		for _, line := range list.lines[name] {
			setup, text, ok := g.sampled(line)
			if !ok {
				continue
			}
			way := strings.Join(strings.Split(text, ".")[:2], ".")
			drawn[way]++
			own := map[string]string{"sust.b": "mad.lo.u32 %sx, %thread, 16, ", "sust.p": "mov.b32 %sx, %thread;", "sured.b": "mad.lo.u32 %sx, %thread, 16, ", "sured.p": "mov.b32 %sx, %thread;"}[way]
			if _, behind, found := strings.Cut(setup, own); !found || strings.Contains(behind, "%sx,") || !strings.Contains(text, "%sx") {
				t.Errorf("%q is drawn as %q %q", line, setup, text)
			}
		}
	}
	if len(drawn) != 4 {
		t.Errorf("%v", drawn)
	}
}
