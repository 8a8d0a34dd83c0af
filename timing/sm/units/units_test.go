// SPDX-License-Identifier: Apache-2.0

package units

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/trace"
)

func machine() *arch.SM {
	return &arch.SM{
		Units: arch.Units{SP: 1, SFU: 2, LDST: 1}, OperandReadCycles: 2, Schedulers: 2, IssuePerScheduler: 1,
	}
}

// A unit with an initiation interval of i takes one instruction every i cycles, each of
// several units of a kind one.
func TestAUnitStartsAnInstructionEveryInterval(t *testing.T) {
	for _, interval := range []int32{1, 2, 7} {
		u := New(machine(), 100)
		u.Begin(machine(), 0)
		for issue := clock.Cycle(10); issue < 50; issue += clock.Cycle(interval) {
			if at := u.Earliest(SP, 0); at > issue {
				t.Fatalf("interval %d: one can issue from cycle %d on, want %d", interval, at, issue)
			}
			u.Reserve(issue, SP, 0, &Timing{Start: 2, Result: 6, Interval: interval})
			if at := u.Earliest(SP, 0); at != issue+clock.Cycle(interval) {
				t.Fatalf("interval %d: after an issue in cycle %d the next can from %d on", interval, issue, at)
			}
		}
	}
	u := New(machine(), 100)
	u.Begin(machine(), 0)
	u.Reserve(10, SFU, 0, &Timing{Start: 2, Result: 22, Interval: 8})
	if at := u.Earliest(SFU, 0); at > 10 {
		t.Errorf("the second of two units is free from cycle %d on", at)
	}
	u.Reserve(11, SFU, 0, &Timing{Start: 2, Result: 22, Interval: 8})
	if at := u.Earliest(SFU, 0); at != 18 {
		t.Errorf("of two units taken in cycles 10 and 11 for 8 cycles one is free in cycle %d, want 18", at)
	}
	if u.Earliest(DP, 0) != clock.Never || u.Earliest(Control, 0) != 0 {
		t.Errorf("a kind without units from cycle %d on, control from %d", u.Earliest(DP, 0), u.Earliest(Control, 0))
	}
}

// Conflicts of operand read delay the start, and so the next issue, by as much.
func TestBankConflictsDelayTheNextIssueToTheUnit(t *testing.T) {
	u := New(machine(), 100)
	u.Begin(machine(), 3)
	u.Reserve(10, SP, 0, &Timing{Start: 2 + 3, Result: 9, Interval: 1})
	if at := u.Earliest(SP, 0); at != 14 {
		t.Errorf("after 3 conflicts the next issues in cycle %d, want 14", at)
	}
}

// A collector is taken from issue to the start of execution.
func TestCollectorsAreTakenForOperandRead(t *testing.T) {
	m := machine()
	m.OperandCollectors = 2
	u := New(m, 100)
	u.Begin(m, 0) // two schedulers, two cycles: four instructions can read at a time
	u.Reserve(10, SP, 0, &Timing{Start: 2, Interval: 1})
	if at := u.CollectorAt(); at > 10 {
		t.Errorf("the second of two collectors is free from cycle %d on", at)
	}
	u.Reserve(10, SFU, 0, &Timing{Start: 3, Interval: 1})
	if at := u.CollectorAt(); at != 12 {
		t.Errorf("a collector is free in cycle %d, want 12", at)
	}
	m.OperandCollectors = 4
	u = New(m, 100)
	u.Begin(m, 0)
	for range 10 {
		u.Reserve(10, SP, 0, &Timing{Start: 2, Interval: 1})
	}
	if at := u.CollectorAt(); at > 10 {
		t.Errorf("as many collectors as can be used: free from cycle %d on", at)
	}
	u.Begin(m, 1) // a conflict keeps one longer: now four are too few
	for range 4 {
		u.Reserve(20, SP, 0, &Timing{Start: 3, Interval: 1})
	}
	if at := u.CollectorAt(); at != 23 {
		t.Errorf("four collectors taken in cycle 20 for 3 cycles: free in %d", at)
	}
	u.Begin(m, 0) // and now they suffice again
	if at := u.CollectorAt(); at > 20 {
		t.Errorf("as many collectors as can be used, after a program that used more: free from cycle %d on", at)
	}
}

