// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/ptx"
)

// By segments no call is on the device's own stack. Each launch runs a segment of one unit,
// which the kernel calls and which comes back at the segment's end. A call writes a frame
// into the thread's state, and the unit and segment that come next; a return goes to what
// the frame says. Registers live in frames. Variables and arguments live in one variable of
// the kernel in local memory, at the places that they have in a trace.

// Frame is what a unit keeps of one activation between segments.
type Frame struct {
	// Bytes is the size of the frame; the kernel's is the state.
	Bytes uint64
	// Segments are the unit's, in order; the state names them by their places here.
	Segments []int
	name     string
	number   int    // of the unit in the state
	carry    uint64 // where it keeps the carry; zero where none lives
	landings []landing
	meetings []meeting
}

// landing is where a call comes back.
type landing struct{ call, to int } // instruction, segment

// The head of a thread's state, and of a frame. Where a kernel has no calls, the state
// begins with the segment alone.
const (
	stateNext      = 0  // u32: what comes next, by its place in the entry switch
	stateUnit      = 4  // u32: the unit that it belongs to, 0 for the kernel
	stateOffset    = 8  // u32: where the unit's frame lies in the state
	stateDepth     = 12 // u32: where its variables begin in the stack
	stateTop       = 16 // u32: where they end
	stateLimit     = 20 // u32: size of the stack
	stateVariables = 24 // u64: address of the stack in local memory
	stateHead      = 16
	stateHeadCalls = 32
	// A frame has the caller's first five words, the first record of the segment
	// that comes behind the call, and then what is passed.
	frameRecord = 20
	frameHead   = 32
)

// passedBytes is what an argument or result takes in a frame.
const passedAlign = 16

// hasCalls reports whether a kernel or one of its functions calls something.
func hasCalls(k *contaminator.Kernel) bool {
	return slices.ContainsFunc(k.PTX.Body, func(in ptx.Instruction) bool { return in.Op == ptx.OpCall })
}

// framesOf finds the segments of units and where calls come back, and lays out what is
// passed.
func framesOf(k *contaminator.Kernel) []Frame {
	frames := make([]Frame, len(k.Units))
	for u := range frames {
		f := &frames[u]
		f.name = k.PTX.Name
		if function := k.Units[u].PTX.Function; function != nil {
			f.name, f.number = function.Name, function.Number
			f.Bytes = frameHead + max(passedEnd(k.Units[u].PTX.Params), passedEnd(k.Units[u].PTX.Returns))
		}
	}
	for id := range k.Segments {
		s := &k.Segments[id]
		f := &frames[s.Unit]
		f.Segments = append(f.Segments, id)
		last := s.First + s.Count - 1
		if in := &k.PTX.Body[last]; in.Op == ptx.OpCall && !isProvided(in) {
			f.landings = append(f.landings, landing{last, s.FallThrough})
		}
	}
	return frames
}

// isProvided reports whether a call is of a function that the device provides.
func isProvided(in *ptx.Instruction) bool {
	f := in.Operands[1].Function
	return f != nil && !f.Defined
}

func passedEnd(list []ptx.Formal) uint64 { return passedAt(list, len(list)) }

// passedAt is where the n-th argument or result lies behind a frame's head.
func passedAt(list []ptx.Formal, n int) (at uint64) {
	for i := range list[:n] {
		at += (list[i].Passed().Bytes + passedAlign - 1) &^ (passedAlign - 1)
	}
	return at
}

// placed reports whether a variable lies on the stack.
func (r *rewriter) placed(v *ptx.Variable) bool {
	_, ok := r.offsets[v]
	return v != nil && ok
}

