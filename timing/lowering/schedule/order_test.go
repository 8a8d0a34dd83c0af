// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warptape/warptape/timing/lowering/ir"
	"github.com/warptape/warptape/trace"
)

// overlap reports whether two spaces have memory in common. A generic address may be in any of the
// three (PTX ISA, "Generic Addressing").
func overlap(a, b trace.Space) bool {
	return a == b || a == trace.SpaceGeneric || b == trace.SpaceGeneric
}

// meet reports whether accesses a and b of a block have to keep their order: one of them stores, and
// they may have bytes in common. Two stores keep it always.
func meet(ops []ir.Op, a, b int) bool {
	x, y := &ops[a], &ops[b]
	if x.Effect != ir.Stores && y.Effect != ir.Stores || !overlap(x.Space, y.Space) {
		return false
	}
	if x.Effect == y.Effect || x.Base != y.Base || x.Space != y.Space {
		return true
	}
	for i := a; i <= b; i++ { // the base is another then
		if slices.Contains(ops[i].Dst, x.Base.Register) {
			return true
		}
	}
	for first := range int64(x.Bytes) {
		for second := range int64(y.Bytes) {
			if x.Offset+first == y.Offset+second {
				return true
			}
		}
	}
	return false
}

// inOrder reports whether operation b of a block has to stay behind a, whatever is between.
func inOrder(ops []ir.Op, a, b int) bool {
	x, y := &ops[a], &ops[b]
	accesses := func(op *ir.Op) bool { return op.Effect != ir.Pure || op.Memory || op.Keep != nil }
	waits := func(op *ir.Op) bool { return op.Effect == ir.Ordered || op.Effect == ir.Ends }
	control := func(op *ir.Op) bool { return op.Code.Class == trace.ClassNop && op.Keep == nil }
	switch {
	case x.Code == ir.CALL || y.Code == ir.CALL || control(x) && control(y):
		return true
	case waits(x) || waits(y):
		return accesses(x) && accesses(y)
	}
	access := func(op *ir.Op) bool { return op.Effect == ir.Loads || op.Effect == ir.Stores }
	return access(x) && access(y) && meet(ops, a, b)
}

// slowOrder gives, by brute force, which operations have to stay behind which, also by others
// between them.
func slowOrder(ops []ir.Op) [][]bool {
	behind := make([][]bool, len(ops))
	for a, byRegisters := range slowGraph(ops) {
		behind[a] = make([]bool, len(ops))
		for _, b := range byRegisters {
			behind[a][b] = true
		}
		for b := a + 1; b < len(ops); b++ {
			behind[a][b] = behind[a][b] || inOrder(ops, a, b)
		}
	}
	return closed(behind)
}

// closed adds what is behind something that is behind an operation.
func closed(behind [][]bool) [][]bool {
	for a := len(behind) - 1; a >= 0; a-- {
		for b := a + 1; b < len(behind); b++ {
			for c := b + 1; behind[a][b] && c < len(behind); c++ {
				behind[a][c] = behind[a][c] || behind[b][c]
			}
		}
	}
	return behind
}

// accesses is a block of few operations. Most access memory, with two bases.
func accesses(draw *rand.Rand) (*ir.Function, []ir.Op) {
	f := new(ir.Function)
	var registers []ir.Register
	for range 6 {
		registers = append(registers, f.NewRegister(trace.FileGeneral, 1))
	}
	some := func() ir.Register { return registers[2+draw.IntN(4)] }
	var ops []ir.Op
	for range nearStores {
		op := ir.Op{Memory: true, Base: ir.RegOperand(registers[draw.IntN(2)]), Offset: int64(2 * draw.IntN(6)), Bytes: uint8(1 << draw.IntN(4))}
		op.Space = []trace.Space{trace.SpaceShared, trace.SpaceLocal, trace.SpaceGlobal, trace.SpaceGeneric}[draw.IntN(4)]
		switch draw.IntN(20) {
		case 0: // the base is another from here on
			op = ir.Op{Code: ir.IADD3, Dst: []ir.Register{registers[draw.IntN(2)]}}
		case 1:
			op = ir.Op{Code: ir.IADD3, Effect: ir.Ordered}
		case 2:
			op = ir.Op{Code: ir.BSYNC}
		case 3: // of lanes' registers
			op = ir.Op{Code: ir.MOV, Dst: []ir.Register{some()}, Keep: new(trace.Instruction)}
		case 4:
			op.Code, op.Dst, op.Space = ir.LDL, []ir.Register{some()}, trace.SpaceConst
		case 5, 6, 7, 8, 9, 10:
			op.Code, op.Src, op.Effect = ir.STL, []ir.Operand{ir.RegOperand(some())}, ir.Stores
		case 11: // into its own base
			op.Code, op.Dst, op.Effect = ir.LDL, []ir.Register{op.Base.Register}, ir.Loads
		default:
			op.Code, op.Dst, op.Effect = ir.LDL, []ir.Register{some()}, ir.Loads
		}
		ops = append(ops, op)
	}
	return f, ops
}

