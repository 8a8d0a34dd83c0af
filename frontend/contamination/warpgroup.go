// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// By segments one warp runs, but wgmma.mma_async (9.7.15.5) is of the four warps of a warpgroup.
// So the other three execute the products of the segment as well, and nothing else of it: they
// go from one product to the next. What the warp that runs has in its registers of factors and
// predicates they get from global memory. Their sums are lost; each warp has its own in its turn.
//
// The factors in shared memory are what they were when the first warp of the four had its
// turn. A warp that has waited for the product may write them anew, and runs before the
// others do. So that first turn keeps shared memory, and the other three put it back for
// the product.
//
// Fences, commits and waits of the kernel are done at each product, which has ended then. So no
// sums are on their way at a segment's end.

// Products are the products of warpgroups in a segment.
type Products struct {
	// Entry is the segment's place among those with products.
	Entry int
	// Instructions are the products. Starts has those before which shared memory is put
	// back, by their places in it: between two of them nothing accesses memory.
	Instructions []int
	Starts       []int
}

// Factors are the words that a product has from the warp that runs, 64 bits each, in this order.
func Factors(in *ptx.Instruction) (list []*ptx.Register) {
	if in.Guard.Register != nil {
		list = append(list, in.Guard.Register)
	}
	for i := range in.Operands {
		if o := &in.Operands[i]; o.Kind == ptx.OperandRegister && i > 0 {
			list = append(list, o.Register)
		}
	}
	return list
}

// Descriptors are the places of the matrix descriptors among a product's factors, -1 where a is
// in registers.
func Descriptors(in *ptx.Instruction) (a, b int) {
	list := Factors(in)
	a = -1
	if o := &in.Operands[1]; o.Kind == ptx.OperandRegister {
		a = slices.Index(list, o.Register)
	}
	return a, slices.Index(list, in.Operands[2].Register)
}

// FactorBytes is the room of a product's factors.
const FactorBytes = 64

// productsOf finds the products of a kernel's segments.
func productsOf(k *contaminator.Kernel) map[int]*Products {
	all := map[int]*Products{}
	for id := range k.Segments {
		s := &k.Segments[id]
		apart := true
		for i := s.First; i < s.First+s.Count; i++ {
			in := &k.PTX.Body[i]
			if !in.MultipliesGroups() {
				apart = apart || k.Static.Instructions[i].Class.IsMemory() || in.Bulk()
				continue
			}
			if all[id] == nil {
				all[id] = &Products{Entry: len(all)}
			}
			p := all[id]
			if apart {
				p.Starts = append(p.Starts, len(p.Instructions))
			}
			p.Instructions, apart = append(p.Instructions, i), false
		}
	}
	return all
}

// multipliesInFunctions reports whether functions of a kernel have products.
func multipliesInFunctions(k *contaminator.Kernel) bool {
	for id := range productsOf(k) {
		if k.Segments[id].Unit > 0 {
			return true
		}
	}
	return false
}

func multiplies(kernels []*contaminator.Kernel) bool {
	return slices.ContainsFunc(kernels, func(k *contaminator.Kernel) bool { return len(productsOf(k)) > 0 })
}

// MostProducts gives the largest numbers of products, and of their starts, in a segment.
func (s *State) MostProducts() (products, starts int) {
	for _, p := range s.Products {
		products, starts = max(products, len(p.Instructions)), max(starts, len(p.Starts))
	}
	return products, starts
}

func (r *rewriter) declareProducts() {
	r.line("// added: registers of products of warpgroups")
	r.line(".reg .pred $helps, $later;")
	r.line(".reg .b32 $member;")
	r.line(".reg .b64 $products, $kept;")
}

// enterProducts writes where the other warps of the warpgroup that runs go.
func (r *rewriter) enterProducts(k *Kernel) {
	c := r.name()
	turn, targets := fmt.Sprintf("\x00%s_turn_%s", c, k.PTX.Name), fmt.Sprintf("\x00%s_products_%s", c, k.PTX.Name)
	r.line("ld.global.u64 $products, [%s_control+%d];", c, ControlProducts)
	r.line("and.b32 $member, $thread, 127;")
	r.line("setp.ne.u32 $helps, $t, $u;")
	r.line("@!$helps bra %s;", turn)
	r.line("// added: the other warps of a warpgroup go to its products, if there are any")
	r.line("xor.b32 $t, $t, $u;")
	r.line("setp.gt.u32 $others, $t, 3;")
	r.line("@$others exit;")
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunProducts)
	r.line("setp.ge.u32 $others, $u, %d;", len(k.Products))
	r.line("@$others exit;")
	labels := make([]string, len(k.Products))
	helped := map[int]string{} // functions with products, by unit
	for id, p := range k.Products {
		unit := k.Segments[id].Unit
		if labels[p.Entry] = r.productLabel(k, id, 0); unit > 0 {
			helped[unit] = fmt.Sprintf("$%s_help_%s_%d", c, k.PTX.Name, unit)
			labels[p.Entry] = helped[unit]
		}
	}
	r.b.WriteString(strings.ReplaceAll(fmt.Sprintf("%s: .branchtargets ", targets), "\x00", "$") + strings.Join(labels, ", ") + ";\n")
	r.line("brx.idx $u, %s;", targets)
	for _, unit := range slices.Sorted(maps.Keys(helped)) {
		r.b.WriteString(helped[unit] + ":\n")
		r.line("// added: they come to those of function %s by the same call", verbatim(k.Frames[unit].name))
		r.line("mov.u32 $u, %d;", k.Frames[unit].number)
		r.line("bra %s;", r.functionsLabel(k))
	}
	r.b.WriteString(strings.ReplaceAll(turn, "\x00", "$") + ":\n")
}