// placeVariables finds the places of variables and arguments in their frames, which are
// those that the trace has: braces that were taken out make no difference.
func (r *rewriter) placeVariables(k *Kernel) error {
	for u := range k.Units {
		of := func(k *contaminator.Kernel, space ptx.Space) (list []*ptx.Variable) {
			for _, v := range k.Units[u].PTX.Variables {
				if v.Space == space {
					list = append(list, v)
				}
			}
			return list
		}
		shape := []any{k.Frames[u].Bytes, k.Frames[u].carry, r.traced.Units[u].FrameBytes, r.traced.Units[u].Registers, r.traced.FrameAlign}
		for _, space := range []ptx.Space{ptx.SpaceLocal, ptx.SpaceArgument} {
			flat, traced := of(k.Kernel, space), of(r.traced, space)
			if len(flat) != len(traced) {
				return fmt.Errorf("%s: BUG: without braces kernel %s has other variables", k.PTX.Position, k.PTX.Name)
			}
			for i, v := range flat {
				r.offsets[v] = r.traced.LocalOffsets[traced[i]]
				shape = append(shape, r.offsets[v])
			}
		}
		if list := productsIn(k, u); u > 0 && len(list) > 0 {
			products, starts := k.MostProducts()
			shape = append(shape, k.PTX.Name, products, starts)
		}
		for _, id := range k.Frames[u].Segments {
			for _, register := range k.live[id] {
				shape = append(shape, k.Slots[register.Index])
			}
		}
		if f := k.Units[u].PTX.Function; f != nil {
			before, now := r.shapes[f], fmt.Sprint(shape...)
			if before != "" && before != now {
				return fmt.Errorf("%s: function %s cannot be contaminated for several kernels at once, since its frames are not alike in them; contaminate them one by one", f.Position, f.Name)
			}
			r.shapes[f] = now
		}
	}
	return nil
}

// stackName names the variable that has those of a kernel with calls.
func (e *emitter) stackName() string { return e.name() + "_stack" }

// declareFrame writes the registers that calls use, those that were formal parameters, and
// the kernel's stack.
func (r *rewriter) declareFrame(k *Kernel, unit int) {
	r.line("// added: registers of calls")
	r.line(".reg .b32 $offset, $depth;")
	r.line(".reg .b64 $frame, $variables, $callee;")
	u := k.Units[unit].PTX
	if u.Function == nil {
		r.line(".local .align %d .b8 %s[%d];", max(r.traced.FrameAlign, 16), r.stackName(), k.StackBytes)
		return
	}
	for _, list := range [][]ptx.Formal{u.Returns, u.Params} {
		for i := 0; i < len(list); i++ {
			register := list[i].Register
			if register == nil || register.Name == "_" {
				continue
			}
			vector, element, parts := strings.Cut(register.Name, ".")
			if !parts {
				r.b.WriteString(r.indent + ".reg ." + register.Type.String() + " " + register.Name + ";\n")
			} else if element == "x" {
				n := 1
				for i+n < len(list) && list[i+n].Register != nil && strings.HasPrefix(list[i+n].Register.Name, vector+".") {
					n++
				}
				r.b.WriteString(r.indent + fmt.Sprintf(".reg .v%d .%s %s;\n", n, register.Type, vector))
			}
		}
	}
}

// withoutParameters takes parameters and results off a function, and off what declares it:
// they are passed in frames.
func (r *rewriter) withoutParameters(f *ptx.Function, brace int) {
	text := r.module.Text
	name := r.source.offset(f.Position)
	from := strings.LastIndex(string(text[:name]), ".func") + len(".func")
	r.edits = append(r.edits, edit{from, brace, " " + f.Name + "\n"})
	for at := 0; ; {
		at = r.source.find(at, ".func")
		if at == len(text) {
			return
		}
		at += len(".func")
		end := r.source.declarationEnd(at)
		if at != from && end < len(text) && text[end] != '{' && declares(text[at:end], f.Name) {
			r.edits = append(r.edits, edit{at, end, " " + f.Name})
		}
	}
}

// stubs takes the bodies off functions that call rewritten ones and that no kernel reaches:
// their calls have parameters that are not there any more. So it does with those that call the
// device's allocator.
func (r *rewriter) stubs(kernels []*contaminator.Kernel) {
	reached := map[*ptx.Function]bool{}
	for _, k := range kernels {
		for _, u := range k.Units[1:] {
			reached[u.PTX.Function] = true
		}
	}
	for _, f := range r.module.Functions {
		if reached[f] || !f.Defined {
			continue
		}
		for i := range f.Body {
			if !slices.ContainsFunc(f.Body[i].Callees(r.module), func(c *ptx.Function) bool { return r.shapes[c] != "" }) && !r.leftAllocating(&f.Body[i]) {
				continue
			}
			brace := r.source.skip(r.source.offset(f.Position), '{')
			r.edits = append(r.edits, edit{brace, r.source.closing(brace) + 1, "{ trap; } // left out: no kernel calls it"})
			break
		}
	}
}