// graphOrder gives what the graph of a block keeps behind what.
func graphOrder(f *ir.Function, ops []ir.Op) [][]bool {
	s := New(f)
	s.table.list(ops)
	g := s.graph(0)
	g.build(ops, &s.table, 0, s.scratch)
	behind := make([][]bool, len(ops))
	for a := range ops {
		behind[a] = make([]bool, len(ops))
		for _, b := range g.behind(int32(a)) {
			behind[a][b] = true
		}
	}
	return closed(behind)
}

// Accesses that may meet keep their order, and so do barriers, calls and what stands where lanes
// meet. Everything else may pass.
func TestGraphsHaveTheOrderByMemory(t *testing.T) {
	for seed := range uint64(3000) {
		f, ops := accesses(rand.New(rand.NewPCG(seed, 33)))
		want, got := slowOrder(ops), graphOrder(f, ops)
		for a := range ops {
			for b := range ops {
				if want[a][b] != got[a][b] {
					t.Fatalf("seed %d: operation %d behind %d: %v, want %v", seed, b, a, got[a][b], want[a][b])
				}
			}
		}
	}
	for seed := range uint64(100) { // with more stores than a load is compared with
		f, block, _ := drawn(rand.New(rand.NewPCG(seed, 34)))
		want, got := slowOrder(block.Ops), graphOrder(f, block.Ops)
		for a := range block.Ops {
			for b := range block.Ops {
				if want[a][b] && !got[a][b] {
					t.Fatalf("seed %d: operation %d may pass %d", seed, b, a)
				}
			}
		}
	}
}

// access is a load or a store of a word of shared memory.
func access(effect ir.Effect, base, value ir.Register, word int) ir.Op {
	op := ir.Op{Code: ir.LDL, Base: ir.RegOperand(base), Offset: int64(4 * word), Bytes: 4, Effect: effect, Memory: true, Space: trace.SpaceShared}
	if effect == ir.Loads {
		op.Dst = []ir.Register{value}
	} else {
		op.Code, op.Src = ir.STL, []ir.Operand{ir.RegOperand(value)}
	}
	return op
}

// A load passes the eight stores next to it, and none before them. So does a store with loads.
func TestLoadsPassTheStoresNextToThem(t *testing.T) {
	for _, effects := range [][2]ir.Effect{{ir.Stores, ir.Loads}, {ir.Loads, ir.Stores}} {
		f := new(ir.Function)
		base, value := f.NewRegister(trace.FileGeneral, 1), f.NewRegister(trace.FileGeneral, 1)
		last := nearStores + 2
		var ops []ir.Op
		for n := range last {
			ops = append(ops, access(effects[0], base, f.NewRegister(trace.FileGeneral, 1), n))
		}
		behind := graphOrder(f, append(ops, access(effects[1], base, value, last)))
		for n := range last {
			if want := n < last-nearStores; behind[n][last] != want {
				t.Errorf("the last stays behind access %d of %d: %v, want %v", n, last, behind[n][last], want)
			}
		}
	}
}

// leastOf is the most that one operation alone makes live: all that it reads or writes, with what is live
// in front of the block and behind it and never written.
func leastOf(f *ir.Function, b *ir.Block, out []ir.Register) int32 {
	size := func(set map[ir.Register]bool) (n int32) {
		for r := range set {
			n += words(f, r)
		}
		return n
	}
	written, front, behind := map[ir.Register]bool{}, map[ir.Register]bool{}, map[ir.Register]bool{}
	for _, r := range out {
		front[r], behind[r] = true, true
	}
	for i := len(b.Ops) - 1; i >= 0; i-- {
		for _, r := range b.Ops[i].Dst {
			written[r] = true
			if !b.Ops[i].Partial {
				delete(front, r)
			}
		}
		b.Ops[i].EachRead(func(r ir.Register) { front[r] = true })
	}
	least := max(size(front), size(behind))
	for i := range b.Ops {
		reads, writes := map[ir.Register]bool{}, map[ir.Register]bool{}
		for _, r := range out {
			if front[r] && !written[r] {
				reads[r], writes[r] = true, true
			}
		}
		b.Ops[i].EachRead(func(r ir.Register) { reads[r] = true })
		for _, r := range b.Ops[i].Dst {
			writes[r] = true
		}
		least = max(least, size(reads), size(writes))
	}
	return least
}

