// SPDX-License-Identifier: Apache-2.0

package random

// kind is one of the scalar types that kernels compute with.
type kind struct {
	name     string // as prelude.h spells it
	bits     int
	float    bool
	unsigned string // the unsigned type of the same size
}

var kinds = []kind{
	{"s8", 8, false, "u8"}, {"u8", 8, false, "u8"}, {"s16", 16, false, "u16"}, {"u16", 16, false, "u16"},
	{"s32", 32, false, "u32"}, {"u32", 32, false, "u32"}, {"s64", 64, false, "u64"}, {"u64", 64, false, "u64"},
	{"u128", 128, false, "u128"}, {"f16", 16, true, ""}, {"f32", 32, true, ""}, {"f64", 64, true, ""},
}

// signed reports whether the kind is a signed integer.
func (k kind) signed() bool { return !k.float && k.name[0] == 's' }
