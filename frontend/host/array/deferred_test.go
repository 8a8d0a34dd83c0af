// SPDX-License-Identifier: Apache-2.0

package array

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/warptape/warptape/trace/tracetest"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// pairOfSpaces does each thing twice: in a space whose operations wait, and in one whose
// operations do not.
type pairOfSpaces struct {
	t      *testing.T
	r      *rand.Rand
	spaces [2]*Space
	arrays [][2]*Array
}

// draw adds an array of random elements.
func (p *pairOfSpaces) draw(t Type, shape ...int) {
	a := sample(p.r, t, shape[0])
	var both [2]*Array
	for i, s := range p.spaces {
		b, err := New(s, t, shape...)
		if err != nil {
			p.t.Fatal(err)
		}
		if err := b.SetBytes(a.AppendBytes(nil)); err != nil {
			p.t.Fatal(err)
		}
		both[i] = b
	}
	p.arrays = append(p.arrays, both)
}

// do does a thing with both and keeps what it gives. Both fail or none does.
func (p *pairOfSpaces) do(f func(i int) (starlark.Value, error)) {
	var both [2]*Array
	var errs [2]error
	for i := range both {
		v, err := f(i)
		errs[i] = err
		both[i], _ = v.(*Array)
	}
	if fmt.Sprint(errs[0]) != fmt.Sprint(errs[1]) {
		p.t.Fatalf("errors differ: %v, %v", errs[0], errs[1])
	}
	if both[0] != nil && errs[0] == nil {
		p.arrays = append(p.arrays, both)
	}
}

func (p *pairOfSpaces) any() [2]*Array { return p.arrays[p.r.IntN(len(p.arrays))] }

// of gives one of the newest arrays of a type, as deep expressions need.
func (p *pairOfSpaces) of(t Type) [2]*Array {
	for k := range p.arrays {
		if a := p.arrays[len(p.arrays)-1-k]; a[0].typ == t && p.r.IntN(3) > 0 {
			return a
		}
	}
	for _, a := range p.arrays {
		if a[0].typ == t {
			return a
		}
	}
	panic("BUG: no array of that type")
}

func (p *pairOfSpaces) step() {
	a, n := p.any(), p.r.IntN(1000)
	tokens := []syntax.Token{syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.SLASHSLASH, syntax.PERCENT, syntax.AMP, syntax.PIPE, syntax.CIRCUMFLEX, syntax.LTLT, syntax.GTGT}
	token, side := tokens[p.r.IntN(len(tokens))], starlark.Side(p.r.IntN(2) == 0)
	switch p.r.IntN(16) {
	case 15:
		columns := a[0].Len()
		for _, c := range []int{17, 64} {
			if columns%c == 0 {
				columns = c
			}
		}
		down, right := starlark.MakeInt(n%7-3), starlark.MakeInt(n/7%90-45)
		p.do(func(i int) (starlark.Value, error) {
			matrix, err := a[i].withShape([]int{a[i].Len() / columns, columns})
			if err != nil {
				return nil, err
			}
			shifted, err := matrix.(*Array).shift(starlark.Tuple{down, right}, nil)
			if err != nil {
				return nil, err
			}
			return shifted.(*Array).flatten()
		})
	case 14: // a part that the one space copies and the other does not
		from, to := p.r.IntN(n+1), p.r.IntN(n+1)
		p.do(func(i int) (starlark.Value, error) {
			length := a[i].Len()
			return a[i].Slice(min(from, length/4), max(length/4, length-to), 1), nil
		})
	case 10:
		p.do(func(i int) (starlark.Value, error) { return p.counting(i, a, n) })
	case 11:
		p.do(func(i int) (starlark.Value, error) { return p.equal(i, a, n) })
	case 12: // some positions may lie outside
		at := p.positions(a)
		p.do(func(i int) (starlark.Value, error) { return a[i].take(starlark.Tuple{at[i]}, nil) })
	case 13:
		at, v := p.positions(a), p.of(a[0].typ)
		write := (*Array).put
		if p.r.IntN(2) == 0 {
			write = (*Array).addAt
		}
		p.do(func(i int) (starlark.Value, error) { return write(a[i], starlark.Tuple{at[i], v[i]}, nil) })
	case 0, 1:
		b := p.of(a[0].typ)
		p.do(func(i int) (starlark.Value, error) { return a[i].Binary(token, b[i], side) })
	case 2, 3:
		p.do(func(i int) (starlark.Value, error) { return a[i].Binary(token, starlark.MakeInt(1+n%100), side) })
	case 4:
		names := []string{"-", "~", "abs", "sqrt", "floor", "cos"}
		p.do(func(i int) (starlark.Value, error) { return a[i].unary(names[n%len(names)]) })
	case 5:
		p.do(func(i int) (starlark.Value, error) { return value(a[i].convert(Type(n) % typeEnd)) })
	case 6:
		p.do(func(i int) (starlark.Value, error) { return a[i].flatten() })
	case 7: // what waits for a must not see this
		p.do(func(i int) (starlark.Value, error) {
			return nil, a[i].SetKey(starlark.MakeInt(n%a[i].Len()), starlark.MakeInt(n%100))
		})
	case 8:
		v := p.of(a[0].typ)
		p.do(func(i int) (starlark.Value, error) {
			return a[i].addAt(starlark.Tuple{p.places(i)[i], v[i]}, nil)
		})
	default: // reads it
		p.same(a)
	}
}

