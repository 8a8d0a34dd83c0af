// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// called gives an external function's result as bits. Argument i has bits[i] bits.
func called(t *testing.T, name string, bits []int, result int, arguments []uint64) uint64 {
	t.Helper()
	var formals, actuals, body []string
	for i, a := range arguments {
		formals = append(formals, fmt.Sprintf(".param .b%d p%d", bits[i], i))
		actuals = append(actuals, fmt.Sprintf("a%d", i))
		body = append(body, fmt.Sprintf(".param .b%[1]d a%[2]d; mov.b%[1]d %%x%[1]d, %#[3]x; st.param.b%[1]d [a%[2]d], %%x%[1]d;", bits[i], i, a))
	}
	got, err := launchText(t, Options{}, fmt.Sprintf(`.extern .func (.param .b%[1]d r) %[2]s (%[3]s);
.entry k(.param .u64 out) {
	.reg .b32 %%x32; .reg .b64 %%x64; .reg .b64 %%a;
	ld.param.u64 %%a, [out];
	{ %[4]s .param .b%[1]d r; call.uni (r), %[2]s, (%[5]s); ld.param.b%[1]d %%x%[1]d, [r]; }
	st.global.b%[1]d [%%a], %%x%[1]d;
	ret;
}`, result, name, strings.Join(formals, ", "), strings.Join(body, " "), strings.Join(actuals, ", ")), 1)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if result == 32 {
		return uint64(got[0])
	}
	return uint64(got[0]) | uint64(got[1])<<32
}