// What lies between issue and operand read shifts the whole use of a unit; the next
// instruction can issue as soon after the last as without it.
func TestTransferKeepsTheRateOfAUnit(t *testing.T) {
	u := New(machine(), 100)
	u.Begin(machine(), 0)
	u.Reserve(10, SP, 0, &Timing{Start: 2, Interval: 4})
	u.SetTransfer(5)
	if at := u.Earliest(SP, 0); at != 9 {
		t.Errorf("a unit that starts its next in cycle 16, 7 cycles from issue: issues from %d on, want 9", at)
	}
	u.Reserve(20, SP, 0, &Timing{Start: 2, Interval: 4})
	if at := u.Earliest(SP, 0); at != 24 || u.Transfer() != 5 {
		t.Errorf("the next issues in cycle %d, want 24", at)
	}
}

// Staged instructions take a unit when they start, and a bus when they write.
func TestStartTakesAUnitAndABus(t *testing.T) {
	m := machine()
	m.ResultBuses = 1
	u := New(m, 30)
	add, slow := &Timing{Result: 4, Interval: 2}, &Timing{Result: 3, Interval: 8}
	if at, ok := u.Start(10, SP, 0, add, true); !ok || at != 14 {
		t.Fatalf("the first: result in cycle %d, %v", at, ok)
	}
	if _, ok := u.Start(11, SP, 0, add, true); ok {
		t.Error("a unit started another a cycle before its interval was over")
	}
	if _, ok := u.Start(11, SFU, 0, slow, true); ok {
		t.Error("two results took the one bus of cycle 14")
	}
	if at := u.FreeAt(SFU); at > 11 {
		t.Errorf("an instruction that did not start took its unit until cycle %d", at)
	}
	if _, ok := u.Start(11, SFU, 0, slow, false); !ok {
		t.Error("an instruction without a result waited for a bus")
	}
	if at, ok := u.Start(12, SP, 0, add, true); !ok || at != 16 {
		t.Errorf("the unit's next: result in cycle %d, %v", at, ok)
	}
	if at, ok := u.Start(41, SFU, 0, slow, true); !ok || at != 44 { // the bus of cycle 14 comes round
		t.Errorf("a span later: %d, %v", at, ok)
	}
}

func TestAUnitIsIdleWhenItCanStart(t *testing.T) {
	u := New(machine(), 100)
	u.Begin(machine(), 0)
	u.Reserve(10, SP, 0, &Timing{Start: 2, Interval: 3})
	if u.Idle(SP, 12, false) || !u.Idle(SP, 13, false) || u.Idle(DP, 13, false) {
		t.Error("reserved from cycle 10 to 12: idle before 13, or not then, or a kind without units is")
	}
	u = New(machine(), 100)
	u.Start(10, SP, 0, &Timing{Interval: 3}, false)
	if u.Idle(SP, 12, true) || !u.Idle(SP, 13, true) || u.Idle(DP, 13, true) {
		t.Error("started in cycle 10 for 3 cycles: idle before 13, or not then, or a kind without units is")
	}
}

// Each sub-core has its own units, and the path to memory is that of all.
func TestSubCoresReserveTheirOwnUnits(t *testing.T) {
	m := machine()
	m.Schedulers, m.Units.SP, m.Units.LDST, m.Collectors.SubCores = 2, 2, 1, true
	u := New(m, 100)
	u.Begin(m, 0)
	u.Reserve(10, SP, 1, &Timing{Interval: 8})
	if u.Parts() != 2 || u.Earliest(SP, 0) > 10 || u.Earliest(SP, 1)-u.Earliest(SP, 0) < 8 || !u.Idle(SP, 10, false) {
		t.Errorf("%d sub-cores, which issue from cycles %d and %d on", u.Parts(), u.Earliest(SP, 0), u.Earliest(SP, 1))
	}
	u.SetTransfer(3)
	late := u.Earliest(SP, 1)
	u.Reserve(10, SP, 0, &Timing{Interval: 9})
	if u.Earliest(SP, 1) != late || u.Earliest(SP, 0) <= late || u.Idle(SP, 10, false) {
		t.Errorf("after the other's: cycles %d and %d", u.Earliest(SP, 0), u.Earliest(SP, 1))
	}
	u.Reserve(20, LDST, 0, &Timing{Interval: 4})
	if u.Earliest(LDST, 0) != u.Earliest(LDST, 1) || u.Earliest(LDST, 1) < 20 {
		t.Errorf("memory instructions issue from cycles %d and %d on", u.Earliest(LDST, 0), u.Earliest(LDST, 1))
	}
}

