// SPDX-License-Identifier: Apache-2.0

package randomptx

import (
	"fmt"
	"slices"
	"strings"
)

// place is the text of an address, with what computes it.
type place struct{ setup, text string }

// within is a multiple of step, below limit.
func (g *generator) within(limit, step int) int { return g.IntN(max(limit/step, 1)) * step }

// sizeOf is the number of bytes that an instruction accesses, by its suffixes.
func sizeOf(suffixes []string) int {
	size, n := 4, 1
	for _, s := range suffixes {
		if w := widths[s]; w > 0 {
			size = max(w/8, 1)
		}
		switch s {
		case "v2", "v4", "v8":
			n = int(s[1] - '0')
		}
	}
	return size * n
}

// indexed is an address that depends on data, of a region of at least limit bytes behind base, in
// a register of 64 bits.
func (g *generator) indexed(base string, limit, size int) place {
	at := 1
	for at*2 <= limit/2 {
		at *= 2
	}
	return place{fmt.Sprintf("\tand.b32 %%x32, %%b32_%d, %d;\n\tcvt.u64.u32 %%x64, %%x32;\n\tadd.u64 %%x64, %%x64, %s;\n", g.IntN(g.per), (at-1)&^(size-1), base),
		fmt.Sprintf("[%%x64+%d]", g.within(limit-at, size))}
}

// reading gives an address to load from, and writing one to store to.
func (g *generator) reading(space string, size int, s scope) (place, bool) {
	switch space {
	case "global":
		if g.IntN(2) == 0 {
			return place{"", fmt.Sprintf("[%%slotg+%d]", g.within(SlotBytes, size))}, true
		}
		return g.indexed("%input", InputBytes, size), true
	case "shared":
		switch g.IntN(4) {
		case 0:
			return place{"", fmt.Sprintf("[%%slots+%d]", g.within(slotShared, size))}, true
		case 1:
			return place{"", fmt.Sprintf("[fixed+%d]", g.within(fixedBytes, size))}, true
		case 2: // an address of 64 bits
			p := g.indexed("%y64", fixedBytes, size)
			p.setup = "\tmov.u64 %y64, fixed;\n" + p.setup
			return p, true
		}
		return place{fmt.Sprintf("\tand.b32 %%x32, %%b32_%d, %d;\n\tmov.u32 %%y32, fixed;\n\tadd.u32 %%x32, %%x32, %%y32;\n", g.IntN(g.per), (fixedBytes-1)&^(size-1)), "[%x32]"}, true
	case "const":
		if g.IntN(2) == 0 {
			return place{"", fmt.Sprintf("[table+%d]", g.within(tableBytes, size))}, true
		}
		p := g.indexed("%y64", tableBytes, size)
		p.setup = "\tmov.u64 %y64, table;\n" + p.setup
		return p, true
	case "param":
		if s.function {
			return place{}, false
		}
		return place{"", fmt.Sprintf("[blob+%d]", g.within(blobBytes, size))}, true
	case "local":
		return g.local(size, s)
	}
	inner := []string{"global", "shared", "local", "const"}[g.IntN(4)]
	p, ok := g.reading(inner, size, s)
	return g.generic(p, inner), ok
}

func (g *generator) local(size int, s scope) (place, bool) {
	if s.function {
		return place{}, false
	}
	if g.IntN(2) == 0 {
		return place{"", fmt.Sprintf("[depot+%d]", g.within(localBytes, size))}, true
	}
	p := g.indexed("%y64", localBytes, size)
	p.setup = "\tmov.u64 %y64, depot;\n" + p.setup
	return p, true
}

// generic makes a generic address of a place in a space.
func (g *generator) generic(p place, space string) place {
	base, offset, _ := strings.Cut(strings.Trim(p.text, "[]"), "+")
	setup := p.setup
	switch base {
	case "%slots", "%x32":
		setup += fmt.Sprintf("\tcvt.u64.u32 %%z64, %s;\n", base)
		base = "%z64"
	case "%slotg", "%x64":
	default:
		setup += fmt.Sprintf("\tmov.u64 %%z64, %s;\n", base)
		base = "%z64"
	}
	setup += fmt.Sprintf("\tcvta.%s.u64 %%z64, %s;\n", space, base)
	if offset == "" {
		offset = "0"
	}
	return place{setup, "[%z64+" + offset + "]"}
}