// Results were computed with integers and fractions of any size, and rounded as the CUDA Math API says of each function (sections "Integer
// Intrinsics" and "Type Casting Intrinsics"). What does not fit an integer is its nearest one.
func TestFunctionsOfIntegersAndBits(t *testing.T) {
	type row struct {
		arguments []uint64
		want      uint64
	}
	for _, c := range []struct {
		name   string
		bits   []int
		result int
		rows   []row
	}{
		{"abs", []int{32}, 32, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffff}, 0x1}, {[]uint64{0x80000000}, 0x80000000}, {[]uint64{0x12345678}, 0x12345678}, {[]uint64{0x7fffffff}, 0x7fffffff}}},
		{"llabs", []int{64}, 64, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffffffffffff}, 0x1}, {[]uint64{0x8000000000000000}, 0x8000000000000000}, {[]uint64{0x123456789abcdef0}, 0x123456789abcdef0}, {[]uint64{0x7fffffffffffffff}, 0x7fffffffffffffff}}},
		{"min", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0xffffffff}, {[]uint64{0x5, 0xffffffff}, 0xffffffff}, {[]uint64{0x80000000, 0xffffffff}, 0x80000000}, {[]uint64{0xffffffff, 0x80000000}, 0x80000000}, {[]uint64{0x12345678, 0x9abcdef0}, 0x9abcdef0}, {[]uint64{0x9abcdef0, 0x12345678}, 0x9abcdef0}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"max", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x5}, {[]uint64{0x5, 0xffffffff}, 0x5}, {[]uint64{0x80000000, 0xffffffff}, 0xffffffff}, {[]uint64{0xffffffff, 0x80000000}, 0xffffffff}, {[]uint64{0x12345678, 0x9abcdef0}, 0x12345678}, {[]uint64{0x9abcdef0, 0x12345678}, 0x12345678}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"umin", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x5}, {[]uint64{0x5, 0xffffffff}, 0x5}, {[]uint64{0x80000000, 0xffffffff}, 0x80000000}, {[]uint64{0xffffffff, 0x80000000}, 0x80000000}, {[]uint64{0x12345678, 0x9abcdef0}, 0x12345678}, {[]uint64{0x9abcdef0, 0x12345678}, 0x12345678}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"umax", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0xffffffff}, {[]uint64{0x5, 0xffffffff}, 0xffffffff}, {[]uint64{0x80000000, 0xffffffff}, 0xffffffff}, {[]uint64{0xffffffff, 0x80000000}, 0xffffffff}, {[]uint64{0x12345678, 0x9abcdef0}, 0x9abcdef0}, {[]uint64{0x9abcdef0, 0x12345678}, 0x9abcdef0}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"llmin", []int{64, 64}, 64, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffffffffffff, 0x5}, 0xffffffffffffffff}, {[]uint64{0x5, 0xffffffffffffffff}, 0xffffffffffffffff}, {[]uint64{0x8000000000000000, 0xffffffffffffffff}, 0x8000000000000000}, {[]uint64{0xffffffffffffffff, 0x8000000000000000}, 0x8000000000000000}, {[]uint64{0x123456789abcdef0, 0xfedcba9876543210}, 0xfedcba9876543210}, {[]uint64{0xfedcba9876543210, 0x123456789abcdef0}, 0xfedcba9876543210}, {[]uint64{0x7fffffffffffffff, 0x7fffffffffffffff}, 0x7fffffffffffffff}}},
		{"llmax", []int{64, 64}, 64, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffffffffffff, 0x5}, 0x5}, {[]uint64{0x5, 0xffffffffffffffff}, 0x5}, {[]uint64{0x8000000000000000, 0xffffffffffffffff}, 0xffffffffffffffff}, {[]uint64{0xffffffffffffffff, 0x8000000000000000}, 0xffffffffffffffff}, {[]uint64{0x123456789abcdef0, 0xfedcba9876543210}, 0x123456789abcdef0}, {[]uint64{0xfedcba9876543210, 0x123456789abcdef0}, 0x123456789abcdef0}, {[]uint64{0x7fffffffffffffff, 0x7fffffffffffffff}, 0x7fffffffffffffff}}},
		{"ullmin", []int{64, 64}, 64, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffffffffffff, 0x5}, 0x5}, {[]uint64{0x5, 0xffffffffffffffff}, 0x5}, {[]uint64{0x8000000000000000, 0xffffffffffffffff}, 0x8000000000000000}, {[]uint64{0xffffffffffffffff, 0x8000000000000000}, 0x8000000000000000}, {[]uint64{0x123456789abcdef0, 0xfedcba9876543210}, 0x123456789abcdef0}, {[]uint64{0xfedcba9876543210, 0x123456789abcdef0}, 0x123456789abcdef0}, {[]uint64{0x7fffffffffffffff, 0x7fffffffffffffff}, 0x7fffffffffffffff}}},
		{"ullmax", []int{64, 64}, 64, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffffffffffff, 0x5}, 0xffffffffffffffff}, {[]uint64{0x5, 0xffffffffffffffff}, 0xffffffffffffffff}, {[]uint64{0x8000000000000000, 0xffffffffffffffff}, 0xffffffffffffffff}, {[]uint64{0xffffffffffffffff, 0x8000000000000000}, 0xffffffffffffffff}, {[]uint64{0x123456789abcdef0, 0xfedcba9876543210}, 0xfedcba9876543210}, {[]uint64{0xfedcba9876543210, 0x123456789abcdef0}, 0xfedcba9876543210}, {[]uint64{0x7fffffffffffffff, 0x7fffffffffffffff}, 0x7fffffffffffffff}}},
		{"mulhi", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0xffffffff}, {[]uint64{0x5, 0xffffffff}, 0xffffffff}, {[]uint64{0x80000000, 0xffffffff}, 0x0}, {[]uint64{0xffffffff, 0x80000000}, 0x0}, {[]uint64{0x12345678, 0x9abcdef0}, 0xf8cc93d6}, {[]uint64{0x9abcdef0, 0x12345678}, 0xf8cc93d6}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x3fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0x0}}},
		{"umulhi", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x4}, {[]uint64{0x5, 0xffffffff}, 0x4}, {[]uint64{0x80000000, 0xffffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0x80000000}, 0x7fffffff}, {[]uint64{0x12345678, 0x9abcdef0}, 0xb00ea4e}, {[]uint64{0x9abcdef0, 0x12345678}, 0xb00ea4e}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x3fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xfffffffe}}},
		{"mul64hi", []int{64, 64}, 64, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffffffffffff, 0x5}, 0xffffffffffffffff}, {[]uint64{0x5, 0xffffffffffffffff}, 0xffffffffffffffff}, {[]uint64{0x8000000000000000, 0xffffffffffffffff}, 0x0}, {[]uint64{0xffffffffffffffff, 0x8000000000000000}, 0x0}, {[]uint64{0x123456789abcdef0, 0xfedcba9876543210}, 0xffeb49923cc09532}, {[]uint64{0xfedcba9876543210, 0x123456789abcdef0}, 0xffeb49923cc09532}, {[]uint64{0x7fffffffffffffff, 0x7fffffffffffffff}, 0x3fffffffffffffff}}},
		{"umul64hi", []int{64, 64}, 64, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffffffffffff, 0x5}, 0x4}, {[]uint64{0x5, 0xffffffffffffffff}, 0x4}, {[]uint64{0x8000000000000000, 0xffffffffffffffff}, 0x7fffffffffffffff}, {[]uint64{0xffffffffffffffff, 0x8000000000000000}, 0x7fffffffffffffff}, {[]uint64{0x123456789abcdef0, 0xfedcba9876543210}, 0x121fa00ad77d7422}, {[]uint64{0xfedcba9876543210, 0x123456789abcdef0}, 0x121fa00ad77d7422}, {[]uint64{0x7fffffffffffffff, 0x7fffffffffffffff}, 0x3fffffffffffffff}}},
		{"mul24", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0xfffffffb}, {[]uint64{0x5, 0xffffffff}, 0xfffffffb}, {[]uint64{0x80000000, 0xffffffff}, 0x0}, {[]uint64{0xffffffff, 0x80000000}, 0x0}, {[]uint64{0x12345678, 0x9abcdef0}, 0x9c2d2080}, {[]uint64{0x9abcdef0, 0x12345678}, 0x9c2d2080}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x1}, {[]uint64{0xffffffff, 0xffffffff}, 0x1}}},
		{"umul24", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x4fffffb}, {[]uint64{0x5, 0xffffffff}, 0x4fffffb}, {[]uint64{0x80000000, 0xffffffff}, 0x0}, {[]uint64{0xffffffff, 0x80000000}, 0x0}, {[]uint64{0x12345678, 0x9abcdef0}, 0x142d2080}, {[]uint64{0x9abcdef0, 0x12345678}, 0x142d2080}, {[]uint64{0x7fffffff, 0x7fffffff}, 0xfe000001}, {[]uint64{0xffffffff, 0xffffffff}, 0xfe000001}}},
		{"brev", []int{32}, 32, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffff}, 0xffffffff}, {[]uint64{0x80000000}, 0x1}, {[]uint64{0x12345678}, 0x1e6a2c48}, {[]uint64{0x7fffffff}, 0xfffffffe}}},
		{"brevll", []int{64}, 64, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffffffffffff}, 0xffffffffffffffff}, {[]uint64{0x8000000000000000}, 0x1}, {[]uint64{0x123456789abcdef0}, 0xf7b3d591e6a2c48}, {[]uint64{0x7fffffffffffffff}, 0xfffffffffffffffe}}},
		{"clz", []int{32}, 32, []row{{[]uint64{0x0}, 0x20}, {[]uint64{0xffffffff}, 0x0}, {[]uint64{0x80000000}, 0x0}, {[]uint64{0x12345678}, 0x3}, {[]uint64{0x7fffffff}, 0x1}}},
		{"clzll", []int{64}, 32, []row{{[]uint64{0x0}, 0x40}, {[]uint64{0xffffffffffffffff}, 0x0}, {[]uint64{0x8000000000000000}, 0x0}, {[]uint64{0x123456789abcdef0}, 0x3}, {[]uint64{0x7fffffffffffffff}, 0x1}}},
		{"popc", []int{32}, 32, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffff}, 0x20}, {[]uint64{0x80000000}, 0x1}, {[]uint64{0x12345678}, 0xd}, {[]uint64{0x7fffffff}, 0x1f}}},
		{"popcll", []int{64}, 32, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffffffffffff}, 0x40}, {[]uint64{0x8000000000000000}, 0x1}, {[]uint64{0x123456789abcdef0}, 0x20}, {[]uint64{0x7fffffffffffffff}, 0x3f}}},
		{"ffs", []int{32}, 32, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffff}, 0x1}, {[]uint64{0x80000000}, 0x20}, {[]uint64{0x12345678}, 0x4}, {[]uint64{0x7fffffff}, 0x1}}},
		{"ffsll", []int{64}, 32, []row{{[]uint64{0x0}, 0x0}, {[]uint64{0xffffffffffffffff}, 0x1}, {[]uint64{0x8000000000000000}, 0x40}, {[]uint64{0x123456789abcdef0}, 0x5}, {[]uint64{0x7fffffffffffffff}, 0x1}}},
		{"hadd", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x2}, {[]uint64{0x5, 0xffffffff}, 0x2}, {[]uint64{0x80000000, 0xffffffff}, 0xbfffffff}, {[]uint64{0xffffffff, 0x80000000}, 0xbfffffff}, {[]uint64{0x12345678, 0x9abcdef0}, 0xd6789ab4}, {[]uint64{0x9abcdef0, 0x12345678}, 0xd6789ab4}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"rhadd", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x2}, {[]uint64{0x5, 0xffffffff}, 0x2}, {[]uint64{0x80000000, 0xffffffff}, 0xc0000000}, {[]uint64{0xffffffff, 0x80000000}, 0xc0000000}, {[]uint64{0x12345678, 0x9abcdef0}, 0xd6789ab4}, {[]uint64{0x9abcdef0, 0x12345678}, 0xd6789ab4}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"uhadd", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x80000002}, {[]uint64{0x5, 0xffffffff}, 0x80000002}, {[]uint64{0x80000000, 0xffffffff}, 0xbfffffff}, {[]uint64{0xffffffff, 0x80000000}, 0xbfffffff}, {[]uint64{0x12345678, 0x9abcdef0}, 0x56789ab4}, {[]uint64{0x9abcdef0, 0x12345678}, 0x56789ab4}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"urhadd", []int{32, 32}, 32, []row{{[]uint64{0x0, 0x0}, 0x0}, {[]uint64{0xffffffff, 0x5}, 0x80000002}, {[]uint64{0x5, 0xffffffff}, 0x80000002}, {[]uint64{0x80000000, 0xffffffff}, 0xc0000000}, {[]uint64{0xffffffff, 0x80000000}, 0xc0000000}, {[]uint64{0x12345678, 0x9abcdef0}, 0x56789ab4}, {[]uint64{0x9abcdef0, 0x12345678}, 0x56789ab4}, {[]uint64{0x7fffffff, 0x7fffffff}, 0x7fffffff}, {[]uint64{0xffffffff, 0xffffffff}, 0xffffffff}}},
		{"sad", []int{32, 32, 32}, 32, []row{{[]uint64{0x0, 0x0, 0x7}, 0x7}, {[]uint64{0xffffffff, 0x5, 0x7}, 0xd}, {[]uint64{0x80000000, 0xffffffff, 0x7}, 0x80000006}, {[]uint64{0x12345678, 0x9abcdef0, 0x7}, 0x7777778f}, {[]uint64{0x7fffffff, 0x7fffffff, 0x7}, 0x7}, {[]uint64{0xffffffff, 0xffffffff, 0x7}, 0x7}}},
		{"usad", []int{32, 32, 32}, 32, []row{{[]uint64{0x0, 0x0, 0x7}, 0x7}, {[]uint64{0xffffffff, 0x5, 0x7}, 0x1}, {[]uint64{0x80000000, 0xffffffff, 0x7}, 0x80000006}, {[]uint64{0x12345678, 0x9abcdef0, 0x7}, 0x8888887f}, {[]uint64{0x7fffffff, 0x7fffffff, 0x7}, 0x7}, {[]uint64{0xffffffff, 0xffffffff, 0x7}, 0x7}}},
		{"byte_perm", []int{32, 32, 32}, 32, []row{{[]uint64{0x44332211, 0x88776655, 0x3210}, 0x44332211}, {[]uint64{0x44332211, 0x88776655, 0x7654}, 0x88776655}, {[]uint64{0x44332211, 0x88776655, 0xfb3}, 0x11884444}, {[]uint64{0x44332211, 0x88776655, 0x4162}, 0x55227733}}},
		{"hiloint2double", []int{32, 32}, 64, []row{{[]uint64{0x3ff80000, 0x80000001}, 0x3ff8000080000001}}},
		{"double2hiint", []int{64}, 32, []row{{[]uint64{0x3ff8000080000001}, 0x3ff80000}}},
		{"double2loint", []int{64}, 32, []row{{[]uint64{0x3ff8000080000001}, 0x80000001}}},
		{"float_as_int", []int{32}, 32, []row{{[]uint64{0xc0490fdb}, 0xc0490fdb}}},
		{"float_as_uint", []int{32}, 32, []row{{[]uint64{0xc0490fdb}, 0xc0490fdb}}},
		{"int_as_float", []int{32}, 32, []row{{[]uint64{0xc0490fdb}, 0xc0490fdb}}},
		{"uint_as_float", []int{32}, 32, []row{{[]uint64{0xc0490fdb}, 0xc0490fdb}}},
		{"double_as_longlong", []int{64}, 64, []row{{[]uint64{0xc00921fb54442d18}, 0xc00921fb54442d18}}},
		{"longlong_as_double", []int{64}, 64, []row{{[]uint64{0xc00921fb54442d18}, 0xc00921fb54442d18}}},
		{"float2int_rn", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0xfffffffe}, {[]uint64{0xbf400000}, 0xffffffff}, {[]uint64{0x4f32d05e}, 0x7fffffff}, {[]uint64{0xe0ad78ec}, 0x80000000}}},
		{"float2int_rz", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0xffffffff}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0x7fffffff}, {[]uint64{0xe0ad78ec}, 0x80000000}}},
		{"float2int_rd", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0xfffffffe}, {[]uint64{0xbf400000}, 0xffffffff}, {[]uint64{0x4f32d05e}, 0x7fffffff}, {[]uint64{0xe0ad78ec}, 0x80000000}}},
		{"float2int_ru", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x1}, {[]uint64{0x40200000}, 0x3}, {[]uint64{0xbfc00000}, 0xffffffff}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0x7fffffff}, {[]uint64{0xe0ad78ec}, 0x80000000}}},
		{"float2uint_rn", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2uint_rz", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2uint_rd", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2uint_ru", []int{32}, 32, []row{{[]uint64{0x3f000000}, 0x1}, {[]uint64{0x40200000}, 0x3}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2ll_rn", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0xfffffffffffffffe}, {[]uint64{0xbf400000}, 0xffffffffffffffff}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x8000000000000000}}},
		{"float2ll_rz", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0xffffffffffffffff}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x8000000000000000}}},
		{"float2ll_rd", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0xfffffffffffffffe}, {[]uint64{0xbf400000}, 0xffffffffffffffff}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x8000000000000000}}},
		{"float2ll_ru", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x1}, {[]uint64{0x40200000}, 0x3}, {[]uint64{0xbfc00000}, 0xffffffffffffffff}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x8000000000000000}}},
		{"float2ull_rn", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2ull_rz", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2ull_rd", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x0}, {[]uint64{0x40200000}, 0x2}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"float2ull_ru", []int{32}, 64, []row{{[]uint64{0x3f000000}, 0x1}, {[]uint64{0x40200000}, 0x3}, {[]uint64{0xbfc00000}, 0x0}, {[]uint64{0xbf400000}, 0x0}, {[]uint64{0x4f32d05e}, 0xb2d05e00}, {[]uint64{0xe0ad78ec}, 0x0}}},
		{"double2int_rn", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0xfffffffe}, {[]uint64{0xbfe8000000000000}, 0xffffffff}, {[]uint64{0x41e65a0bc0000000}, 0x7fffffff}, {[]uint64{0xc415af1d80000000}, 0x80000000}}},
		{"double2int_rz", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0xffffffff}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0x7fffffff}, {[]uint64{0xc415af1d80000000}, 0x80000000}}},
		{"double2int_rd", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0xfffffffe}, {[]uint64{0xbfe8000000000000}, 0xffffffff}, {[]uint64{0x41e65a0bc0000000}, 0x7fffffff}, {[]uint64{0xc415af1d80000000}, 0x80000000}}},
		{"double2int_ru", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x1}, {[]uint64{0x4004000000000000}, 0x3}, {[]uint64{0xbff8000000000000}, 0xffffffff}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0x7fffffff}, {[]uint64{0xc415af1d80000000}, 0x80000000}}},
		{"double2uint_rn", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2uint_rz", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2uint_rd", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2uint_ru", []int{64}, 32, []row{{[]uint64{0x3fe0000000000000}, 0x1}, {[]uint64{0x4004000000000000}, 0x3}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2ll_rn", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0xfffffffffffffffe}, {[]uint64{0xbfe8000000000000}, 0xffffffffffffffff}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x8000000000000000}}},
		{"double2ll_rz", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0xffffffffffffffff}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x8000000000000000}}},
		{"double2ll_rd", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0xfffffffffffffffe}, {[]uint64{0xbfe8000000000000}, 0xffffffffffffffff}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x8000000000000000}}},
		{"double2ll_ru", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x1}, {[]uint64{0x4004000000000000}, 0x3}, {[]uint64{0xbff8000000000000}, 0xffffffffffffffff}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x8000000000000000}}},
		{"double2ull_rn", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2ull_rz", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2ull_rd", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x0}, {[]uint64{0x4004000000000000}, 0x2}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"double2ull_ru", []int{64}, 64, []row{{[]uint64{0x3fe0000000000000}, 0x1}, {[]uint64{0x4004000000000000}, 0x3}, {[]uint64{0xbff8000000000000}, 0x0}, {[]uint64{0xbfe8000000000000}, 0x0}, {[]uint64{0x41e65a0bc0000000}, 0xb2d05e00}, {[]uint64{0xc415af1d80000000}, 0x0}}},
		{"int2float_rn", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0x7fffffff}, 0x4f000000}, {[]uint64{0x80000000}, 0xcf000000}, {[]uint64{0xfffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"int2float_rz", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0x7fffffff}, 0x4effffff}, {[]uint64{0x80000000}, 0xcf000000}, {[]uint64{0xfffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"int2float_rd", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0x7fffffff}, 0x4effffff}, {[]uint64{0x80000000}, 0xcf000000}, {[]uint64{0xfffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"int2float_ru", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800001}, {[]uint64{0x7fffffff}, 0x4f000000}, {[]uint64{0x80000000}, 0xcf000000}, {[]uint64{0xfffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"int2double_rn", []int{32}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0x7fffffff}, 0x41dfffffffc00000}, {[]uint64{0x80000000}, 0xc1e0000000000000}, {[]uint64{0xfffffffd}, 0xc008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"uint2float_rn", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0xffffffff}, 0x4f800000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"uint2float_rz", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0xffffffff}, 0x4f7fffff}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"uint2float_rd", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0xffffffff}, 0x4f7fffff}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"uint2float_ru", []int{32}, 32, []row{{[]uint64{0x1000001}, 0x4b800001}, {[]uint64{0xffffffff}, 0x4f800000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"uint2double_rn", []int{32}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0xffffffff}, 0x41efffffffe00000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x4008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ll2float_rn", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0x7fffffffffffffff}, 0x5f000000}, {[]uint64{0x8000000000000000}, 0xdf000000}, {[]uint64{0xfffffffffffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"ll2float_rz", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0x7fffffffffffffff}, 0x5effffff}, {[]uint64{0x8000000000000000}, 0xdf000000}, {[]uint64{0xfffffffffffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"ll2float_rd", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0x7fffffffffffffff}, 0x5effffff}, {[]uint64{0x8000000000000000}, 0xdf000000}, {[]uint64{0xfffffffffffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"ll2float_ru", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800001}, {[]uint64{0x7fffffffffffffff}, 0x5f000000}, {[]uint64{0x8000000000000000}, 0xdf000000}, {[]uint64{0xfffffffffffffffd}, 0xc0400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"ll2double_rn", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0x7fffffffffffffff}, 0x43e0000000000000}, {[]uint64{0x8000000000000000}, 0xc3e0000000000000}, {[]uint64{0xfffffffffffffffd}, 0xc008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ll2double_rz", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0x7fffffffffffffff}, 0x43dfffffffffffff}, {[]uint64{0x8000000000000000}, 0xc3e0000000000000}, {[]uint64{0xfffffffffffffffd}, 0xc008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ll2double_rd", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0x7fffffffffffffff}, 0x43dfffffffffffff}, {[]uint64{0x8000000000000000}, 0xc3e0000000000000}, {[]uint64{0xfffffffffffffffd}, 0xc008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ll2double_ru", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0x7fffffffffffffff}, 0x43e0000000000000}, {[]uint64{0x8000000000000000}, 0xc3e0000000000000}, {[]uint64{0xfffffffffffffffd}, 0xc008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ull2float_rn", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0xffffffffffffffff}, 0x5f800000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"ull2float_rz", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0xffffffffffffffff}, 0x5f7fffff}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"ull2float_rd", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800000}, {[]uint64{0xffffffffffffffff}, 0x5f7fffff}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800001}}},
		{"ull2float_ru", []int{64}, 32, []row{{[]uint64{0x1000001}, 0x4b800001}, {[]uint64{0xffffffffffffffff}, 0x5f800000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x40400000}, {[]uint64{0x1000003}, 0x4b800002}}},
		{"ull2double_rn", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0xffffffffffffffff}, 0x43f0000000000000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x4008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ull2double_rz", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0xffffffffffffffff}, 0x43efffffffffffff}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x4008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ull2double_rd", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0xffffffffffffffff}, 0x43efffffffffffff}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x4008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"ull2double_ru", []int{64}, 64, []row{{[]uint64{0x1000001}, 0x4170000010000000}, {[]uint64{0xffffffffffffffff}, 0x43f0000000000000}, {[]uint64{0x0}, 0x0}, {[]uint64{0x3}, 0x4008000000000000}, {[]uint64{0x1000003}, 0x4170000030000000}}},
		{"int2double", []int{32}, 64, []row{{[]uint64{0xfffffff9}, 0xc01c000000000000}}},
		{"uint2double", []int{32}, 64, []row{{[]uint64{0xfffffff9}, 0x41efffffff200000}}},
		{"double2float_rd", []int{64}, 32, []row{{[]uint64{0x3ff0000010000000}, 0x3f800000}, {[]uint64{0x3ff0000030000000}, 0x3f800001}, {[]uint64{0xbff0000008000000}, 0xbf800001}, {[]uint64{0x358dee7a4ad4b81f}, 0x0}}},
		{"double2float_ru", []int{64}, 32, []row{{[]uint64{0x3ff0000010000000}, 0x3f800001}, {[]uint64{0x3ff0000030000000}, 0x3f800002}, {[]uint64{0xbff0000008000000}, 0xbf800000}, {[]uint64{0x358dee7a4ad4b81f}, 0x1}}},
		{"double2float_rz", []int{64}, 32, []row{{[]uint64{0x3ff0000010000000}, 0x3f800000}, {[]uint64{0x3ff0000030000000}, 0x3f800001}, {[]uint64{0xbff0000008000000}, 0xbf800000}, {[]uint64{0x358dee7a4ad4b81f}, 0x0}}},
		{"double2float_rn", []int{64}, 32, []row{{[]uint64{0x3ff0000010000000}, 0x3f800000}, {[]uint64{0x3ff0000030000000}, 0x3f800002}, {[]uint64{0xbff0000008000000}, 0xbf800000}, {[]uint64{0x358dee7a4ad4b81f}, 0x0}}},
	} {
		for _, r := range c.rows {
			if got := called(t, "__nv_"+c.name, c.bits, c.result, r.arguments); got != r.want {
				t.Errorf("%s of %#x is %#x, want %#x", c.name, r.arguments, got, r.want)
			}
		}
	}
}