// What one operation alone makes live bounds the cost of every order, and nothing is tried
// where the program's own order costs no more.
func TestOneOperationAloneBoundsEveryOrder(t *testing.T) {
	for seed := range uint64(300) {
		f, b, out := drawn(rand.New(rand.NewPCG(seed, 35)))
		s := New(f)
		s.table.list(b.Ops)
		most, least := s.walk(b.Ops, out, nil)
		if want := leastOf(f, b, out); least != want && most.cost() > least {
			t.Errorf("seed %d: the bound is %d registers, want %d", seed, least, want)
		}
	}
}

// letters is a block in a short form: "c=ab" computes c of a and b, "c~ab" loads it, "c!ab" loads a
// constant, and "c@ab" gets another lane's. "c^ab" is a special function, and "c$ab" a branch. Behind "?"
// is a guard. Capitals are predicates, other letters general registers of one word.
func letters(statements ...string) (*ir.Function, *ir.Block, func(string) []ir.Register) {
	f, b, names := new(ir.Function), new(ir.Block), map[rune]ir.Register{}
	name := func(list string) (registers []ir.Register) {
		for _, letter := range list {
			r, ok := names[letter]
			if !ok {
				file := trace.FileGeneral
				if letter < 'a' {
					file = trace.FilePredicate
				}
				r = f.NewRegister(file, 1)
				names[letter] = r
			}
			registers = append(registers, r)
		}
		return registers
	}
	for _, statement := range statements {
		work, guard, _ := strings.Cut(statement, "?")
		s := []rune(work)
		op := ir.Op{Code: ir.IADD3, Dst: name(string(s[:1]))}
		for _, r := range name(string(s[2:])) {
			op.Src = append(op.Src, ir.RegOperand(r))
		}
		for _, p := range name(guard) {
			op.Guard = ir.RegOperand(p)
		}
		switch s[1] {
		case '~':
			op.Code, op.Memory, op.Effect, op.Space, op.Bytes = ir.LDL, true, ir.Loads, trace.SpaceGlobal, 4
		case '!':
			op.Code, op.Memory, op.Space, op.Bytes = ir.LDL, true, trace.SpaceConst, 4
		case '@':
			op.Keep = new(trace.Instruction)
		case '^':
			op.Code = ir.MUFU
		case '$':
			op.Code, op.Dst, op.Effect = ir.BRA, nil, ir.Ends
		}
		b.Ops = append(b.Ops, op)
	}
	return f, b, name
}

// ordered makes a block and compares an order of it with one that was worked out by hand.
func ordered(t *testing.T, why string, statements []string, out, want string, order func(*Scheduler, *ir.Block, []ir.Register) []int32) {
	t.Helper()
	f, b, name := letters(statements...)
	live := name(out)
	if got := strings.Trim(fmt.Sprint(order(New(f), b, live)), "[]"); got != want {
		t.Errorf("%s: %v in order %s, want %s", why, statements, got, want)
	}
}