// productsIn lists a unit's segments with products.
func productsIn(k *Kernel, unit int) (list []int) {
	for _, id := range k.Frames[unit].Segments {
		if k.Products[id] != nil {
			list = append(list, id)
		}
	}
	return list
}

// enterHelped writes where the other warps of the warpgroup that runs go in a function.
func (r *rewriter) enterHelped(k *Kernel, unit int) {
	list := productsIn(k, unit)
	if len(list) == 0 {
		return
	}
	c, own := r.name(), r.newLabel("turn")
	r.line("// added: the other warps of a warpgroup go to the products")
	r.line("ld.global.u64 $products, [%s_control+%d];", c, ControlProducts)
	r.line("and.b32 $member, $thread, 127;")
	r.line("shr.u32 $t, $thread, 5;")
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunWarp)
	r.line("setp.ne.u32 $helps, $t, $u;")
	r.line("@!$helps bra %s;", verbatim(own))
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunProducts)
	for _, id := range list {
		r.line("setp.eq.u32 $more, $u, %d;", k.Products[id].Entry)
		r.line("@$more bra %s;", verbatim(r.productLabel(k, id, 0)))
	}
	r.b.WriteString(own + ":\n")
}

func (r *rewriter) productLabel(k *Kernel, segment, n int) string {
	return fmt.Sprintf("$%s_product_%s_%d_%d", r.name(), k.PTX.Name, segment, n)
}

// product writes what comes before and behind a product. Other instructions of wgmma are done
// there.
func (r *rewriter) product(k *Kernel, segment, index, from, to int) {
	in := &k.PTX.Body[index]
	if in.Op == ptx.OpWgmma && !in.MultipliesGroups() || in.Op == ptx.OpSetmaxnreg {
		r.comment(map[bool]string{true: "at each product", false: "of a whole warpgroup"}[in.Op == ptx.OpWgmma], from, to)
	}
	if !in.MultipliesGroups() {
		return
	}
	p := k.Products[segment]
	n := slices.Index(p.Instructions, index)
	start := slices.Index(p.Starts, n)
	r.line("// added: the warpgroup's other warps come to the product, with this warp's factors")
	for i, f := range Factors(in) {
		r.move(f, "products", uint64(FactorBytes*n+8*i), false)
	}
	if start >= 0 {
		r.endCopies(k)
	}
	r.b.WriteString(r.productLabel(k, segment, n) + ":\n")
	r.meetGroup()
	if start >= 0 {
		r.startProducts(k, start)
	}
	stays := r.newLabel("own")
	r.line("@!$helps bra %s;", verbatim(stays))
	for i, f := range Factors(in) {
		r.move(f, "products", uint64(FactorBytes*n+8*i), true)
	}
	r.b.WriteString(stays + ":\n")
	r.line("wgmma.fence.sync.aligned;")
	before := r.take()
	r.line("wgmma.commit_group.sync.aligned;")
	r.line("wgmma.wait_group.sync.aligned 0;")
	if n+1 == len(p.Instructions) || slices.Contains(p.Starts, n+1) {
		r.endProducts(k)
	}
	if n+1 == len(p.Instructions) {
		r.line("@$helps exit;")
	} else {
		r.line("@$helps bra %s;", verbatim(r.productLabel(k, segment, n+1)))
	}
	r.behind(in, to, before)
}

// meetGroup waits for the four warps. By segments the kernel's own barriers are the host's.
func (e *emitter) meetGroup() { e.line("bar.sync 1, 128;") }

// startProducts writes the code that keeps shared memory for the other warps' turns, or puts
// back what the first one has kept.
func (r *rewriter) startProducts(k *Kernel, start int) {
	c := r.name()
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlRunKept)
	r.line("setp.gt.u32 $later, $u, %d;", start)
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlKeptBytes)
	products, _ := k.MostProducts()
	r.line("cvt.u64.u32 $kept, $u;")
	r.line("mul.lo.u64 $d, $kept, %d;", start+1)
	r.line("add.s64 $d, $d, $products;")
	r.line("add.s64 $d, $d, %d;", FactorBytes*products)
	r.line("add.s64 $kept, $products, %d;", FactorBytes*products)
	first := r.newLabel("first")
	r.line("@$later bra %s;", verbatim(first))
	r.line("mov.b64 $kept, $d;")
	r.b.WriteString(first + ":\n")
	r.copyKept(k, false)
	begins := r.newLabel("begins")
	r.line("@!$later bra %s;", verbatim(begins))
	r.line("ld.global.u32 $u, [%s_control+%d];", c, ControlKeptBytes)
	r.line("cvt.u64.u32 $d, $u;")
	r.line("mul.lo.u64 $d, $d, %d;", start+1)
	r.line("add.s64 $kept, $kept, $d;")
	r.copyKept(k, true)
	r.b.WriteString(begins + ":\n")
	r.meetGroup()
	r.line("fence.proxy.async;")
}

// endProducts writes the code that makes shared memory what it was before the products.
func (r *rewriter) endProducts(k *Kernel) {
	products, _ := k.MostProducts()
	ends := r.newLabel("ends")
	r.line("@!$later bra %s;", verbatim(ends))
	r.meetGroup()
	r.line("add.s64 $kept, $products, %d;", FactorBytes*products)
	r.copyKept(k, true)
	r.meetGroup()
	r.b.WriteString(ends + ":\n")
}

// copyKept copies shared memory to where $kept points, or from there, by a warpgroup.
func (r *rewriter) copyKept(k *Kernel, in bool) {
	r.copySharedBy(k, in, copiers{to: "$kept", first: "$member", step: "128"})
}