// fns finds the n-th set bit from a base on, upwards, or downwards for a negative n; n zero asks for the base itself (PTX ISA, 9.7.1.17). The
// bits are listed here, and the n-th is taken.
func TestTheNthSetBitIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 35))
	found := 0
	for range 150 {
		mask, base, n := r.Uint32()&r.Uint32(), r.Uint32N(34), int32(r.IntN(13)-6)
		var up, down []uint32
		for i := range uint32(32) {
			if mask>>i&1 == 1 && i >= base {
				up = append(up, i)
			}
			if mask>>i&1 == 1 && i <= base {
				down = append([]uint32{i}, down...)
			}
		}
		want := ^uint32(0)
		switch list := up; {
		case n == 0 && base < 32 && mask>>base&1 == 1:
			want = base
		case n < 0 && base < 32:
			if list = down; int(-n) <= len(list) {
				want = list[-n-1]
			}
		case n > 0 && int(n) <= len(list):
			want = list[n-1]
		}
		got, err := launchText(t, Options{}, fmt.Sprintf(`.entry k(.param .u64 out) {
	.reg .b32 %%r<5>; .reg .b64 %%a;
	ld.param.u64 %%a, [out];
	mov.b32 %%r1, %#x; mov.b32 %%r2, %d; mov.b32 %%r3, %d;
	fns.b32 %%r4, %%r1, %%r2, %%r3;
	st.global.b32 [%%a], %%r4;
	ret;
}`, mask, base, n), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got[0] != want {
			t.Errorf("number %d of %032b from %d on is %#x, want %#x", n, mask, base, got[0], want)
		}
		if want < 32 {
			found++
		}
	}
	if found < 40 {
		t.Errorf("%d are found", found)
	}
}

