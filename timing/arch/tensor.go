// SPDX-License-Identifier: Apache-2.0

package arch

import "reflect"

// TensorRates are the multiply-adds that the tensor units of an SM do in a cycle together, by
// the types of factors and sums. Without any, each matrix instruction holds its unit for the
// interval of latencies.tensor, whatever its shape. With some, it holds the unit as long as its
// multiply-adds take, and types without a rate are lacking. An instruction whose shape and
// types the trace does not tell takes what latencies.tensor says. That is what the product of
// two matrices of 16 x 16 numbers of F16 with sums of F16 takes.
type TensorRates struct {
	F16       int `yaml:"f16" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`     // sums of .f16
	F16Single int `yaml:"f16_f32" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"` // .f16, sums of .f32
	BF16      int `yaml:"bf16" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`    // sums of .f32
	TF32      int `yaml:"tf32" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`    // sums of .f32
	F8        int `yaml:"f8" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`      // .e4m3 and .e5m2
	F64       int `yaml:"f64" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`
	Int8      int `yaml:"int8" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`
	Int4      int `yaml:"int4" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"`
	Bits      int `yaml:"bits" unit:"multiply-adds a cycle" range:"0..1048576" default:"0" digest:"used"` // single bits, whose ones are counted
}

// allOfTheRate is SM.MMARatePercent where products of warps and of warpgroups are alike.
const allOfTheRate = 100

// MMARate is MMARatePercent, or what it is by default.
func (s *SM) MMARate() int {
	if s.MMARatePercent == 0 {
		return allOfTheRate
	}
	return s.MMARatePercent
}

// Given reports whether the machine has rates at all.
func (r *TensorRates) Given() bool { return *r != TensorRates{} }

// Of is the rate of a key, such as "f16_f32"; zero: the machine lacks it.
func (r *TensorRates) Of(key string) int {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == key {
			return int(v.Field(i).Int())
		}
	}
	return 0
}