// Each rule makes the order that its definition says.
func TestRulesMakeTheOrdersOfTheirDefinitions(t *testing.T) {
	plain, useful := rule{}, rule{useful: true}
	looks, constants := rule{useful: true, looks: true}, rule{useful: true, looks: true, constants: true}
	shared := []string{"a=", "b=", "c=ab", "d=ab", "e=b"}
	three := []string{"a=", "b=", "y=", "c=ab", "d=ay"}
	constant := []string{"b=", "a!x", "c=ab"}
	predicate := []string{"P=x", "a=", "d=a", "e=P"}
	for _, c := range []struct {
		why  string
		by   rule
		out  string
		ops  []string
		want string
	}{
		{"what grows nothing goes first", plain, "de", []string{"a=", "d=a", "e=b"}, "2 0 1"},
		{"what grows nothing goes in the program's order", plain, "def", []string{"d=a", "e=b", "f=c"}, "0 1 2"},
		{"a register that is live behind does not end", plain, "bde", []string{"e=b", "d=c"}, "1 0"},
		{"fewer that wait for others go first", plain, "f", []string{"a=", "b=", "c=ab", "d=", "e=d", "f=ce"}, "3 4 0 1 2 5"},
		{"of equal ones the first goes first", plain, "cde", shared, "0 1 2 3 4"},
		{"what another waits for alone goes first", useful, "cde", shared, "1 0 2 3 4"},
		{"of two that no other waits for alone, the one with fewer behind goes first", looks, "cd", three, "1 0 3 2 4"},
		{"the program's order decides", constants, "cd", three, "0 1 3 2 4"},
		{"a constant is a load as others are", looks, "cx", constant, "0 1 2"},
		{"constants go first", constants, "cx", constant, "1 0 2"},
		{"what ends most with the next goes first", looks, "fg", []string{"a=", "f=a", "b=", "g=bxyz"}, "2 3 0 1"},
		{"all that read a result end it together", looks, "ecd", []string{"b=", "e=b", "a=", "c=ax", "d=ay"}, "2 3 4 0 1"},
		{"a result that is live behind does not end", looks, "ecda", []string{"b=", "e=b", "a=", "c=ax", "d=ay"}, "0 1 2 3 4"},
		{"what two wait for alone is as good as what one waits for", useful, "yce", []string{"a=z", "y=", "b=", "c=ab", "e=b"}, "0 2 3 4 1"},
		{"predicates count nothing", plain, "xde", []string{"P=x", "d=y", "e=P"}, "0 1 2"},
		{"predicates count for one", rule{counted: 1}, "xde", []string{"P=x", "d=y", "e=P"}, "1 0 2"},
		{"predicates count as much as a register", rule{counted: 1}, "xde", predicate, "0 3 1 2"},
		{"predicates count for two", rule{counted: 2}, "xde", predicate, "1 2 0 3"},
	} {
		ordered(t, c.why, c.ops, c.out, c.want, func(s *Scheduler, b *ir.Block, out []ir.Register) []int32 {
			s.table.list(b.Ops)
			s.cut(b.Ops, out)
			s.first = zeros(s.first, len(b.Ops))
			if _, ok := s.reorder(c.by, load{}, math.MaxInt32); !ok {
				t.Errorf("%s: the order is given up", c.why)
			}
			return s.first
		})
	}
}