// modf splits a number into its whole part, which it stores, and its fraction; both have the number's sign (C17, 7.12.6.12).
func TestModfSplitsNumbers(t *testing.T) {
	for x, want := range map[float64][2]float64{3.75: {0.75, 3}, -3.75: {-0.75, -3}, 0.5: {0.5, 0}, -8: {math.Copysign(0, -1), -8}, math.Inf(-1): {math.Copysign(0, -1), math.Inf(-1)}, 1 << 60: {0, 1 << 60}} {
		got, err := launchText(t, Options{}, fmt.Sprintf(`.extern .func (.param .b64 r) __nv_modf (.param .b64 x, .param .b64 p);
.entry k(.param .u64 out) {
	.reg .f64 %%f<3>; .reg .b64 %%a<3>;
	ld.param.u64 %%a1, [out]; add.u64 %%a2, %%a1, 8; mov.f64 %%f1, 0d%016X;
	{ .param .b64 x; st.param.f64 [x], %%f1; .param .b64 p; st.param.b64 [p], %%a2; .param .b64 r; call.uni (r), __nv_modf, (x, p); ld.param.f64 %%f2, [r]; }
	st.global.f64 [%%a1], %%f2;
	ret;
}`, math.Float64bits(x)), 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if bits := uint64(got[2*i]) | uint64(got[2*i+1])<<32; bits != math.Float64bits(w) {
				t.Errorf("modf of %g: part %d is %g, want %g", x, i, math.Float64frombits(bits), w)
			}
		}
	}
}