func (g *generator) writing(space string, size int, s scope) (place, bool) {
	switch space {
	case "global":
		if g.IntN(2) == 0 {
			return place{"", fmt.Sprintf("[%%slotg+%d]", g.within(SlotBytes, size))}, true
		}
		return g.indexed("%slotg", SlotBytes, size), true
	case "shared":
		if g.IntN(2) == 0 {
			return place{"", fmt.Sprintf("[%%slots+%d]", g.within(slotShared, size))}, true
		}
		return place{fmt.Sprintf("\tand.b32 %%x32, %%b32_%d, %d;\n\tadd.u32 %%x32, %%x32, %%slots;\n", g.IntN(g.per), (slotShared-1)&^(size-1)), "[%x32]"}, true
	case "local":
		return g.local(size, s)
	case "const", "param":
		return place{}, false
	}
	inner := []string{"global", "shared", "local"}[g.IntN(3)]
	p, ok := g.writing(inner, size, s)
	return g.generic(p, inner), ok
}

// changing is an address of an atomic, which local memory has none of.
func (g *generator) changing(space string, size int, s scope) (place, bool) {
	if space != "" && space != "only" {
		return g.writing(space, size, s)
	}
	inner := "global"
	if space == "" && g.IntN(2) == 0 {
		inner = "shared"
	}
	p, ok := g.writing(inner, size, s)
	return g.generic(p, inner), ok
}

// words are the places among counters of what reductions of one kind change: those of two kinds do
// not commute.
var words = map[string]int{"add": 0, "min.u32": 1, "min.s32": 2, "max.u32": 3, "max.s32": 4, "and": 5, "or": 6, "xor": 7}

// counted is a word that many threads change by reductions of one kind; none if they do not commute.
func (g *generator) counted(suffixes []string) (place, bool) {
	kind, space := suffixes[len(suffixes)-1], "counters"
	if kind != "u32" && kind != "s32" && kind != "b32" {
		return place{}, false
	}
	for _, s := range suffixes {
		if s == "shared" {
			space = "tallies"
		}
	}
	for _, s := range suffixes {
		word, ok := words[s]
		if !ok {
			word, ok = words[s+"."+kind]
		}
		if ok {
			return place{fmt.Sprintf("\tand.b32 %%x32, %%b32_%d, 4;\n\tmov.u64 %%y64, %s;\n\tcvt.u64.u32 %%x64, %%x32;\n\tadd.u64 %%x64, %%x64, %%y64;\n", g.IntN(g.per), space), fmt.Sprintf("[%%x64+%d]", 8*word)}, true
		}
	}
	return place{}, false
}

const example = "[%u64_0+16]"