// counting is an array of a's shape that counts.
func (p *pairOfSpaces) counting(i int, a [2]*Array, n int) (starlark.Value, error) {
	t := a[i].typ
	return value(p.spaces[i].sourced(t, a[i].shape, func(dst storage, from int) {
		kinds[t].count(dst, int64(n)+int64(from)*3, 3)
	}, nil))
}

// equal is an array of a's shape of equal elements.
func (p *pairOfSpaces) equal(i int, a [2]*Array, n int) (starlark.Value, error) {
	t := a[i].typ
	one := kinds[t].make(1)
	kinds[t].fill(one, scalar{f: float64(n), class: classUnsigned, u: uint64(n)})
	return value(p.spaces[i].sourced(t, a[i].shape, func(dst storage, _ int) { kinds[t].repeat(dst, one) }, one))
}

// positions are some in a, by an expression that waits; now and then one lies outside.
func (p *pairOfSpaces) positions(a [2]*Array) [2]*Array {
	var both [2]*Array
	above, step := p.r.IntN(40)/39, 1+p.r.IntN(50)
	for i := range both {
		length := a[i].Len()
		counted, err := p.spaces[i].sourced(I64, a[i].shape, func(dst storage, from int) {
			kinds[I64].count(dst, int64(from)*int64(step), int64(step))
		}, nil)
		if err != nil {
			p.t.Fatal(err)
		}
		v, err := counted.Binary(syntax.PERCENT, starlark.MakeInt(length+above), starlark.Left)
		if err != nil {
			p.t.Fatal(err)
		}
		both[i] = v.(*Array)
	}
	p.arrays = append(p.arrays, both)
	if t := []Type{I64, I64, I32, U32, U64}[p.r.IntN(5)]; t != I64 {
		p.do(func(i int) (starlark.Value, error) { return value(both[i].convert(t)) })
		return p.arrays[len(p.arrays)-1]
	}
	return both
}

// places are the positions 0, 1, ... as another expression.
func (p *pairOfSpaces) places(i int) [2]*Array {
	var both [2]*Array
	a := p.arrays[0][i]
	out := allocate(p.spaces[i], I64, a.shape, a.Len())
	kinds[I64].count(out.data, 0, 1)
	v, err := out.Binary(syntax.STAR, starlark.MakeInt(1), starlark.Left)
	if err != nil {
		p.t.Fatal(err)
	}
	both[i] = v.(*Array)
	return both
}

// hold asks that an array's elements lie in what is known of them, before they are computed
// and after it.
func (p *pairOfSpaces) hold(a *Array) {
	early := a.interval()
	a.values()
	for _, x := range []interval{early, a.interval()} {
		for i := range a.Len() {
			if v := a.Int(i); x.known && (v < x.low || v > x.high) {
				p.t.Fatalf("%s: element %d is %d and must lie in %d ... %d", a.describe(), i, v, x.low, x.high)
			}
		}
	}
}

func (p *pairOfSpaces) same(a [2]*Array) {
	if !a[0].typ.Float() && a[0].typ != U64 {
		p.hold(a[0])
		p.hold(a[1])
	}
	x, y := a[0].AppendBytes(nil), a[1].AppendBytes(nil)
	if !bytes.Equal(x, y) && !a[0].typ.Float() {
		p.t.Fatalf("%s: elements differ from those of one operation after the other", a[0].describe())
	}
	for i := range a[0].Len() {
		if !same(kinds[a[0].typ].load(a[0].values(), i), kinds[a[0].typ].load(a[1].values(), i)) {
			p.t.Fatalf("%s: element %d is %v, want %v", a[0].describe(), i, a[0].Element(i), a[1].Element(i))
		}
	}
}

// TestWhatWaitsGivesWhatOneOperationAfterTheOtherGives draws expressions with common
// parts, changes of their operands and reads in any order.
func TestWhatWaitsGivesWhatOneOperationAfterTheOtherGives(t *testing.T) {
	for _, seed := range tracetest.Seeds(t, 30, tracetest.Fewer(9, 30)) {
		p := &pairOfSpaces{t: t, r: rand.New(rand.NewPCG(seed, 1)), spaces: [2]*Space{NewSpace(1 << 32), {limit: 1 << 32, used: new(atomic.Int64), literal: true}}}
		n := []int{deferFrom, deferFrom + 1, 2*deferFrom + 777}[seed%3]
		for typ := range typeEnd {
			p.draw(typ, n)
		}
		for range 150 {
			p.step()
		}
		p.r.Shuffle(len(p.arrays), func(i, j int) { p.arrays[i], p.arrays[j] = p.arrays[j], p.arrays[i] })
		for _, a := range p.arrays {
			p.same(a)
		}
	}
}