func TestEachClassGoesToTheBestKindThatIsThere(t *testing.T) {
	all := [Kinds]int{SP: 1, Int: 1, DP: 1, SFU: 1, Tensor: 1, LDST: 1}
	for class, want := range map[trace.OpClass][3]Kind{ // with all; without Int and DP; with LDST alone (Control: refused)
		trace.ClassIntAdd: {Int, SP, Control}, trace.ClassF32Fma: {SP, SP, Control}, trace.ClassF64Fma: {DP, SFU, Control},
		trace.ClassIntDiv: {SFU, SFU, Control}, trace.ClassLoad: {LDST, LDST, LDST}, trace.ClassBranch: {Control, Control, Control},
	} {
		few, one := all, [Kinds]int{LDST: 1}
		few[Int], few[DP] = 0, 0
		for i, counts := range []*[Kinds]int{&all, &few, &one} {
			got, err := For(class, counts)
			if refused := want[i] == Control && class != trace.ClassBranch; refused != (err != nil) {
				t.Errorf("%v with %v: %v", class, *counts, err)
			} else if err == nil && got != want[i] {
				t.Errorf("%v with %v: %v, want %v", class, *counts, got, want[i])
			}
		}
	}
}

// Where integer products have the units of single precision, sums of integers do not.
func TestIntegerProductsHaveTheirUnit(t *testing.T) {
	counts := [Kinds]int{SP: 4, Int: 4, SFU: 4, LDST: 1}
	for class, product := range map[trace.OpClass]bool{trace.ClassIntMul: true, trace.ClassIntMad: true, trace.ClassIntAdd: false, trace.ClassIntMinMax: false} {
		for word, want := range map[string]Kind{"": Int, "int": Int, "sp": SP} {
			if !product {
				want = Int
			}
			if got, err := ForInstruction(&arch.SM{IntegerProducts: word}, &trace.Instruction{Opcode: "mad", Class: class}, &counts); got != want || err != nil {
				t.Errorf("%v, %q: unit %v (%v), want %v", class, word, got, err, want)
			}
		}
	}
	counts[SP], counts[SFU] = 0, 0
	for _, class := range []trace.OpClass{trace.ClassConvert, trace.ClassIntMul} { // the next best, where a machine lacks the unit
		m := &arch.SM{IntegerProducts: "sp", FloatConversions: "sfu"}
		if got, err := ForInstruction(m, &trace.Instruction{Opcode: "cvt", Types: []string{"f32", "s32"}, Class: class}, &counts); got != Int || err != nil {
			t.Errorf("%v without its unit: %v (%v)", class, got, err)
		}
	}
	if got, err := ForInstruction(&arch.SM{IntegerProducts: "sp"}, &trace.Instruction{Opcode: "mad", Class: trace.ClassIntMad}, &counts); got != Int || err != nil {
		t.Errorf("a machine without units of single precision: %v (%v)", got, err)
	}
}

