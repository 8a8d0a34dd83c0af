// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// The device's own malloc gives addresses that a recording does not know. So kernels get memory
// from the host's heap, behind the program's buffers, by two functions that the text gets. They
// give what the host's allocator would: each piece lies behind the one before, and no address is
// given twice. A table has the size of each piece, from which the host learns what there is.

// The heap is in memory of the device. These are the places of its fields in bytes.
const (
	HeapNext  = 0  // u64: where the next piece begins, a multiple of HeapAlign
	HeapEnd   = 8  // u64: where memory ends
	HeapUsed  = 16 // u64: bytes of all pieces that are not freed
	HeapLimit = 24 // u64: how many they may be
	HeapWrong = 32 // u64: an address that was freed and is no piece's
	HeapFull  = 40 // u32: 1 where memory ended before the limit was reached
	HeapBase  = 48 // u64: where memory begins
	HeapTable = 64 // u32 for each HeapAlign bytes of memory from HeapBase on
	HeapAlign = 256
	// HeapFreed is set in the table's entry of a piece that was freed, whose size is in the
	// other bits.
	HeapFreed = 1 << 31
)

// allocator reports whether a function is one of the device's allocator.
func allocator(f *ptx.Function) bool {
	return !f.Defined && (f.Name == "malloc" || f.Name == "free")
}

// Allocates reports whether a kernel takes memory from the device's heap, or gives it back.
func Allocates(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool {
		return slices.ContainsFunc(in.Callees(k.PTX.Module), allocator)
	})
}

// providedName is the name of a function that the device or the added text provides.
func (r *rewriter) providedName(f *ptx.Function) string {
	if allocator(f) {
		return r.name() + "_" + f.Name
	}
	return f.Name
}

// replaceAllocator puts the added functions in the place of the device's.
func (r *rewriter) replaceAllocator(in *ptx.Instruction, from, to int) error {
	f := in.Called()
	if f == nil || !allocator(f) {
		return nil
	}
	r.line("// added: %s from the host's heap", f.Name)
	return r.replaceWord(in, from, to, f.Name, r.providedName(f))
}

// declareAllocator puts the two functions in the place of the declarations of the device's, so that
// other functions have the places among all that they had.
func (r *rewriter) declareAllocator(k *contaminator.Kernel) {
	if r.allocates || !Allocates(k) {
		return
	}
	r.allocates = true
	names := strings.NewReplacer("@WT", r.name(), "@CONTROL", fmt.Sprint(ControlHeap), "@NEXT", fmt.Sprint(HeapNext), "@END", fmt.Sprint(HeapEnd), "@USED", fmt.Sprint(HeapUsed),
		"@LIMIT", fmt.Sprint(HeapLimit), "@WRONG", fmt.Sprint(HeapWrong), "@FULL", fmt.Sprint(HeapFull), "@BASE", fmt.Sprint(HeapBase), "@TABLE", fmt.Sprint(HeapTable))
	for name, text := range map[string]string{"malloc": mallocText, "free": freeText} {
		for _, at := range r.declarationsOf(name) {
			r.edits = append(r.edits, edit{at[0], at[1], names.Replace(text)})
			text = "/* left out: another declaration of " + name + " */"
		}
	}
}

// functionHead is what a function's declaration begins with, up to its name.
var functionHead = pattern(`(\.(extern|visible|weak)\s+)*\.func$`)

// declarationsOf finds the declarations of a function that the module does not define.
func (r *rewriter) declarationsOf(name string) (list [][2]int) {
	text := r.module.Text
	for at := r.source.find(0, ".func"); at < len(text); at = r.source.find(at, ".func") {
		at += len(".func")
		end := r.source.declarationEnd(at)
		if !declares(text[at:end], name) {
			continue
		}
		if end < len(text) && text[end] == ';' {
			end++
		}
		from := max(at-headBefore, 0)
		list = append(list, [2]int{from + functionHead().FindIndex(text[from:at])[0], end})
	}
	return list
}

// headBefore is how far before a function's .func its linkage may begin.
const headBefore = 100

// leftAllocating reports whether a function calls the allocator whose declarations are gone.
func (r *rewriter) leftAllocating(in *ptx.Instruction) bool {
	return r.allocates && slices.ContainsFunc(in.Callees(r.module), allocator)
}

const mallocText = `// added: malloc from the host's heap
.func (.param .b64 result) @WT_malloc(.param .b64 bytes)
{
	.reg .pred %p;
	.reg .b32 %size;
	.reg .b64 %n, %heap, %limit, %old, %new, %seen, %at, %place;
	ld.param.u64 %n, [bytes];
	mov.u64 %at, 0;
	ld.global.u64 %heap, [@WT_control+@CONTROL];
	ld.global.u64 %limit, [%heap+@LIMIT];
	setp.eq.u64 %p, %n, 0;
	@%p bra GIVE;
	setp.gt.u64 %p, %n, %limit;
	@%p bra GIVE;
	ld.volatile.global.u64 %old, [%heap+@USED];
AGAIN:
	// null where the heap has no room
	add.u64 %new, %old, %n;
	setp.gt.u64 %p, %new, %limit;
	@%p bra GIVE;
	atom.global.cas.b64 %seen, [%heap+@USED], %old, %new;
	setp.eq.u64 %p, %seen, %old;
	mov.u64 %old, %seen;
	@!%p bra AGAIN;
	add.u64 %new, %n, 255;
	and.b64 %new, %new, 0xffffffffffffff00;
	atom.global.add.u64 %at, [%heap+@NEXT], %new;
	add.u64 %new, %at, %n;
	ld.global.u64 %limit, [%heap+@END];
	setp.gt.u64 %p, %new, %limit;
	@%p bra FULL;
	// the table has the size
	ld.global.u64 %place, [%heap+@BASE];
	sub.u64 %place, %at, %place;
	shr.u64 %place, %place, 6;
	add.u64 %place, %place, %heap;
	cvt.u32.u64 %size, %n;
	st.global.u32 [%place+@TABLE], %size;
	bra GIVE;
FULL:
	mov.u64 %at, 0;
	mov.u32 %size, 1;
	st.global.u32 [%heap+@FULL], %size;
GIVE:
	st.param.b64 [result], %at;
	ret;
}
`

const freeText = `// added: free of the host's heap
.func @WT_free(.param .b64 address)
{
	.reg .pred %p;
	.reg .b32 %size;
	.reg .b64 %at, %heap, %end, %place, %n;
	ld.param.u64 %at, [address];
	setp.eq.u64 %p, %at, 0;
	@%p bra END;
	ld.global.u64 %heap, [@WT_control+@CONTROL];
	ld.global.u64 %place, [%heap+@BASE];
	ld.global.u64 %end, [%heap+@END];
	sub.u64 %end, %end, %place;
	sub.u64 %place, %at, %place;
	setp.ge.u64 %p, %place, %end;
	@%p bra WRONG;
	and.b64 %n, %place, 255;
	setp.ne.u64 %p, %n, 0;
	@%p bra WRONG;
	shr.u64 %place, %place, 6;
	add.u64 %place, %place, %heap;
	atom.global.or.b32 %size, [%place+@TABLE], 0x80000000;
	// only what is there, and was not freed before
	setp.le.s32 %p, %size, 0;
	@%p bra WRONG;
	cvt.u64.u32 %n, %size;
	neg.s64 %n, %n;
	atom.global.add.u64 %n, [%heap+@USED], %n;
	bra END;
WRONG:
	mov.u64 %n, 0;
	atom.global.cas.b64 %n, [%heap+@WRONG], %n, %at;
END:
	ret;
}
`