// counted makes a chain of operations, each of the one before, that count their elements.
func counted(t *testing.T, space *Space, links int) (chain []*Array, done []int) {
	first, err := New(space, I64, deferFrom)
	if err != nil {
		t.Fatal(err)
	}
	chain, done = []*Array{first}, make([]int, links)
	for k := range links {
		a, err := space.result(I64, first.shape, func(dst, a, _ storage) {
			d := dst.([]int64)
			for i, v := range a.([]int64) {
				d[i] = v + 1
			}
			done[k] += len(d)
		}, true, chain[k])
		if err != nil {
			t.Fatal(err)
		}
		chain = append(chain, a)
	}
	return chain, done
}

func TestNothingIsComputedMoreThanThreeTimes(t *testing.T) {
	chain, done := counted(t, NewSpace(1<<32), 300)
	slices.Reverse(chain)
	for k, a := range chain {
		if got, want := a.Int(deferFrom-1), int64(300-k); got != want {
			t.Errorf("link %d: got %d, want %d", 300-k, got, want)
		}
	}
	for k, n := range done {
		if n > 3*deferFrom {
			t.Errorf("link %d was computed %d times", k, n/deferFrom)
		}
	}
}

func TestOperationsInBetweenAreComputedOnce(t *testing.T) {
	chain, done := counted(t, NewSpace(1<<32), 40)
	if got := slices.Max(done); got != 0 {
		t.Errorf("%d elements were computed before a read", got)
	}
	if got := chain[40].Int(7); got != 40 {
		t.Errorf("got %d, want 40", got)
	}
	for k, n := range done {
		if n != deferFrom {
			t.Errorf("link %d: %d elements computed, want %d", k, n, deferFrom)
		}
	}
}

// TestDoublingsStayBounded squares a number's array often: without a bound each use would
// double the work.
func TestDoublingsStayBounded(t *testing.T) {
	space := NewSpace(1 << 32)
	a, err := New(space, U32, deferFrom)
	if err != nil {
		t.Fatal(err)
	}
	for i := range deferFrom {
		a.SetInt(i, int64(i))
	}
	for range 1000 {
		v, err := a.Binary(syntax.PLUS, a, starlark.Left)
		if err != nil {
			t.Fatal(err)
		}
		a = v.(*Array)
		v, err = a.Binary(syntax.GTGT, starlark.MakeInt(1), starlark.Left)
		if err != nil {
			t.Fatal(err)
		}
		a = v.(*Array)
	}
	for i := range deferFrom {
		if got := a.Int(i); got != int64(i) {
			t.Fatalf("element %d is %d", i, got)
		}
	}
}

// TestAFrozenArrayHasItsElements: several threads may read it.
func TestAFrozenArrayHasItsElements(t *testing.T) {
	chain, done := counted(t, NewSpace(1<<32), 3)
	chain[3].Freeze()
	if chain[3].waiting != nil || slices.Min(done) != deferFrom {
		t.Error("a frozen array still waits")
	}
}

func TestAShiftedMatrixHasTheElementsOfItsTime(t *testing.T) {
	const side = 64
	a, err := New(NewSpace(1<<20), I32, side, side)
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.shift(starlark.Tuple{starlark.MakeInt(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shifted := v.(*Array)
	if shifted.waiting == nil {
		t.Fatal("it does not wait")
	}
	a.SetInt(side+5, 9)
	if got := shifted.Int(5); got != 0 {
		t.Errorf("a later change shows: %d", got)
	}
}

// A sum of slices of one array has more slices than fit into the program's memory together.
func TestOperandsThatWaitLeaveRoom(t *testing.T) {
	const program = `
framed = array.arange(f64, 5000)
flat = array.zeros(f64, 4096)
for i in range(300):
    flat = flat + framed[i:i+4096] * (i % 7 - 3)
`
	want := func(k int) (sum float64) {
		for i := range 300 {
			sum += float64(i+k) * float64(i%7-3)
		}
		return sum
	}
	thread, _ := testThread(1 << 20) // 32 slices
	options := &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}
	globals, err := starlark.ExecFileOptions(options, thread, "sum.star", program, Globals())
	if err != nil {
		t.Fatal(err)
	}
	flat := globals["flat"].(*Array)
	for _, k := range []int{0, 1, 4095} {
		if v, err := eval(t, starlark.StringDict{"flat": flat}, fmt.Sprintf("float(flat[%d])", k)); err != nil || v != starlark.Float(want(k)) {
			t.Errorf("element %d is %v, want %v (%v)", k, v, want(k), err)
		}
	}
}