// Loads go ahead, with what makes their addresses, as far as the target has registers and
// loads in flight.
func TestLoadsGoAheadAsFarAsTheTargetAllows(t *testing.T) {
	sums := []string{"a=z", "b=a", "c~x", "d=bc", "e~x", "f=de", "g~x", "h=fg"}
	twice := []string{"a=z", "c~x", "d=ac", "e~x", "f=de", "g=fe"}
	addressed := []string{"a=z", "b=a", "d=b", "p=x", "c~p", "e=dc"}
	predicates := []string{"A=x", "B=x", "C=x", "D=x", "E=x", "a=z", "P=x", "c~x?P", "d=ac", "e=ABCDE"}
	for _, c := range []struct {
		why    string
		target Target
		ops    []string
		out    string
		want   string
	}{
		{"two in flight", Target{Registers: 100, InFlight: 2}, sums, "hx", "2 4 0 1 6 3 5 7"},
		{"one in flight", Target{Registers: 100, InFlight: 1}, sums, "hx", "2 0 1 4 3 6 5 7"},
		{"three registers", Target{Registers: 3, InFlight: 2}, sums, "hx", "2 0 1 3 4 5 6 7"},
		{"four registers", Target{Registers: 4, InFlight: 2}, sums, "hx", "2 4 0 1 3 6 5 7"},
		{"no registers", Target{Registers: 2, InFlight: 2}, sums, "hx", "0 1 2 3 4 5 6 7"},
		{"none in flight, and one read twice", Target{Registers: 100}, twice, "gx", "3 0 1 2 4 5"},
		{"one in flight, and one read twice", Target{Registers: 100, InFlight: 1}, twice, "gx", "1 3 0 2 4 5"},
		{"with its address", Target{Registers: 100, InFlight: 1}, []string{"a=z", "p=x", "q=p", "c~q", "d=ac"}, "d", "1 2 3 0 4"},
		{"its address is another lane's", Target{Registers: 100, InFlight: 1}, []string{"a=z", "p@x", "c~p", "d=ac"}, "d", "0 1 2 3"},
		{"a constant", Target{Registers: 100, InFlight: 1}, []string{"a=z", "c!x", "d=ac"}, "d", "1 0 2"},
		{"no room for the load", Target{Registers: 2, InFlight: 1}, []string{"a=z", "p=x", "c~p", "d=acx"}, "d", "0 1 2 3"},
		{"the address makes room for the load", Target{Registers: 3, InFlight: 1}, []string{"a=z", "p=x", "c~p", "d=acx"}, "d", "1 2 0 3"},
		{"behind a branch", Target{Registers: 100, InFlight: 1}, []string{"a=z", "e=z", "b$a", "c~x", "d=ace"}, "d", "0 1 2 3 4"},
		{"seven predicates and a register", Target{Registers: 100, InFlight: 1}, []string{"A=x", "B=x", "C=x", "D=x", "E=x", "F=x", "G=x", "a=z", "c~x", "d=ac", "e=ABCDEFG"}, "dex", "8 0 1 2 3 4 5 6 7 9 10"},
		{"five predicates and one", Target{Registers: 100, InFlight: 1}, predicates, "dex", "6 7 0 1 2 3 4 5 8 9"},
		{"six predicates, and one that goes with its load", Target{Registers: 100, InFlight: 1}, append([]string{"F=x"}, append(predicates, "g=F")...), "degx", "7 8 0 1 2 3 4 5 6 9 10 11"},
		{"six predicates, and one that others read", Target{Registers: 100, InFlight: 1}, append([]string{"F=x"}, append(predicates, "g=F", "h=P")...), "deghx", "0 1 2 3 4 5 6 7 8 9 10 11 12"},
		{"an address that goes with its load", Target{Registers: 3, InFlight: 1}, addressed, "ex", "3 4 0 1 2 5"},
		{"an address that is live behind", Target{Registers: 3, InFlight: 1}, addressed, "epx", "0 1 2 3 4 5"},
		{"an address that another reads", Target{Registers: 3, InFlight: 1}, append(addressed, "f=p"), "efx", "0 1 2 3 4 5 6"},
	} {
		ordered(t, c.why, c.ops, c.out, c.want, func(s *Scheduler, b *ir.Block, out []ir.Register) []int32 {
			order, some := s.mover(b, out, c.target).order()
			if !some && !slices.IsSorted(order) {
				t.Errorf("%s: none went ahead, in %v", c.why, order)
			}
			return order
		})
	}
}

// moved gives where an operation of a block goes.
func moved(statements []string, from int32, order func(*Scheduler, *ir.Block, []ir.Register) []int32) int {
	f, b, name := letters(statements...)
	out := name("x")
	return slices.Index(order(New(f), b, out), from)
}

// numbered is one of many general registers.
func numbered(n int) string { return string(rune(0x4e00 + n)) }

// dependent is a chain of count operations: each needs the one before it.
func dependent(count int) (list []string) {
	for n := range count {
		list = append(list, numbered(n+1)+"="+numbered(n))
	}
	return list
}

// Loads are looked for in a window of so many operations. So many are tried that cannot go, and a
// load takes so many operations ahead with it.
func TestLoadsGoAheadWithinBounds(t *testing.T) {
	order := func(s *Scheduler, b *ir.Block, out []ir.Register) []int32 {
		list, _ := s.mover(b, out, Target{Registers: 10000, InFlight: 1}).order()
		return list
	}
	for far, want := range map[int]int{window: 0, window + 1: 1, window + 5: 5} {
		if got := moved(append(dependent(far), "c~x"), int32(far), order); got != want {
			t.Errorf("a load %d operations on goes to place %d, want %d", far, got, want)
		}
	}
	for addresses, want := range map[int]int{chain - 1: chain - 1, chain: chain + 1} {
		statements := append([]string{"a=x"}, dependent(addresses)...)
		statements = append(statements, "c~"+numbered(addresses))
		if got := moved(statements, int32(addresses+1), order); got != want {
			t.Errorf("a load whose address takes %d operations goes to place %d, want %d", addresses, got, want)
		}
	}
	for count, want := range map[int]int{tries - 1: 0, tries: 2} {
		statements := []string{"a=x"}
		for n := range count {
			statements = append(statements, numbered(2*n)+"@x", numbered(2*n+1)+"~"+numbered(2*n))
		}
		if got := moved(append(statements, "c~x"), int32(len(statements)), order); got != want {
			t.Errorf("a load behind %d that cannot go goes to place %d, want %d", count, got, want)
		}
	}
}

