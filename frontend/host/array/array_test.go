// SPDX-License-Identifier: Apache-2.0

package array

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// eval runs a Starlark expression with the arrays of globals defined.
func eval(t *testing.T, globals starlark.StringDict, expression string) (starlark.Value, error) {
	t.Helper()
	thread, _ := testThread(1 << 30)
	all := Globals()
	for name, v := range globals {
		all[name] = v
	}
	return starlark.EvalOptions(&syntax.FileOptions{}, thread, "test.star", expression, all)
}

func testThread(limit uint64) (*starlark.Thread, *Space) {
	thread, space := &starlark.Thread{}, NewSpace(limit)
	space.Attach(thread)
	AttachContext(context.Background(), thread)
	return thread, space
}

func TestExpressionsHaveTheValueOfTheirTypes(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"u8([250, 5]) + 10", "u8[2](4, 15)"},
		{"i8(-128) - 1", "i8[](127)"},
		{"i32([7, -7, 7, -7]) // i32([2, 2, -2, -2])", "i32[4](3, -4, -4, 3)"},
		{"i32([7, -7, 7, -7]) % i32([3, 3, -3, -3])", "i32[4](1, 2, -2, -1)"},
		{"i32(-2147483648) // -1", "i32[](-2147483648)"},
		{"10 - i64([1, 2])", "i64[2](9, 8)"},
		{"f32([0.1]) + f32([0.2])", "f32[1](0.30000001192092896)"},
		{"f64([0.1]) + 0.2", "f64[1](0.30000000000000004)"},
		{"1.0 / f32([3.0])", "f32[1](0.3333333432674408)"},
		{"f32([1.0, 2.0]) * 2", "f32[2](2.0, 4.0)"},
		{"u16([1, 3]) << 15", "u16[2](32768, 32768)"},
		{"i32([-8]) >> 40", "i32[1](-1)"},
		{"u32([12]) & 10 | 1 ^ u32([3])", "u32[1](10)"},
		{"~u8([1])", "u8[1](254)"},
		{"-i16([3])", "i16[1](-3)"},
		{"i32(f32([2.9, -2.9, 3e9]))", "i32[3](2, -2, 2147483647)"},
		{"u8(f64([-1.0, 300.0]))", "u8[2](0, 255)"},
		{"i8(i32([255, 128]))", "i8[2](-1, -128)"},
		{"u64(i8([-1]))", "u64[1](18446744073709551615)"},
		{"f64(u64(18446744073709551615)).item()", "1.8446744073709552e+19"},
		{"i32([3, 1, 2])[1]", "1"},
		{"i32([3, 1, 2])[-1]", "2"},
		{"i32([3, 1, 2])[1:]", "i32[2](1, 2)"},
		{"i32([3, 1, 2])[::-1]", "i32[3](2, 1, 3)"},
		{"i32([3, 1, 2, 4]).reshape(2, 2)[1, 0]", "2"},
		{"i32([3, 1, 2, 4]).reshape(2, 2).shape", "(2, 2)"},
		{"len(i32([3, 1, 2]))", "3"},
		{"list(i32([3, 1]))", "[3, 1]"},
		{"i32([3, 1, 2]).dtype == i32", "True"},
		{"i32([3, 1, 2]).sum()", "6"},
		{"u64([18446744073709551615, 2]).sum()", "18446744073709551617"},
		{"i64([-9223372036854775808, -1]).sum()", "-9223372036854775809"},
		{"f32([0.5, 0.25]).sum()", "0.75"},
		{"i32([3, -1, 2]).min()", "-1"},
		{"u64([3, 1, 18446744073709551615]).max()", "18446744073709551615"},
		{"f32([1.5, -2.5]).abs()", "f32[2](1.5, 2.5)"},
		{"i8([-128, 5]).abs()", "i8[2](-128, 5)"},
		{"u8([200]).abs()", "u8[1](200)"},
		{"f64([2.25]).sqrt().floor()", "f64[1](1.0)"},
		{"i32([3, 1, 2]).cumsum()", "i32[3](3, 4, 6)"},
		{"i32([3, 1, 2, 1]).sort()", "i32[4](1, 1, 2, 3)"},
		{"i32([3, 1, 2, 1]).unique()", "i32[3](1, 2, 3)"},
		{"i32([]).unique()", "i32[0]()"},
		{"i32([3, 1, 2]).lt(3)", "u8[3](0, 1, 1)"},
		{"i32([3, 1]).eq(i32([3, 2]))", "u8[2](1, 0)"},
		{"f32([1.0, 2.0]).ge(1.5).any()", "True"},
		{"f32([1.0, 2.0]).ne(1.0).all()", "False"},
		{"i32([5, 6, 7]).take(i32([2, 0]))", "i32[2](7, 5)"},
		{"i32([5, 6, 7]).select(u8([1, 0, 1]))", "i32[2](5, 7)"},
		{"i32([0, 6, 7]).nonzero()", "i64[2](1, 2)"},
		{"i32([1, 2, 3, 4, 5, 6]).reshape(2, 3).transpose()", "i32[3, 2](1, 4, 2, 5, 3, 6)"},
		{"i32([1, 2, 3, 4]).reshape(2, 2).shift(rows=1)", "i32[2, 2](3, 4, 3, 4)"},
		{"i32([1, 2, 3, 4]).reshape(2, 2).shift(columns=-1)", "i32[2, 2](1, 1, 3, 3)"},
		{"array.zeros(f32, (2, 1))", "f32[2, 1](0.0, 0.0)"},
		{"array.full(i8, 2, -3)", "i8[2](-3, -3)"},
		{"array.arange(u8, 3, start=4, step=2)", "u8[3](4, 6, 8)"},
		{"array.ranges(i32([0, 5, 7]), i32([2, 5, 9]))", "i64[4](0, 1, 7, 8)"},
		{"array.concat([i32([1]), i32([2, 3])])", "i32[3](1, 2, 3)"},
		{"array.where(u8([1, 0]), i32([1, 2]), 9)", "i32[2](1, 9)"},
		{"array.minimum(i32([1, 5]), 3)", "i32[2](1, 3)"},
		{"array.maximum(f32([1.0, 5.0]), f32([2.0, 2.0]))", "f32[2](2.0, 5.0)"},
		{"array.matmul(f32([1.0, 2.0, 3.0, 4.0]).reshape(2, 2), f32([1.0, 1.0]).reshape(2, 1))", "f64[2, 1](3.0, 7.0)"},
		{"array.arange(i32, 100)", "i32[100](0, 1, 2, 3, 4, 5, 6, 7, ...)"},
		{"bool(i32(0)) or bool(i32([]))", "False"},
	} {
		got, err := eval(t, nil, c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
		} else if got.String() != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.expression, got, c.want)
		}
	}
}

func TestWrongExpressionsSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"i32([1]) + f32([1.0])", "i32[1] and f32[1] do not mix"},
		{"i32([1]) + i32([1, 2])", "shapes differ: i32[1] and i32[2]"},
		{"i32([1]) + 1.5", "a float (1.5) is no i32"},
		{"u8(256)", "u8: 256 does not fit"},
		{"i8([1, -129])", "element 1: i8: -129 does not fit"},
		{"i32([1]) / 2", "i32 has no /"},
		{"f32([1.0]) // 2.0", "f32 has no //"},
		{"i32([1, 2]) // i32([1, 0])", "division by zero"},
		{"i32([1]) % 0", "division by zero"},
		{"~f32([1.0])", "f32 has no ~"},
		{"i32([1])[1]", "index 1 out of range"},
		{"i32([1])[-2]", "index -2 out of range"},
		{"i32([1])[0, 0]", "2 indexes for i32[1]"},
		{"i32([1, 2]).take(i32([2]))", "index 2 at 0 out of range"},
		{"i32([1, 2]).take(i32([-1]))", "index -1 at 0 out of range"},
		{"i32([1, 2]).take(f32([1.0]))", "indexes must be integers"},
		{"i32([1, 2]).reshape(3)", "2 elements do not fill shape [3]"},
		{"i32([1, 2]).reshape(-1, -2)", "a dimension is negative"},
		{"i32([1, 2]).transpose()", "needs two dimensions"},
		{"i32([]).max()", "the array is empty"},
		{"i32([1, 2]).item()", "has 2 elements, not one"},
		{"i32([1, 2]).select(u8([1]))", "the mask is u8[1]"},
		{"array.zeros(i32, -1)", "a dimension is negative"},
		{"array.zeros(i32, (1 << 20, 1 << 20))", "too many elements"},
		{"array.zeros(i64, 1 << 30)", "out of memory"},
		{"array.ranges(i64([0]), i64([1 << 50]))", "many elements"},
		{"array.matmul(f32([1.0]), f32([1.0]))", "needs float matrices"},
		{"array.concat([])", "the list is empty"},
		{"array.concat([i32([1]), u8([1])])", "element 1"},
		{"array.fma(i32([1]), 1, 1)", "needs floats"},
		{"f32('x')", "cannot make one of a string"},
		{"f32(['x'])", "want a number for f32, got string"},
		{"i32([1]).sum(1)", "takes no arguments"},
		{"{i32([1]): 1}", "cannot be a dictionary key"},
	} {
		got, err := eval(t, nil, c.expression)
		if err == nil {
			t.Errorf("%s: got %s, want an error", c.expression, got)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant ...%s...", c.expression, err, c.want)
		}
	}
}