// Where conversions of floats have the special-function units, those between integers are
// moves of the integer unit.
func TestConversionsOfFloatsHaveTheirUnit(t *testing.T) {
	counts := [Kinds]int{SP: 4, Int: 4, SFU: 4, LDST: 1}
	for _, c := range []struct {
		opcode string
		types  []string
		float  bool
	}{
		{"cvt", []string{"f32", "s32"}, true}, {"cvt", []string{"u32", "f64"}, true}, {"cvt", []string{"f16", "f32"}, true}, {"cvt", []string{"bf16", "f32"}, true},
		{"cvt", []string{"u64", "u32"}, false}, {"cvt", []string{"s16", "s64"}, false}, {"I2F", nil, true}, {"POPC", nil, true},
	} {
		in := &trace.Instruction{Opcode: c.opcode, Types: c.types, Class: trace.ClassConvert}
		for _, word := range []string{"", "int", "sfu"} {
			m := &arch.SM{FloatConversions: word}
			m.Latencies.Convert, m.Latencies.Move = arch.Latency{Cycles: 14, Interval: 8}, arch.Latency{Cycles: 4, Interval: 2}
			unit, cycles := Int, 14
			switch {
			case word == "sfu" && c.float:
				unit = SFU
			case word == "sfu":
				cycles = 4
			}
			if got, err := ForInstruction(m, in, &counts); got != unit || err != nil {
				t.Errorf("%s %v, %q: unit %v (%v), want %v", c.opcode, c.types, word, got, err, unit)
			}
			if got := LatencyOfInstruction(m, in); got.Cycles != cycles {
				t.Errorf("%s %v, %q: %d cycles, want %d", c.opcode, c.types, word, got.Cycles, cycles)
			}
		}
	}
}

// Operations that a machine gives a latency of their own have it; the others have that of their class, and so has logic on
// predicates.
func TestOperationsHaveTheirOwnLatency(t *testing.T) {
	m := &arch.SM{}
	m.Latencies.IntAdd = arch.Latency{Cycles: 9, Interval: 3}
	m.Latencies.Predicate = arch.Latency{Cycles: 8, Interval: 2}
	classes := []trace.OpClass{trace.ClassIntAdd, trace.ClassPredicate}
	for _, logic := range []arch.OptionalLatency{{}, {Cycles: 4}, {Cycles: 5, Interval: 2}} {
		m.Latencies.Logic = logic
		for _, class := range classes {
			for _, opcode := range []string{"xor", "add"} {
				want := LatencyOf(&m.Latencies, class)
				if opcode == "xor" && class != trace.ClassPredicate && logic.Cycles > 0 {
					want = arch.Latency{Cycles: logic.Cycles, Interval: max(logic.Interval, 1)}
				}
				if got := LatencyOfInstruction(m, &trace.Instruction{Opcode: opcode, Class: class}); got != want {
					t.Errorf("%s of class %v with %+v for logic takes %+v, want %+v", opcode, class, logic, got, want)
				}
			}
		}
	}
}

// A new transfer moves the cycle from which an instruction can issue as far as the collectors are concerned, too.
func TestTransferMovesTheUseOfCollectors(t *testing.T) {
	m := machine()
	m.OperandCollectors = 1
	u := New(m, 100)
	u.Begin(m, 0)
	u.Reserve(10, SP, 0, &Timing{Start: 2, Interval: 1}) // until cycle 12
	u.SetTransfer(5)
	if at := u.CollectorAt(); at != 12-5 {
		t.Errorf("a collector that is free in cycle 12 can be reached from cycle %d on, want 7", at)
	}
	u.Reserve(20, SP, 0, &Timing{Start: 2, Interval: 1}) // until cycle 27
	if at := u.CollectorAt(); at != 27-5 {
		t.Errorf("a collector that is free in cycle 27 can be reached from cycle %d on, want 22", at)
	}
	u = New(m, 100)
	u.Begin(m, 0)
	u.Reserve(10, SP, 0, &Timing{Start: 2, Interval: 1})
	u.SetTransfer(5)
	u.SetTransfer(0)
	if at := u.CollectorAt(); at != 12 {
		t.Errorf("without transfer it can be reached from cycle %d on, want 12", at)
	}
}

// Each unit has as many buses for its results as the machine gives it. One that has none left in a cycle leaves the
// instruction to another unit of its kind.
func TestEachUnitHasItsOwnBuses(t *testing.T) {
	m := machine()
	m.Units.SP, m.UnitResults = 2, 1
	u := New(m, 30)
	if _, ok := u.Start(10, SP, 0, &Timing{Result: 6, Interval: 1}, true); !ok { // the first unit's bus of cycle 16
		t.Fatal("nothing starts")
	}
	for i, c := range []struct {
		now clock.Cycle
		ok  bool
	}{{12, true}, {12, false}, {13, true}, {13, true}, {13, false}} { // both buses of cycle 16, then of 17
		if at, ok := u.Start(c.now, SP, 0, &Timing{Result: 4, Interval: 0}, true); ok != c.ok || ok && at != c.now+4 {
			t.Errorf("instruction %d in cycle %d starts: %v, its result is there in cycle %d", i, c.now, ok, at)
		}
	}
}

