// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// called is the bits of what an external function gives of arguments of so many bits each.
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