func TestArraysOfTheTopLevelCannotChange(t *testing.T) {
	thread, _ := testThread(1 << 20)
	for _, statement := range []string{"a[0] = 1", "a.put(i32([0]), 1)", "a.add_at(i32([0]), 1)"} {
		program := "a = i32([0])\ndef f():\n    " + statement + "\n"
		globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, "test.star", program, Globals())
		if err != nil {
			t.Fatal(err)
		}
		globals.Freeze()
		if _, err = starlark.Call(thread, globals["f"], nil, nil); err == nil || !strings.Contains(err.Error(), "frozen") {
			t.Errorf("%s: got %v", statement, err)
		}
	}
}

func TestScatterWritesInPlaceAndInOrder(t *testing.T) {
	thread, space := testThread(1 << 20)
	a, err := New(space, I32, 4)
	if err != nil {
		t.Fatal(err)
	}
	globals := Globals()
	globals["a"] = a
	program := "a.put(i64([1, 1]), i32([5, 6]))\na.add_at(i64([2, 2, 3]), i32([1, 2, 3]))\na.add_at(u8([0]), 9)\na[3] = -1\n"
	if _, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, "test.star", program, globals); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int32{9, 6, 3, -1}, a.data.([]int32)); diff != "" {
		t.Error(diff)
	}
}

// TestFMAIsRoundedOnce compares with exact arithmetic of package big.
func TestFMAIsRoundedOnce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	value := func() float32 {
		return math.Float32frombits(random.Uint32()&0x807fffff | uint32(100+random.IntN(50))<<23)
	}
	for range 100000 {
		a, b, c := value(), value(), value()
		if random.IntN(2) == 0 { // cancellation, and ties
			c = -float32(float64(a)*float64(b)) * float32(1+random.IntN(3)) / 2
		}
		exact := new(big.Float).SetPrec(600).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
		exact.Add(exact, big.NewFloat(float64(c)))
		want, _ := exact.Float32()
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
}

func TestFMAOfInfinitiesAndNaN(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	if got := fma32(math.MaxFloat32, 2, 0); got != inf {
		t.Errorf("overflow gives %v", got)
	}
	if got := fma32(inf, 1, -1); got != inf {
		t.Errorf("infinity gives %v", got)
	}
	for _, got := range []float32{fma32(inf, 0, 1), fma32(nan, 1, 1), fma32(inf, 1, -inf)} {
		if got == got {
			t.Errorf("got %v, want NaN", got)
		}
	}
}

// TestMatmulEqualsTheDefinition compares with the triple loop.
func TestMatmulEqualsTheDefinition(t *testing.T) {
	const m, k = 7, 11
	for _, n := range []int{1, 5} { // one column has a loop of its own
		testMatmul(t, m, k, n)
	}
}

