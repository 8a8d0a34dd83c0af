// SPDX-License-Identifier: Apache-2.0

package ptx

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// tree is a constant expression as the test makes it: text with no more
// parentheses than C's precedences want, and the value. The value follows the rules
// of 4.5.5, in integers without a width.
type tree struct {
	text     string
	level    int // of its operator in C's table; 12 for unary, 13 for primary
	value    *big.Int
	unsigned bool
	fault    bool // divides by zero somewhere that counts
}

var modulus = new(big.Int).Lsh(big.NewInt(1), 64)

// wrapped brings a value into the range of its type.
func wrapped(v *big.Int, unsigned bool) *big.Int {
	r := new(big.Int).Mod(v, modulus)
	if !unsigned && r.Bit(63) == 1 {
		r.Sub(r, modulus)
	}
	return r
}

func (t *tree) as(unsigned bool) *big.Int { return wrapped(t.value, unsigned) }

func yes(v bool) *big.Int {
	if v {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func (t *tree) in(level int) string {
	if t.level < level {
		return "(" + t.text + ")"
	}
	return t.text
}

func randomNumber(r *rand.Rand) *tree {
	v := r.Uint64() >> (r.UintN(8) * 9 % 64)
	t := &tree{level: 13, value: new(big.Int).SetUint64(v), unsigned: v>>63 != 0}
	suffix := ""
	if r.UintN(4) == 0 {
		suffix, t.unsigned = "U", true
	}
	switch r.UintN(5) {
	case 0:
		t.text = fmt.Sprintf("0x%X%s", v, suffix)
	case 1:
		t.text = fmt.Sprintf("0%o%s", v, suffix)
	case 2:
		t.text, t.value, t.unsigned = "WARP_SZ", big.NewInt(32), false
	case 3:
		t.text = fmt.Sprintf("0b%b%s", v, suffix)
	default:
		t.text = fmt.Sprintf("%d%s", v, suffix)
	}
	if v == 0 && t.text != "WARP_SZ" {
		t.text = "0" + suffix
	}
	return t
}

func randomTree(r *rand.Rand, depth int) *tree {
	if depth == 0 {
		return randomNumber(r)
	}
	switch r.UintN(5) {
	case 0:
		return randomUnary(r, randomTree(r, depth-1))
	case 1:
		c, a, b := randomTree(r, depth-1), randomTree(r, depth-1), randomTree(r, depth-1)
		t := &tree{text: c.in(2) + " ? " + a.in(1) + " : " + b.in(1), level: 1, unsigned: a.unsigned || b.unsigned}
		chosen := b
		if c.value.Sign() != 0 {
			chosen = a
		}
		t.value, t.fault = wrapped(chosen.value, t.unsigned), c.fault || chosen.fault
		return t
	}
	return randomBinary(r, randomTree(r, depth-1), randomTree(r, depth-1))
}

func randomUnary(r *rand.Rand, x *tree) *tree {
	t := &tree{level: 12, fault: x.fault, unsigned: x.unsigned}
	operator := []string{"-", "+", "!", "~", "(.s64)", "(.u64)"}[r.UintN(6)]
	t.text = operator + x.in(12)
	if operator == "-" && strings.HasPrefix(x.text, "-") || operator == "+" && strings.HasPrefix(x.text, "+") {
		t.text = operator + " " + x.in(12)
	}
	switch operator {
	case "-":
		t.value = wrapped(new(big.Int).Neg(x.value), t.unsigned)
	case "+":
		t.value = x.value
	case "!":
		t.value, t.unsigned = yes(x.value.Sign() == 0), false
	case "~":
		t.unsigned = true
		t.value = wrapped(new(big.Int).Not(x.value), true)
	case "(.s64)":
		t.unsigned = false
		t.value = x.as(false)
	default:
		t.unsigned = true
		t.value = x.as(true)
	}
	return t
}

func randomBinary(r *rand.Rand, a, b *tree) *tree {
	operators := []struct {
		text  string
		level int
	}{{"*", 11}, {"/", 11}, {"%", 11}, {"+", 10}, {"-", 10}, {"<<", 9}, {">>", 9}, {"<", 8}, {">", 8}, {"<=", 8}, {">=", 8}, {"==", 7}, {"!=", 7}, {"&", 6}, {"^", 5}, {"|", 4}, {"&&", 3}, {"||", 2}}
	o := operators[r.IntN(len(operators))]
	t := &tree{level: o.level, fault: a.fault || b.fault, unsigned: a.unsigned || b.unsigned}
	t.text = a.in(o.level) + []string{"", " "}[r.UintN(2)] + o.text + " " + b.in(o.level+1)
	x, y := a.as(t.unsigned), b.as(t.unsigned)
	v := new(big.Int)
	switch o.text {
	case "*":
		v.Mul(x, y)
	case "/", "%":
		if o.text == "%" {
			x, y, t.unsigned = a.as(true), b.as(true), false
		}
		if y.Sign() == 0 {
			t.fault = true
			break
		}
		if o.text == "/" {
			v.Quo(x, y)
		} else {
			v.Rem(x, y)
		}
	case "+":
		v.Add(x, y)
	case "-":
		v.Sub(x, y)
	case "<<", ">>":
		t.unsigned = a.unsigned
		n := uint(200)
		if by := b.as(true); by.IsUint64() && by.Uint64() < 200 {
			n = uint(by.Uint64())
		}
		if o.text == "<<" {
			v.Lsh(a.value, n)
		} else {
			v.Rsh(a.value, n)
		}
	case "&":
		v.And(x, y)
	case "^":
		v.Xor(x, y)
	case "|":
		v.Or(x, y)
	default:
		t.unsigned = false
		order := x.Cmp(y)
		v = map[string]*big.Int{"<": yes(order < 0), ">": yes(order > 0), "<=": yes(order <= 0), ">=": yes(order >= 0), "==": yes(order == 0), "!=": yes(order != 0),
			"&&": yes(a.value.Sign() != 0 && b.value.Sign() != 0), "||": yes(a.value.Sign() != 0 || b.value.Sign() != 0)}[o.text]
		switch {
		case o.text == "&&" && a.value.Sign() == 0, o.text == "||" && a.value.Sign() != 0:
			t.fault = a.fault
		}
	}
	t.value = wrapped(v, t.unsigned)
	return t
}

// Random expressions have the values that C's precedences and the types of 4.5.5
// give them, computed in integers without a width.
func TestConstantExpressionsFollowTheISA(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	var trees []*tree
	var text strings.Builder
	text.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n")
	for len(trees) < 3000 {
		x := randomTree(r, 1+r.IntN(4))
		if x.fault {
			continue
		}
		fmt.Fprintf(&text, ".global .u64 v%d = %s;\n", len(trees), x.text)
		trees = append(trees, x)
	}
	m, err := Parse("constants.ptx", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range trees {
		var raw [8]byte
		copy(raw[:], m.Variables[i].Initial)
		if got, want := binary.LittleEndian.Uint64(raw[:]), wrapped(x.value, true).Uint64(); got != want {
			t.Fatalf("%s is %#x, want %#x", x.text, got, want)
		}
	}
}

// What divides by zero where it counts is refused, at its place.
func TestConstantExpressionsThatHaveNoValueAreRefused(t *testing.T) {
	for text, complaint := range map[string]string{
		"1/0": "divides by zero", "1 + 4 % (2-2)": "divides by zero", "1.0 + 2": "an integer and a floating-point operand",
		"0f3F800000 + 1.0": "stands alone", "~1.5": "takes an integer", "(.u64) 1.5": "cannot be cast", "1.5 ? 1 : 2": "is an integer", "1 ? 1.5 : 2": "an integer and a floating-point value",
		"(.u32) 1": "cast to .s64 or .u64", "1 ? 2": `":" expected`, "(1": `")" expected`, "2 *": "a number expected", "0x1FFFFFFFFU + 0": "does not fit .u32",
		strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000): "more than 100 levels", strings.Repeat("- ", 5000) + "(1)": "more than 100 levels",
	} {
		_, err := Parse("k.ptx", []byte(".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 v = "+text+";\n"))
		if list, ok := AsErrorList(err); !ok || !strings.Contains(list[0].Message, complaint) || list[0].Line != 4 {
			t.Errorf("%s: %v, want %q", abbreviate(text), err, complaint)
		}
	}
}

// Expressions stand wherever a number does, and keep their neighbours.
func TestConstantExpressionsStandWhereNumbersDo(t *testing.T) {
	m, err := Parse("k.ptx", []byte(`.version 8.0
.target sm_80
.address_size 64
.global .align 4*4 .f64 f = 1.0/4.0 - 2.0*(0.5 > 0.25 ? 1.5 : 0d4000000000000000) + 0.25;
.global .b8 mask[] = { 2*3, -(1), ~0, 0 ? 1/0 : 7, WARP_SZ/2, 0xFF };
.global .u64 table[2] = { mask + 2*2, generic(mask) - 8/3 };
.visible .entry k(.param .align 2*4 .b8 p[2*4]) .maxntid 2*64 {
	.reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<3>; .shared .b32 tile[4*(2+2)];
	mov.u32 %r1, 1 + 2*3;
	add.s32 %r1, %r1, -(4);
	ld.param.u32 %r2, [p+2*2];
	ld.shared.u32 %r2, [tile + 4 - 8/3];
	ld.shared.u32 %r2, [4*(1+1)];
	mov.u32 %r3, tile + 3*4;
	setp.eq.and.u32 %p1|%p2, %r1, 5%3, !%p1;
	and.b32 %r4, %r4, ~0xFF;
	@!%p1 or.b32 %r4, %r4, 1 << 4 | 3;
	selp.b32 %r4, 3 > 2 ? 7 : 9, !5, %p1;
	mov.u64 %d1, (.u64) -1 >> 60;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	v, k := m.Variables, m.Kernels[0]
	if got := binary.LittleEndian.Uint64(v[0].Initial); got != 0xC004000000000000 || v[0].Align != 16 { // 0.25 - 3 + 0.25
		t.Errorf("f is %#x, aligned %d", got, v[0].Align)
	}
	if got := fmt.Sprint(v[1].Initial); got != "[6 255 255 7 16 255]" {
		t.Errorf("mask is %s", got)
	}
	if r := v[2].Relocations; r[0].Addend != 4 || r[1].Addend != -2 || !r[1].Generic {
		t.Errorf("table has the relocations %+v", r)
	}
	if k.MaxThreads != 128 || k.Params[0].Bytes != 8 || k.Params[0].Align != 8 || k.Variables[0].Bytes != 64 {
		t.Errorf("%d threads, %+v, %+v", k.MaxThreads, k.Params[0], k.Variables[0])
	}
	want := []struct {
		operand int
		value   uint64
	}{{1, 7}, {2, 1<<64 - 4}, {1, 4}, {1, 2}, {1, 8}, {1, 12}, {3, 2}, {2, 0xFFFFFF00}, {2, 19}, {1, 7}, {1, 15}}
	for i, w := range want {
		o := &k.Body[i].Operands[w.operand]
		if got := o.Value + uint64(o.Offset); got != w.value {
			t.Errorf("instruction %d has %#x, want %#x", i, got, w.value)
		}
	}
	if o := k.Body[6].Operands[4]; !o.Negated || o.Register == nil {
		t.Error(`"!" before a predicate is no operator of an expression`)
	}
}
