// SPDX-License-Identifier: Apache-2.0

package chains

// Pattern is a row of Table 1, numbered as there.
type Pattern uint8

// The patterns. i is an immediate: a literal, or a register that holds the same
// value in all lanes.
const (
	AddTwo         Pattern = 1 + iota // c=f(a,b): ld ld alu st
	Combine                           // c=f(a,b,c): ld ld alu, the result goes back to a register
	Copy                              // c=a: ld st
	Unary                             // c=f(a,c): ld alu st, with one loaded operand and no other
	Compare                           // h(a,b): ld ld cmp
	CompareImm                        // h(a,i): ld cmp
	Scale                             // c=f(a,i): ld alu st
	ScaleCombine                      // d=f(a,d,g(b,i)): ld ld alu alu, the result goes back
	ScaleAddStored                    // c=f(a,g(b,i)): ld ld alu alu st

	// PatternCount bounds the patterns: they are 1 to PatternCount-1.
	PatternCount = int(ScaleAddStored) + 1
)

// Answer is what the node that computes sends back to the core.
type Answer uint8

// The answers.
const (
	Ack    Answer = iota // a store has been performed: one flit
	Data                 // a register of all lanes: five flits of 32 bytes
	Bitmap               // a predicate of all lanes: one flit
)

var answers = [...]string{Ack: "ack", Data: "data", Bitmap: "bitmap"}

func (a Answer) String() string { return answers[a] }

var patterns = [PatternCount]struct {
	code   string
	answer Answer
}{
	AddTwo: {"c=f(a,b)", Ack}, Combine: {"c=f(a,b,c)", Data}, Copy: {"c=a", Ack}, Unary: {"c=f(a,c)", Ack},
	Compare: {"h(a,b)", Bitmap}, CompareImm: {"h(a,i)", Bitmap}, Scale: {"c=f(a,i)", Ack},
	ScaleCombine: {"d=f(a,d,g(b,i))", Data}, ScaleAddStored: {"c=f(a,g(b,i))", Ack},
}

// String is the pattern's high-level code in Table 1.
func (p Pattern) String() string {
	if p < 1 || int(p) >= PatternCount {
		return "unknown"
	}
	return patterns[p].code
}

// Answer is the response packet of the pattern (Table 1, last row).
func (p Pattern) Answer() Answer { return patterns[p].answer }