func testMatmul(t *testing.T, m, k, n int) {
	random := rand.New(rand.NewPCG(3, 4))
	_, space := testThread(1 << 20)
	fill := func(rows, columns int) *Array {
		a, err := New(space, F32, rows, columns)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len() {
			a.SetFloat(i, float64(random.Float32()-0.5))
		}
		return a
	}
	a, b := fill(m, k), fill(k, n)
	v, err := eval(t, starlark.StringDict{"a": a, "b": b}, "array.matmul(a, b)")
	if err != nil {
		t.Fatal(err)
	}
	got := v.(*Array)
	for row := range m {
		for column := range n {
			want := 0.0
			for i := range k {
				want += a.Float(row*k+i) * b.Float(i*n+column)
			}
			if got.Float(row*n+column) != want {
				t.Errorf("[%d, %d] is %v, want %v", row, column, got.Float(row*n+column), want)
			}
		}
	}
}

func TestBytesAreLittleEndianAndComeBack(t *testing.T) {
	for _, typ := range Types() {
		_, space := testThread(1 << 20)
		a, err := New(space, typ, 3)
		if err != nil {
			t.Fatal(err)
		}
		bytes := make([]byte, a.ByteSize())
		for i := range bytes {
			bytes[i] = byte(i + 1)
		}
		if err := a.SetBytes(bytes); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bytes, a.AppendBytes(nil)); diff != "" {
			t.Errorf("%s: %s", typ, diff)
		}
		if err := a.SetBytes(bytes[1:]); err == nil {
			t.Errorf("%s: a wrong number of bytes is accepted", typ)
		}
	}
	v, err := eval(t, nil, "u32([258])")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]byte{2, 1, 0, 0}, v.(*Array).AppendBytes(nil)); diff != "" {
		t.Error(diff)
	}
}

func TestDroppedArraysGiveTheirMemoryBack(t *testing.T) {
	thread, _ := testThread(10 << 20)
	program := `
def f():
    a = array.zeros(u8, 1 << 20)
    for i in range(200):
        a = a + 1
    return a[0]
`
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, "test.star", program, Globals())
	if err != nil {
		t.Fatal(err)
	}
	got, err := starlark.Call(thread, globals["f"], nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != "200" {
		t.Errorf("got %s", got)
	}
}

func TestWorkOnArraysCostsSteps(t *testing.T) {
	thread, _ := testThread(1 << 30)
	if _, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "test.star", "array.zeros(u8, 16000)", Globals()); err != nil {
		t.Fatal(err)
	}
	if thread.Steps < 1000 {
		t.Errorf("%d steps", thread.Steps)
	}
}

func TestMatmulStopsWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	thread, _ := testThread(1 << 20)
	AttachContext(ctx, thread)
	_, err := starlark.EvalOptions(&syntax.FileOptions{}, thread, "test.star", "array.matmul(array.zeros(f32, (2, 2)), array.zeros(f32, (2, 2)))", Globals())
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}

func TestEveryTypeIsComplete(t *testing.T) {
	for _, typ := range Types() {
		k := &kinds[typ]
		if k.name == "" || k.bytes == 0 || k.make == nil || k.load == nil || k.store == nil {
			t.Errorf("type %d has gaps", typ)
		}
		if fmt.Sprint(typ) != k.name || typ.Float() != (k.fma != nil) {
			t.Errorf("%s: name or class", typ)
		}
	}
}

// BenchmarkElementwise isolates one whole-array operation of f32, without the
// interpreter.
func BenchmarkElementwise(b *testing.B) {
	_, space := testThread(1 << 40)
	x, err := New(space, F32, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	dst := kinds[F32].make(1 << 20)
	b.SetBytes(4 << 20)
	for b.Loop() {
		kinds[F32].binary[opAdd](dst, x.data, x.data)
	}
}

// BenchmarkMultiply isolates the inner loops of matmul.
func BenchmarkMultiply(b *testing.B) {
	const n = 128
	x, y := make([]float64, n*n), make([]float64, n*n)
	for b.Loop() {
		clear(y)
		if err := multiply(context.Background(), y, x, x, n, n); err != nil {
			b.Fatal(err)
		}
	}
}