// access draws the address of a line that has one.
func (g *generator) access(line string, s scope) (string, string, bool) {
	name, _, _ := strings.Cut(line, " ")
	suffixes := strings.Split(name, ".")
	space := ""
	for _, x := range []string{"global", "shared", "local", "const", "param"} {
		if slices.Contains(suffixes, x) {
			space = x
		}
	}
	if (suffixes[0] == "atom" || suffixes[0] == "red") && space == "" && (slices.Contains(suffixes, "v2") || slices.Contains(suffixes, "v4") || slices.Contains(suffixes, "v8")) {
		space = "only" // vectors are reduced in global memory alone
	}
	size := sizeOf(suffixes)
	var p place
	ok := true
	switch op := suffixes[0]; op {
	case "ld", "ldu":
		switch {
		case slices.Contains(suffixes, "nc") || op == "ldu":
			p = g.indexed("%input", InputBytes, size)
			if space == "" {
				p = g.generic(p, "global")
			}
		default:
			p, ok = g.reading(space, size, s)
		}
	case "st":
		p, ok = g.writing(space, size, s)
	case "atom":
		p, ok = g.changing(space, size, s)
	case "red":
		if shared, fits := g.counted(suffixes); fits && space != "" && g.IntN(2) == 0 {
			p = shared
			break
		}
		p, ok = g.changing(space, size, s)
	case "wmma":
		g.p.Matrices = true
		p = place{"", "[%warp]"}
		if suffixes[1] == "load" && g.IntN(2) == 0 {
			p = place{"", "[%input]"}
		}
		if space == "" {
			p = g.generic(place{"", strings.Replace(p.text, "]", "+0]", 1)}, "global")
			if strings.Contains(p.setup, "mov.u64 %z64, %") {
				p.setup = strings.Replace(p.setup, "mov.u64", "mov.b64", 1)
			}
		} else if space == "shared" {
			return "", "", false
		}
	case "ldmatrix", "stmatrix":
		p = place{"", "[%slots+16]"}
		if space == "" {
			p = g.generic(p, "shared")
		}
	case "prefetch", "prefetchu", "applypriority", "discard", "fence", "createpolicy":
		switch {
		case space == "param" || space == "const" || strings.Contains(name, "tensormap"):
			return "", "", false
		case space == "local":
			p, ok = g.local(4, s)
		case space == "":
			p = g.generic(place{"", "[%slotg+0]"}, "global")
		default:
			p = place{"", "[%slotg]"}
		}
		line = strings.Replace(line, ", 1;", ", 128;", 1)
	case "txq", "suq":
		g.p.Textures = true
		p = place{"", fmt.Sprintf("[%%surface%d]", g.IntN(3*len(Geometries)))}
		if op == "txq" {
			p.text = fmt.Sprintf("[%%surface%d]", g.IntN(len(Geometries)))
		}
	default:
		return "", "", false
	}
	return p.setup, strings.Replace(line, example, p.text, 1), ok
}

// sampled draws the handle and coordinates of an access to a texture or surface.
func (g *generator) sampled(line string) (setup, text string, ok bool) {
	name, _, _ := strings.Cut(line, " ")
	suffixes := strings.Split(name, ".")
	geometry := slices.IndexFunc(Geometries, func(x string) bool { return slices.Contains(suffixes, x) })
	if geometry < 0 {
		return "", "", false
	}
	g.p.Textures = true
	handle := geometry
	switch suffixes[0] {
	case "suld":
		handle += len(Geometries)
	case "sust", "sured":
		handle += 2 * len(Geometries)
	}
	text = strings.Replace(line, "[%u64_0,", fmt.Sprintf("[%%surface%d,", handle), 1)
	if handle < len(Geometries) {
		return "", text, true
	}
	// Coordinates inside, or a thread's own texel, of 16 bytes.
	size := sizeOf(suffixes)
	x := fmt.Sprintf("\tand.b32 %%sx, %%b32_%d, %d;\n", g.IntN(g.per), 127&^(size-1))
	switch {
	case handle >= 2*len(Geometries) && suffixes[1] == "p":
		x = "\tmov.b32 %sx, %thread;\n"
	case handle >= 2*len(Geometries):
		x = fmt.Sprintf("\tmad.lo.u32 %%sx, %%thread, 16, %d;\n", g.within(16, size))
	}
	setup = x + fmt.Sprintf("\tand.b32 %%sy, %%b32_%d, 1;\n\tand.b32 %%sz, %%b32_%d, 1;\n", g.IntN(g.per), g.IntN(g.per))
	if handle >= 2*len(Geometries) {
		setup += "\tmov.b32 %sy, 0;\n\tmov.b32 %sz, 0;\n"
	}
	open := strings.Index(text, ", {")
	end := strings.Index(text, "}]")
	coordinates := map[string]string{"1d": "%sx", "2d": "%sx, %sy", "3d": "%sx, %sy, %sz, %sz", "a1d": "%sz, %sx", "a2d": "%sz, %sx, %sy, %sy"}[Geometries[geometry]]
	if n := strings.Count(text[open:end], ","); n == 3 && strings.Count(coordinates, ",") == 3 {
		coordinates = coordinates[:strings.LastIndex(coordinates, ",")]
	}
	return setup, text[:open] + ", {" + coordinates + text[end:], true
}