// C's isnan, isinf, isfinite and signbit tell the same of a number in both precisions.
func TestFunctionsTellKindsOfNumbers(t *testing.T) {
	for _, c := range []struct {
		f32                         uint32
		f64                         uint64
		nan, infinite, finite, sign uint64
	}{
		{0x00000000, 0x0000000000000000, 0, 0, 1, 0}, {0x80000000, 0x8000000000000000, 0, 0, 1, 1},
		{0x3f800000, 0x3ff0000000000000, 0, 0, 1, 0}, {0xbf800000, 0xbff0000000000000, 0, 0, 1, 1},
		{0x00000001, 0x0000000000000001, 0, 0, 1, 0}, {0x807fffff, 0x800fffffffffffff, 0, 0, 1, 1},
		{0x7f7fffff, 0x7fefffffffffffff, 0, 0, 1, 0}, {0xff7fffff, 0xffefffffffffffff, 0, 0, 1, 1},
		{0x7f800000, 0x7ff0000000000000, 0, 1, 0, 0}, {0xff800000, 0xfff0000000000000, 0, 1, 0, 1},
		{0x7fc00000, 0x7ff8000000000000, 1, 0, 0, 0}, {0xffc00000, 0xfff8000000000000, 1, 0, 0, 1},
	} {
		for name, want := range map[string]uint64{"isnan": c.nan, "isinf": c.infinite, "finite": c.finite, "signbit": c.sign} {
			wide := name + "d"
			if name == "finite" {
				wide = "isfinited"
			}
			if got := called(t, "__nv_"+name+"f", []int{32}, 32, []uint64{uint64(c.f32)}); got != want {
				t.Errorf("%sf of %#x is %d, want %d", name, c.f32, got, want)
			}
			if got := called(t, "__nv_"+wide, []int{64}, 32, []uint64{c.f64}); got != want {
				t.Errorf("%s of %#x is %d, want %d", wide, c.f64, got, want)
			}
		}
	}
}