// A warp alone, which issues one operation a cycle, fills the cycles in which it would wait.
func TestWhatIsReadyGoesAheadOfWhatWaits(t *testing.T) {
	four := []string{"a=x", "b=a", "c=y", "d=z"}
	for _, c := range []struct {
		why    string
		target Target
		ops    []string
		out    string
		want   string
	}{
		{"a result takes four cycles", Target{Registers: 100, Latency: 4}, four, "bcd", "0 2 3 1"},
		{"a result takes two cycles", Target{Registers: 100, Latency: 2}, four, "bcd", "0 2 1 3"},
		{"a result is there at once", Target{Registers: 100, Latency: 1}, four, "bcd", "0 1 2 3"},
		{"there is a register for one", Target{Registers: 4, Latency: 4}, four, "bcd", "0 2 1 3"},
		{"there is no register", Target{Registers: 3, Latency: 4}, four, "bcd", "0 1 2 3"},
		{"a predicate takes no register", Target{Registers: 1, Latency: 4}, []string{"a=x", "b=a", "P=z"}, "bPz", "0 2 1"},
		{"a result is there when another is waited for", Target{Registers: 100, Latency: 1, Late: 10}, []string{"a~x", "b=a", "c=y", "d=c"}, "bd", "0 2 3 1"},
		{"a load takes three", Target{Registers: 100, Latency: 1, Late: 3}, []string{"a~x", "b=a", "c=y", "d=z", "e=y"}, "bcde", "0 2 3 1 4"},
		{"a special function takes three", Target{Registers: 100, Latency: 1, Late: 3}, []string{"a^x", "b=a", "c=y", "d=z", "e=y"}, "bcde", "0 2 3 1 4"},
		{"a load stays", Target{Registers: 100, Latency: 4, Late: 4}, []string{"a=x", "b=a", "c~y", "d=z"}, "bcd", "0 3 1 2"},
		{"what waits for another stays behind it", Target{Registers: 100, Latency: 3}, []string{"a=x", "b=a", "c=b", "d=z"}, "cd", "0 3 1 2"},
		{"what waits for two waits for the later one", Target{Registers: 100, Latency: 4}, []string{"a=x", "b=y", "c=ab", "d=x", "e=x", "f=x", "g=x"}, "cdefg", "0 1 3 4 5 2 6"},
	} {
		ordered(t, c.why, c.ops, c.out, c.want, func(s *Scheduler, b *ir.Block, out []ir.Register) []int32 {
			return s.mover(b, out, c.target).filled()
		})
	}
	for far, want := range map[int]int{lookahead: 1, lookahead + 1: 1, lookahead + 2: 2} {
		got := moved(append(dependent(far), "c=x"), int32(far), func(s *Scheduler, b *ir.Block, out []ir.Register) []int32 {
			return s.mover(b, out, Target{Registers: 1000, Latency: 4}).filled()
		})
		if got != want {
			t.Errorf("an operation %d on goes to place %d, want %d", far, got, want)
		}
	}
}

// Operations that go ahead keep the order that the graph asks for. They make no more live than the
// target has, or than there were.
func TestWhatGoesAheadKeepsOrderAndRegisters(t *testing.T) {
	changed := 0
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 36))
		f, b, out := drawn(draw)
		behind, before, was := slowOrder(slices.Clone(b.Ops)), weighed(f, b.Ops, out), len(b.Ops)
		target := Target{Registers: int(before.words) + draw.IntN(5), InFlight: 1 + draw.IntN(5), Latency: 1 + draw.IntN(6), Late: 1 + draw.IntN(30)}
		New(f).Ahead(b, out, target)
		at := make([]int, was)
		for place, from := range places(b.Ops) {
			at[from] = place
		}
		for x := range behind {
			for y := range behind {
				if behind[x][y] && at[x] >= at[y] {
					t.Fatalf("seed %d: operation %d passes %d", seed, y, x)
				}
			}
		}
		if after := weighed(f, b.Ops, out); int(after.words) > target.Registers || after.predicates > max(before.predicates, Predicates-1) {
			t.Errorf("seed %d: %+v are live, %+v were, for %d registers", seed, after, before, target.Registers)
		}
		if !slices.IsSorted(places(b.Ops)) {
			changed++
		}
	}
	if changed < 100 {
		t.Errorf("%d blocks of 300 changed", changed)
	}
}
