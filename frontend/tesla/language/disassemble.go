// SPDX-License-Identifier: Apache-2.0

package language

import (
	"fmt"
	"strings"
)

// Disassemble gives the text of a kernel, which Assemble reads back: the directives,
// then one instruction a line, with labels where branches and SSY lead.
func (k *Kernel) Disassemble() string {
	b := new(strings.Builder)
	fmt.Fprintf(b, ".grid %d %d %d\n.block %d %d %d\n", k.Grid.X, k.Grid.Y, k.Grid.Z, k.Block.X, k.Block.Y, k.Block.Z)
	if !k.WarpsImplied {
		fmt.Fprintf(b, ".warps %d\n", k.WarpsPerBlock)
	}
	fmt.Fprintf(b, ".registers %d\n", k.RegistersPerThread)
	writeWords(b, ".params", k.Parameters)
	writeWords(b, ".const", k.Constants)
	writeWords(b, ".data", k.Data)
	names := k.targets()
	for i, in := range k.Instructions {
		if name, ok := names[i]; ok {
			fmt.Fprintf(b, "%s:\n", name)
		}
		fmt.Fprintf(b, "\t%s\n", k.text(in, names))
	}
	return b.String()
}

// text is an instruction with the name of its label, where it has one.
func (k *Kernel) text(in Instruction, names map[int]string) string {
	name, ok := names[int(in.Immediate)]
	switch {
	case !ok || in.Unused != 0:
	case in.Opcode == SSY:
		return fmt.Sprintf("%s %s", in.Opcode, name)
	case in.Branches():
		return fmt.Sprintf("%s r%d, %s", in.Opcode, in.A, name)
	}
	return in.String()
}

// targets names the addresses to which branches and SSY lead, by the kernel's own names
// where it has some.
func (k *Kernel) targets() map[int]string {
	own := map[int]string{}
	prefix := "L"
	for _, l := range k.Labels {
		if own[l.Address] == "" {
			own[l.Address] = l.Name
		}
		for strings.HasPrefix(l.Name, prefix) {
			prefix = "_" + prefix
		}
	}
	names := map[int]string{}
	for _, in := range k.Instructions {
		address := int(in.Immediate)
		if !in.Branches() && in.Opcode != SSY || address >= len(k.Instructions) {
			continue
		}
		if names[address] = own[address]; names[address] == "" {
			names[address] = fmt.Sprintf("%s%d", prefix, address)
		}
	}
	return names
}

// wordsPerLine is how many words of a memory are written in a line.
const wordsPerLine = 16

func writeWords(b *strings.Builder, directive string, words []uint32) {
	for len(words) > 0 {
		n := min(len(words), wordsPerLine)
		b.WriteString(directive)
		for _, w := range words[:n] {
			fmt.Fprintf(b, " %d", w)
		}
		b.WriteByte('\n')
		words = words[n:]
	}
}