// Units of sub-cores start as a list of their free cycles says: a kind with fewer units than there are sub-cores, and the
// path to memory, is of all; the others have equal shares.
func TestUnitsOfSubCoresAsAList(t *testing.T) {
	kinds := []Kind{SP, Int, SFU, LDST}
	for _, counts := range [][4]int{{4, 8, 1, 4}, {4, 4, 4, 1}, {8, 4, 2, 8}} {
		random := rand.New(rand.NewPCG(uint64(counts[0]), uint64(counts[2])))
		m := machine()
		m.Units, m.Schedulers, m.Collectors.SubCores = arch.Units{SP: counts[0], Int: counts[1], SFU: counts[2], LDST: counts[3]}, 4, true
		u := New(m, 100)
		u.Begin(m, 0)
		free := map[Kind][]clock.Cycle{}
		for i, k := range kinds {
			free[k] = make([]clock.Cycle, counts[i])
		}
		for now := clock.Cycle(1); now < 300; now++ {
			k, part := kinds[random.IntN(len(kinds))], random.IntN(4)
			of := free[k]
			if n := len(of) / 4; n > 0 && k != LDST {
				of = of[part*n : (part+1)*n]
			}
			if got, want := u.FreeIn(k, part), slices.Min(of); got != want {
				t.Fatalf("%v in sub-core %d is free from cycle %d on, want %d", k, part, got, want)
			}
			if got, want := u.Idle(k, now, true), slices.Min(free[k]) <= now; got != want {
				t.Fatalf("cycle %d: a unit for %v is idle: %v", now, k, got)
			}
			at := slices.IndexFunc(of, func(c clock.Cycle) bool { return c <= now })
			interval := 1 + random.IntN(9)
			result, ok := u.Start(now, k, part, &Timing{Interval: int32(interval), Result: 7}, true)
			if ok != (at >= 0) || ok && result != now+7 {
				t.Fatalf("cycle %d: %v of sub-core %d starts: %v, its result is there in cycle %d", now, k, part, ok, result)
			}
			if ok {
				of[at] = now + clock.Cycle(interval)
			}
		}
	}
}

// Branches and barriers go to the unit of integers, without one to that of single precision, and without both to none.
func TestControlGoesToTheUnitOfIntegers(t *testing.T) {
	for counts, want := range map[[Kinds]int]Kind{
		{SP: 1, Int: 1, LDST: 1}: Int, {SP: 2, SFU: 1, LDST: 1}: SP, {Int: 3}: Int, {DP: 1, SFU: 1, Tensor: 1, LDST: 1}: Control,
	} {
		if got := ForControl(&counts); got != want {
			t.Errorf("with %v: %v, want %v", counts, got, want)
		}
	}
}

// Instructions of a kind are in the counter that has its name.
func TestCountersHaveTheNamesOfTheirKinds(t *testing.T) {
	for k := range Kind(Kinds) {
		if got, want := counters.Declared(k.Counter()).Name, "issued_"+k.String(); got != want {
			t.Errorf("%v is counted in %s", k, got)
		}
	}
}

// The longest latency is that of whichever operation has it.
func TestTheLongestLatencyMayBeOfAnyOperation(t *testing.T) {
	for i := range reflect.TypeFor[arch.Latencies]().NumField() {
		m := &arch.SM{Units: arch.Units{Tensor: 1}}
		field := reflect.ValueOf(&m.Latencies).Elem().Field(i)
		if field.Kind() != reflect.Struct {
			continue
		}
		name := reflect.TypeFor[arch.Latencies]().Field(i).Name
		if field.FieldByName("Cycles").SetInt(777); Longest(m) != 777 && name != "Tensor" || Longest(m) < 777 {
			t.Errorf("%s takes 777 cycles, the longest is said to be %d", name, Longest(m))
		}
	}
}