// The functions of C17's annex F at zeros, ones, infinities, large and subnormal numbers, as the GNU C library has them. Of zeros of both signs the
// larger one is positive, as PTX's max has it.
func TestFunctionsAtTheirEdges(t *testing.T) {
	for name, want := range map[string][]uint64{
		"acos":      {0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x0, 0x400921fb54442d18, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff0c152382d7366, 0x4000c152382d7366, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		"acosh":     {0x7ff8000000000000, 0x7ff8000000000000, 0x0, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff9119c13a31bb0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x408633ce8fb9f87d, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x401531738dcbc626, 0x7ff8000000000000, 0x7ff8000000000000},
		"asin":      {0x0, 0x8000000000000000, 0x3ff921fb54442d18, 0xbff921fb54442d18, 0x7ff8000000000000, 0x7ff8000000000000, 0x3fe0c152382d7366, 0xbfe0c152382d7366, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1, 0x8000000000000001, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		"asinh":     {0x0, 0x8000000000000000, 0x3fec34366179d427, 0xbfec34366179d427, 0x7ff0000000000000, 0xfff0000000000000, 0x3fdecc2caec5160a, 0xbfdecc2caec5160a, 0x3ffa5b0f0be9dcf6, 0xbffa5b0f0be9dcf6, 0xbff719218313d087, 0xbffd185b507edc0e, 0x408633ce8fb9f87d, 0xc08633ce8fb9f87d, 0x1, 0x8000000000000001, 0x40153180a93d3c2a, 0xc0153180a93d3c2a, 0x7ff8000000000000},
		"atan":      {0x0, 0x8000000000000000, 0x3fe921fb54442d18, 0xbfe921fb54442d18, 0x3ff921fb54442d18, 0xbff921fb54442d18, 0x3fddac670561bb4f, 0xbfddac670561bb4f, 0x3ff30b6d796a4da8, 0xbff30b6d796a4da8, 0xbff1b6e192ebbe44, 0xbff3fc176b7a8560, 0x3ff921fb54442d18, 0xbff921fb54442d18, 0x1, 0x8000000000000001, 0x3ff8f905eb2def22, 0xbff8f905eb2def22, 0x7ff8000000000000},
		"atanh":     {0x0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x3fe193ea7aad030a, 0xbfe193ea7aad030a, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1, 0x8000000000000001, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		"cbrt":      {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x3fe965fea53d6e3d, 0xbfe965fea53d6e3d, 0x3ff5b7209557b0ed, 0xbff5b7209557b0ed, 0xbff428a2f98d728c, 0xbff7137449123ef6, 0x554428a2f98d728b, 0xd54428a2f98d728b, 0x298fffffffffffff, 0xa98fffffffffffff, 0x401290fca9c761f7, 0xc01290fca9c761f7, 0x7ff8000000000000},
		"ceil":      {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000, 0x8000000000000000, 0x4008000000000000, 0xc000000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3ff0000000000000, 0x8000000000000000, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000},
		"cos":       {0x3ff0000000000000, 0x3ff0000000000000, 0x3fe14a280fb5068c, 0x3fe14a280fb5068c, 0x7ff8000000000000, 0x7ff8000000000000, 0x3fec1528065b7d50, 0x3fec1528065b7d50, 0xbfe9a2f7ef858b7d, 0xbfe9a2f7ef858b7d, 0xbfdaa22657537205, 0xbfefae04be85e5d2, 0xbfefffe62ecfab75, 0xbfefffe62ecfab75, 0x3ff0000000000000, 0x3ff0000000000000, 0x3feb981dbf665fdf, 0x3feb981dbf665fdf, 0x7ff8000000000000},
		"cosh":      {0x3ff0000000000000, 0x3ff0000000000000, 0x3ff8b07551d9f550, 0x3ff8b07551d9f550, 0x7ff0000000000000, 0x7ff0000000000000, 0x3ff20ac1862ae8d0, 0x3ff20ac1862ae8d0, 0x40188776e4b30aa3, 0x40188776e4b30aa3, 0x400e18fa0df2d9bc, 0x402422a497d6185e, 0x7ff0000000000000, 0x7ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x48e3494a9b171bf5, 0x48e3494a9b171bf5, 0x7ff8000000000000},
		"erf":       {0x0, 0x8000000000000000, 0x3feaf767a741088b, 0xbfeaf767a741088b, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0a7ef5c18edd2, 0xbfe0a7ef5c18edd2, 0x3feffcaa8f4c9bea, 0xbfeffcaa8f4c9bea, 0xbfefd9ae142795e3, 0xbfefffd1ac4135f9, 0x3ff0000000000000, 0xbff0000000000000, 0x1, 0x8000000000000001, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff8000000000000},
		"erfc":      {0x3ff0000000000000, 0x3ff0000000000000, 0x3fc4226162fbddd5, 0x3ffd7bb3d3a08446, 0x0, 0x4000000000000000, 0x3fdeb02147ce245c, 0x3ff853f7ae0c76e9, 0x3f3aab859b20ac9e, 0x3ffffe5547a64df5, 0x3fffecd70a13caf2, 0x3fffffe8d6209afd, 0x0, 0x4000000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x0, 0x4000000000000000, 0x7ff8000000000000},
		"exp":       {0x3ff0000000000000, 0x3ff0000000000000, 0x4005bf0a8b145769, 0x3fd78b56362cef38, 0x7ff0000000000000, 0x0, 0x3ffa61298e1e069c, 0x3fe368b2fc6f960a, 0x40285d6fd931e0bb, 0x3fb50385c094f425, 0x3fc152aaa3bf81cc, 0x3fa97db0ccceb0af, 0x7ff0000000000000, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x48f3494a9b171bf5, 0x36ea8c1f14e2af5d, 0x7ff8000000000000},
		"exp2":      {0x3ff0000000000000, 0x3ff0000000000000, 0x4000000000000000, 0x3fe0000000000000, 0x7ff0000000000000, 0x0, 0x3ff6a09e667f3bcd, 0x3fe6a09e667f3bcd, 0x4016a09e667f3bcd, 0x3fc6a09e667f3bcd, 0x3fd0000000000000, 0x3fc0000000000000, 0x7ff0000000000000, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x4630000000000000, 0x39b0000000000000, 0x7ff8000000000000},
		"expm1":     {0x0, 0x8000000000000000, 0x3ffb7e151628aed2, 0xbfe43a54e4e98864, 0x7ff0000000000000, 0xbff0000000000000, 0x3fe4c2531c3c0d38, 0xbfd92e9a0720d3ec, 0x40265d6fd931e0bb, 0xbfed5f8f47ed617c, 0xbfebab5557101f8d, 0xbfee6824f33314f5, 0x7ff0000000000000, 0xbff0000000000000, 0x1, 0x8000000000000001, 0x48f3494a9b171bf5, 0xbff0000000000000, 0x7ff8000000000000},
		"exp10":     {0x3ff0000000000000, 0x3ff0000000000000, 0x4024000000000000, 0x3fb9999999999999, 0x7ff0000000000000, 0x0, 0x40094c583ada5b53, 0x3fd43d136248490f, 0x4073c3a4edfa9758, 0x3f69e7c6e43390b7, 0x3f847ae147ae147b, 0x3f50624dd2f1a9fc, 0x7ff0000000000000, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x54b249ad2594c37d, 0x2b2bff2ee48e0530, 0x7ff8000000000000},
		"fabs":      {0x0, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x3fe0000000000000, 0x3fe0000000000000, 0x4004000000000000, 0x4004000000000000, 0x4000000000000000, 0x4008000000000000, 0x7fefffffffffffff, 0x7fefffffffffffff, 0x1, 0x1, 0x4059000000000000, 0x4059000000000000, 0x7ff8000000000000},
		"floor":     {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x0, 0xbff0000000000000, 0x4000000000000000, 0xc008000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x0, 0xbff0000000000000, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000},
		"j0":        {0x3ff0000000000000, 0x3ff0000000000000, 0x3fe87c7fdbd7b8f0, 0x3fe87c7fdbd7b8f0, 0x0, 0x0, 0x3fee07f1d54c3f34, 0x3fee07f1d54c3f34, 0xbfa8c5c2232cff3b, 0xbfa8c5c2232cff3b, 0x3fcca873fb24cef8, 0xbfd0a4b0f4642393, 0x9fe1f6d9ce529e67, 0x9fe1f6d9ce529e67, 0x3ff0000000000000, 0x3ff0000000000000, 0x3f94772bb5c1ef70, 0x3f94772bb5c1ef70, 0x7ff8000000000000},
		"j1":        {0x0, 0x8000000000000000, 0x3fdc29c9ee970c6c, 0xbfdc29c9ee970c6c, 0x0, 0x8000000000000000, 0x3fcf02a71f4870d7, 0xbfcf02a71f4870d7, 0x3fdfd063c84795ff, 0xbfdfd063c84795ff, 0xbfe27487958371ef, 0xbfd5b324589238ce, 0x1fe224b7b086d599, 0x9fe224b7b086d599, 0x0, 0x8000000000000000, 0xbfb3bfcc3bf06395, 0x3fb3bfcc3bf06395, 0x7ff8000000000000},
		"y0":        {0xfff0000000000000, 0xfff0000000000000, 0x3fb6980226f358e1, 0x7ff8000000000000, 0x0, 0x7ff8000000000000, 0xbfdc72feb3b7b8a2, 0x7ff8000000000000, 0x3fdfe0628069e15c, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1fe224b7b086d599, 0x7ff8000000000000, 0xc07d9ffc3469e1b3, 0x7ff8000000000000, 0xbfb3c64887b47b66, 0x7ff8000000000000, 0x7ff8000000000000},
		"y1":        {0xfff0000000000000, 0xfff0000000000000, 0xbfe8ffb207d66b94, 0x7ff8000000000000, 0x0, 0x7ff8000000000000, 0xbff78b26a2b7c4e0, 0x7ff8000000000000, 0x3fc2ad720f3af3a8, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1fe1f6d9ce529e67, 0x7ff8000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xbf94dc7ab72edc1f, 0x7ff8000000000000, 0x7ff8000000000000},
		"lgamma":    {0x7ff0000000000000, 0x7ff0000000000000, 0x0, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x3fe250d048e7a1bd, 0x3ff43f89a3f0edd6, 0x3fd2383e809a67e8, 0xbfaccbf9f5ed0f18, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x40874385446d71c3, 0x40874385446d71c3, 0x40767225b4879463, 0x7ff0000000000000, 0x7ff8000000000000},
		"log":       {0xfff0000000000000, 0xfff0000000000000, 0x0, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0xbfe62e42fefa39ef, 0x7ff8000000000000, 0x3fed5240f0e0e078, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x40862e42fefa39ef, 0x7ff8000000000000, 0xc0874385446d71c3, 0x7ff8000000000000, 0x40126bb1bbb55516, 0x7ff8000000000000, 0x7ff8000000000000},
		"log10":     {0xfff0000000000000, 0xfff0000000000000, 0x0, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0xbfd34413509f79ff, 0x7ff8000000000000, 0x3fd977d95ec10c02, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x40734413509f79ff, 0x7ff8000000000000, 0xc07434e6420f4374, 0x7ff8000000000000, 0x4000000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		"log1p":     {0x0, 0x8000000000000000, 0x3fe62e42fefa39ef, 0xfff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3fd9f323ecbf984c, 0xbfe62e42fefa39ef, 0x3ff40b512eb53d60, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x40862e42fefa39ef, 0x7ff8000000000000, 0x1, 0x8000000000000001, 0x401275e2271bba31, 0x7ff8000000000000, 0x7ff8000000000000},
		"log2":      {0xfff0000000000000, 0xfff0000000000000, 0x0, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0xbff0000000000000, 0x7ff8000000000000, 0x3ff5269e12f346e3, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x4090000000000000, 0x7ff8000000000000, 0xc090c80000000000, 0x7ff8000000000000, 0x401a934f0979a371, 0x7ff8000000000000, 0x7ff8000000000000},
		"logb":      {0xfff0000000000000, 0xfff0000000000000, 0x0, 0x0, 0x7ff0000000000000, 0x7ff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x408ff80000000000, 0x408ff80000000000, 0xc090c80000000000, 0xc090c80000000000, 0x4018000000000000, 0x4018000000000000, 0x7ff8000000000000},
		"nearbyint": {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x0, 0x8000000000000000, 0x4000000000000000, 0xc000000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x0, 0x8000000000000000, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000},
		"rint":      {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x0, 0x8000000000000000, 0x4000000000000000, 0xc000000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x0, 0x8000000000000000, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000},
		"round":     {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4008000000000000, 0xc008000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x0, 0x8000000000000000, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000},
		"trunc":     {0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x0, 0x8000000000000000, 0x4000000000000000, 0xc000000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x0, 0x8000000000000000, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000},
		"sin":       {0x0, 0x8000000000000000, 0x3feaed548f090cee, 0xbfeaed548f090cee, 0x7ff8000000000000, 0x7ff8000000000000, 0x3fdeaee8744b05f0, 0xbfdeaee8744b05f0, 0x3fe326af0dcfcab1, 0xbfe326af0dcfcab1, 0xbfed18f6ead1b446, 0xbfc210386db6d55b, 0x3f7452fc98b34e97, 0xbf7452fc98b34e97, 0x1, 0x8000000000000001, 0xbfe03425b78c4db8, 0x3fe03425b78c4db8, 0x7ff8000000000000},
		"sinh":      {0x0, 0x8000000000000000, 0x3ff2cd9fc44eb982, 0xbff2cd9fc44eb982, 0x7ff0000000000000, 0xfff0000000000000, 0x3fe0acd00fe63b97, 0xbfe0acd00fe63b97, 0x40183368cdb0b6d3, 0xc0183368cdb0b6d3, 0xc00d03cf63b6e1a0, 0xc0240926e70949ae, 0x7ff0000000000000, 0xfff0000000000000, 0x1, 0x8000000000000001, 0x48e3494a9b171bf5, 0xc8e3494a9b171bf5, 0x7ff8000000000000},
		"sqrt":      {0x0, 0x8000000000000000, 0x3ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3fe6a09e667f3bcd, 0x7ff8000000000000, 0x3ff94c583ada5b53, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x5fefffffffffffff, 0x7ff8000000000000, 0x1e60000000000000, 0x7ff8000000000000, 0x4024000000000000, 0x7ff8000000000000, 0x7ff8000000000000},
		"tan":       {0x0, 0x8000000000000000, 0x3ff8eb245cbee3a6, 0xbff8eb245cbee3a6, 0x7ff8000000000000, 0x7ff8000000000000, 0x3fe17b4f5bf3474a, 0xbfe17b4f5bf3474a, 0xbfe7e79b4e00bb15, 0x3fe7e79b4e00bb15, 0x40017af62e0950f8, 0x3fc23ef71254b86f, 0xbf74530cfe729484, 0x3f74530cfe729484, 0x1, 0x8000000000000001, 0xbfe2ca74d62b5d38, 0x3fe2ca74d62b5d38, 0x7ff8000000000000},
		"tanh":      {0x0, 0x8000000000000000, 0x3fe85efab514f394, 0xbfe85efab514f394, 0x3ff0000000000000, 0xbff0000000000000, 0x3fdd9353d7568af3, 0xbfdd9353d7568af3, 0x3fef9258260a71c2, 0xbfef9258260a71c2, 0xbfeed9505e1bc3d4, 0xbfefd77d111a0b00, 0x3ff0000000000000, 0xbff0000000000000, 0x1, 0x8000000000000001, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff8000000000000},
		"tgamma":    {0x7ff0000000000000, 0xfff0000000000000, 0x3ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3ffc5bf891b4ef6b, 0xc00c5bf891b4ef6a, 0x3ff544fa6d47b390, 0xbfee3ff812e32183, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x605166c698cf183b, 0x7ff8000000000000, 0x7ff8000000000000},
	} {
		for i, x := range []uint64{0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x4004000000000000, 0xc004000000000000, 0xc000000000000000, 0xc008000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x1, 0x8000000000000001, 0x4059000000000000, 0xc059000000000000, 0x7ff8000000000000} {
			checkFunction(t, name, want[i], x)
		}
	}
	seconds := []uint64{0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0x7ff8000000000000}
	for name, want := range map[string][]uint64{
		"atan2":     {0x0, 0x400921fb54442d18, 0x0, 0x400921fb54442d18, 0x0, 0x400921fb54442d18, 0x400921fb54442d18, 0x7ff8000000000000, 0x8000000000000000, 0xc00921fb54442d18, 0x8000000000000000, 0xc00921fb54442d18, 0x8000000000000000, 0xc00921fb54442d18, 0xc00921fb54442d18, 0x7ff8000000000000, 0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x3fe921fb54442d18, 0x4002d97c7f3321d2, 0x0, 0x400921fb54442d18, 0x400616b466d73d60, 0x7ff8000000000000, 0xbff921fb54442d18, 0xbff921fb54442d18, 0xbfe921fb54442d18, 0xc002d97c7f3321d2, 0x8000000000000000, 0xc00921fb54442d18, 0xc00616b466d73d60, 0x7ff8000000000000, 0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x3fe921fb54442d18, 0x4002d97c7f3321d2, 0x3ff921fb54442d18, 0x7ff8000000000000, 0xbff921fb54442d18, 0xbff921fb54442d18, 0xbff921fb54442d18, 0xbff921fb54442d18, 0xbfe921fb54442d18, 0xc002d97c7f3321d2, 0xbff921fb54442d18, 0x7ff8000000000000, 0xbff921fb54442d18, 0xbff921fb54442d18, 0xbff30b6d796a4da8, 0xbfff38892f1e0c88, 0x8000000000000000, 0xc00921fb54442d18, 0xc002d97c7f3321d2, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0xbff921fb54442d18, 0xbff921fb54442d18, 0x8000000000000001, 0xc00921fb54442d18, 0x8000000000000000, 0xc00921fb54442d18, 0xc00921fb54442d18, 0x7ff8000000000000, 0x3ff921fb54442d18, 0x3ff921fb54442d18, 0x1, 0x400921fb54442d18, 0x0, 0x400921fb54442d18, 0x400921fb54442d18, 0x7ff8000000000000},
		"copysign":  {0x0, 0x8000000000000000, 0x0, 0x8000000000000000, 0x0, 0x8000000000000000, 0x8000000000000000, 0x0, 0x0, 0x8000000000000000, 0x0, 0x8000000000000000, 0x0, 0x8000000000000000, 0x8000000000000000, 0x0, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0x7ff0000000000000, 0x4004000000000000, 0xc004000000000000, 0x4004000000000000, 0xc004000000000000, 0x4004000000000000, 0xc004000000000000, 0xc004000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1, 0x8000000000000001, 0x1, 0x8000000000000001, 0x1, 0x8000000000000001, 0x8000000000000001, 0x1, 0x1, 0x8000000000000001, 0x1, 0x8000000000000001, 0x1, 0x8000000000000001, 0x8000000000000001, 0x1},
		"fdim":      {0x0, 0x0, 0x0, 0x3ff0000000000000, 0x0, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x3ff0000000000000, 0x0, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x0, 0x4000000000000000, 0x0, 0x7ff0000000000000, 0x400c000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x7ff0000000000000, 0x3ff8000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x0, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x7ff0000000000000, 0x0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x3ff0000000000000, 0x0, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x1, 0x1, 0x0, 0x3ff0000000000000, 0x0, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000},
		"fmod":      {0x7ff8000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000000, 0x8000000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0xbfe0000000000000, 0xbfe0000000000000, 0xc004000000000000, 0xc004000000000000, 0x8000000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1, 0x1, 0x1, 0x1, 0x1, 0x7ff8000000000000},
		"hypot":     {0x0, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff6a09e667f3bcd, 0x3ff6a09e667f3bcd, 0x7ff0000000000000, 0x7ff0000000000000, 0x40058a68a4a8d9f3, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff6a09e667f3bcd, 0x3ff6a09e667f3bcd, 0x7ff0000000000000, 0x7ff0000000000000, 0x40058a68a4a8d9f3, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x4004000000000000, 0x4004000000000000, 0x40058a68a4a8d9f3, 0x40058a68a4a8d9f3, 0x7ff0000000000000, 0x7ff0000000000000, 0x400c48c6001f0ac0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1, 0x1, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000, 0x1, 0x1, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x4004000000000000, 0x7ff8000000000000},
		"pow":       {0x3ff0000000000000, 0x3ff0000000000000, 0x0, 0x7ff0000000000000, 0x0, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x8000000000000000, 0xfff0000000000000, 0x0, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x0, 0x7ff0000000000000, 0x0, 0x0, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0xfff0000000000000, 0x8000000000000000, 0x7ff0000000000000, 0x0, 0x0, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0xc004000000000000, 0xbfd999999999999a, 0x7ff0000000000000, 0x0, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x8000000000000001, 0xfff0000000000000, 0x0, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x1, 0x7ff0000000000000, 0x0, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000},
		"remainder": {0x7ff8000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x0, 0x0, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000000, 0x8000000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0xbfe0000000000000, 0xbfe0000000000000, 0xc004000000000000, 0xc004000000000000, 0x8000000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x1, 0x1, 0x1, 0x1, 0x1, 0x7ff8000000000000},
		"fmax":      {0x0, 0x0, 0x3ff0000000000000, 0x0, 0x7ff0000000000000, 0x0, 0x0, 0x0, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0x8000000000000000, 0x7ff0000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x3ff0000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0xfff0000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xc004000000000000, 0xc004000000000000, 0xc004000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0x7ff8000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0x8000000000000001, 0x7ff0000000000000, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0x1, 0x1, 0x3ff0000000000000, 0x1, 0x7ff0000000000000, 0x1, 0x1, 0x1},
		"fmin":      {0x0, 0x8000000000000000, 0x0, 0xbff0000000000000, 0x0, 0xfff0000000000000, 0xc004000000000000, 0x0, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0xbff0000000000000, 0x8000000000000000, 0xfff0000000000000, 0xc004000000000000, 0x8000000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xbff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0xbff0000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0xc004000000000000, 0xc004000000000000, 0xc004000000000000, 0xc004000000000000, 0xfff0000000000000, 0xc004000000000000, 0xc004000000000000, 0x0, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0xc004000000000000, 0x7ff8000000000000, 0x8000000000000001, 0x8000000000000001, 0x8000000000000001, 0xbff0000000000000, 0x8000000000000001, 0xfff0000000000000, 0xc004000000000000, 0x8000000000000001, 0x0, 0x8000000000000000, 0x1, 0xbff0000000000000, 0x1, 0xfff0000000000000, 0xc004000000000000, 0x1},
		"nextafter": {0x0, 0x8000000000000000, 0x1, 0x8000000000000001, 0x1, 0x8000000000000001, 0x8000000000000001, 0x7ff8000000000000, 0x0, 0x8000000000000000, 0x1, 0x8000000000000001, 0x1, 0x8000000000000001, 0x8000000000000001, 0x7ff8000000000000, 0x3fefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001, 0x3fefffffffffffff, 0x3fefffffffffffff, 0x7ff8000000000000, 0xbfefffffffffffff, 0xbfefffffffffffff, 0xbfefffffffffffff, 0xbff0000000000000, 0xbfefffffffffffff, 0xbff0000000000001, 0xbff0000000000001, 0x7ff8000000000000, 0x7fefffffffffffff, 0x7fefffffffffffff, 0x7fefffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7fefffffffffffff, 0x7fefffffffffffff, 0x7ff8000000000000, 0xffefffffffffffff, 0xffefffffffffffff, 0xffefffffffffffff, 0xffefffffffffffff, 0xffefffffffffffff, 0xfff0000000000000, 0xffefffffffffffff, 0x7ff8000000000000, 0xc003ffffffffffff, 0xc003ffffffffffff, 0xc003ffffffffffff, 0xc003ffffffffffff, 0xc003ffffffffffff, 0xc004000000000001, 0xc004000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x7ff8000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000002, 0x8000000000000000, 0x8000000000000002, 0x8000000000000002, 0x7ff8000000000000, 0x0, 0x0, 0x2, 0x0, 0x2, 0x0, 0x0, 0x7ff8000000000000},
	} {
		for i, x := range append(slices.Clone(seconds), 0x8000000000000001, 1) {
			for j, y := range seconds {
				checkFunction(t, name, want[i*len(seconds)+j], x, y)
			}
		}
	}
}

// checkFunction holds a function of double precision to a result. NaNs, infinities and zeros are those that it says.
func checkFunction(t *testing.T, name string, want uint64, arguments ...uint64) {
	t.Helper()
	got := math.Float64frombits(called(t, "__nv_"+name, []int{64, 64}[:len(arguments)], 64, arguments))
	w := math.Float64frombits(want)
	if got != got && w != w || math.Float64bits(got) == want || got*w != 0 && math.Abs(got-w) <= 1e-12*math.Abs(w) && !math.IsInf(w, 0) {
		return
	}
	var list []float64
	for _, a := range arguments {
		list = append(list, math.Float64frombits(a))
	}
	t.Errorf("%s%v is %g, want %g", name, list, got, w)
}