// enterCalls writes the kernel's entry switch, which leads into functions as well.
func (r *rewriter) enterCalls(k *Kernel) {
	r.line("// added: the stack of variables and arguments")
	r.line("mov.u32 $offset, 0;")
	r.line("mov.u32 $depth, 0;")
	r.line("mov.u64 $variables, %s;", r.stackName())
	r.line("mov.u32 $t, %d;", k.StackBytes)
	r.line("st.global.u32 [$state+%d], $t;", stateLimit)
	r.line("st.global.u64 [$state+%d], $variables;", stateVariables)
	r.copyStack(k, true)
	r.line("ld.global.u32 $next, [$state+%d];", stateNext)
	r.line("ld.global.u32 $u, [$state+%d];", stateUnit)
	functions := r.functionsLabel(k)
	r.line("setp.ne.u32 $more, $u, 0;")
	r.line("@$more bra %s;", functions)
	r.entrySwitch(k, 0)
	r.b.WriteString(strings.ReplaceAll(functions, "\x00", "$") + ":\n")
	for u := range k.Units[1:] {
		f := &k.Frames[u+1]
		r.line("setp.eq.u32 $more, $u, %d;", f.number)
		r.b.WriteString(r.indent + fmt.Sprintf("@%%%smore call %s;\n", r.prefix, f.name))
	}
	r.line("// added: lanes that stop keep local and shared memory")
	r.b.WriteString(r.stopLabel(k) + ":\n")
	r.line("activemask.b32 $active;")
	r.copyStack(k, false)
	r.keepShared(k)
	r.line("exit;")
}

// functionsLabel is where a kernel calls the function whose segment comes next.
func (r *rewriter) functionsLabel(k *Kernel) string {
	return fmt.Sprintf("\x00%s_functions_%s", r.name(), k.PTX.Name)
}

// copyStack copies what is used of the stack.
func (r *rewriter) copyStack(k *Kernel, in bool) {
	r.line("ld.global.u32 $word, [$state+%d];", stateTop)
	r.line("max.u32 $word, $word, %d;", r.traced.Units[0].FrameBytes)
	r.line("shr.u32 $word, $word, 2;")
	r.line("mov.u32 $count, 0;")
	r.line("mov.u64 $to, %s;", r.stackName())
	r.copyUnits("stack", ptx.SpaceLocal, true, "$state", k.stack, "%"+r.prefix+"word", "1", in)
}

// stopLabel is where lanes of a kernel with calls stop.
func (r *rewriter) stopLabel(k *Kernel) string {
	return fmt.Sprintf("$%s_stop_%s", r.name(), k.PTX.Name)
}

// stop writes the end of what runs of a unit.
func (r *rewriter) stop(k *Kernel, unit int) { r.stopIf(k, unit, "") }

func (r *rewriter) stopIf(k *Kernel, unit int, on string) {
	if unit > 0 {
		r.line("%sret;", on)
		return
	}
	r.line("%sbra %s;", on, verbatim(r.stopLabel(k)))
}

// enterFunction writes the entry switch of a function.
func (r *rewriter) enterFunction(k *Kernel, unit int) {
	r.line("// added: the entry switch of function %s", verbatim(k.Frames[unit].name))
	r.findThread()
	r.enterHelped(k, unit)
	r.findState(k)
	r.line("ld.global.u32 $offset, [$state+%d];", stateOffset)
	r.line("cvt.u64.u32 $frame, $offset;")
	r.line("add.s64 $frame, $frame, $state;")
	r.line("ld.global.u32 $depth, [$state+%d];", stateDepth)
	r.line("cvt.u64.u32 $d, $depth;")
	r.line("ld.global.u64 $variables, [$state+%d];", stateVariables)
	r.line("add.s64 $variables, $variables, $d;")
	r.line("ld.global.u32 $next, [$state+%d];", stateNext)
	r.entrySwitch(k, unit)
}
