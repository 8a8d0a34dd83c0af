// SPDX-License-Identifier: Apache-2.0

package interpreter

import (
	"math"

	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/frontend/ptx"
	"github.com/warptape/warptape/trace"
)

// matrixProduct is wmma.mma or mma.sync: d = a*b + c.
type matrixProduct struct {
	m, n, k    int // k in words of 4-bit integers and single bits
	products   int // that are computed at once, one behind the other in the arrays
	a, b, c, d fragmentMap
	factor     ptx.Type       // of the elements of a in floating-point products
	factorB    ptx.Type       // of those of b
	rounding   lanes.Rounding // of .f64 products
	signed     bool           // elements of a are .s8 or .s4
	signedB    bool           // those of b are
	saturate   bool           // .satfinite
	dot        func(x, y uint32) int64
	sparse     *sparsity // of a; nil for a dense one
}

// The most elements of a factor (16 x 32) and of an accumulator.
const (
	maxFactor      = 512
	maxAccumulator = 256
)

// runHalfProduct multiplies .f16, .bf16, .tf32, .e4m3 or .e5m2 matrices. PTX leaves
// precision and order of the sums to the machine (9.7.14.4.5). Here products are exact,
// since those of two 11-bit significands fit .f32 (but for .bf16 and .tf32 products below
// its least normal number). Every element of d is the sum ((c + a[0]*b[0]) + a[1]*b[1]) +
// ... in ascending k. Each step rounds to nearest even in .f32, whatever the accumulators'
// type. An .f16 result is rounded once more, at the end.
func runHalfProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	s := c.matrices()
	c.unpackFactor(k.factor, &k.a, &s.a)
	c.unpackFactor(k.factorB, &k.b, &s.b)
	c.unpackSums(&k.c, s.sums[:])
	for p := range k.products {
		lanes.AddProducts(s.sums[p*k.m*k.n:][:k.m*k.n], s.a[p*k.m*k.k:], s.b[p*k.k*k.n:], k.k, k.n)
	}
	c.packSums(&k.d, s.sums[:])
	return nil
}

// productMatrices are the operands of a product. The assembly's loops are called by pointers, so
// matrices on the stack would be allocated for each product.
type productMatrices struct {
	a, b [maxFactor]float32
	sums [maxAccumulator]float32
	rows [warpgroupRows * warpgroupColumns]float32 // of a warp in a warpgroup's product
}

// matrices has a warp's matrices, which are zero.
func (c *warpContext) matrices() *productMatrices {
	if c.product == nil {
		c.product = new(productMatrices)
		return c.product
	}
	c.product.a, c.product.b = [maxFactor]float32{}, [maxFactor]float32{}
	c.product.sums = [maxAccumulator]float32{}
	return c.product
}

// partialProduct: a product that no lane executes does nothing.
func partialProduct(mask uint32) error {
	if mask == 0 {
		return nil
	}
	return partialWarp("mma", mask)
}

// unpackFactor reads a factor of any of the formats.
func (c *warpContext) unpackFactor(t ptx.Type, f *fragmentMap, matrix *[maxFactor]float32) {
	switch t {
	case ptx.F16:
		c.unpackFloats(f, matrix)
	case ptx.BF16:
		for r, slot := range f.registers {
			index := f.index[r*2*trace.WarpSize:][:2*trace.WarpSize]
			for i, v := range lanes.Of[uint32](c.at(slot))[:f.lanes] {
				matrix[index[2*i]] = math.Float32frombits(v << 16)
				matrix[index[2*i+1]] = math.Float32frombits(v &^ 0xffff)
			}
		}
	case ptx.E4M3, ptx.E5M2:
		c.unpackQuarters(t, f, matrix)
	default: // .tf32: the 13 lowest bits do not count
		for r, slot := range f.registers {
			index := f.index[r*trace.WarpSize:][:trace.WarpSize]
			for i, v := range lanes.Of[uint32](c.at(slot))[:f.lanes] {
				matrix[index[i]] = math.Float32frombits(v &^ (1<<13 - 1))
			}
		}
	}
}

// unpackFloats reads the .f16 elements of a factor.
func (c *warpContext) unpackFloats(f *fragmentMap, matrix *[maxFactor]float32) {
	for r, slot := range f.registers {
		index := f.index[r*2*trace.WarpSize:][:2*trace.WarpSize]
		for i, v := range lanes.Of[uint32](c.at(slot))[:f.lanes] {
			matrix[index[2*i]&(maxFactor-1)] = lanes.HalfValue(v & 0xffff)
			matrix[index[2*i+1]&(maxFactor-1)] = lanes.HalfValue(v >> 16)
		}
	}
}

// quarterValues are the values of all 8-bit floating-point numbers.
var quarterValues = func() (values struct{ e4m3, e5m2 [256]float32 }) {
	for i := range 256 {
		values.e4m3[i], values.e5m2[i] = float32(lanes.E4M3.Decode(uint64(i))), float32(lanes.E5M2.Decode(uint64(i)))
	}
	return values
}()

// unpackQuarters reads the .e4m3 or .e5m2 elements of a factor.
func (c *warpContext) unpackQuarters(t ptx.Type, f *fragmentMap, matrix *[maxFactor]float32) {
	values := &quarterValues.e4m3
	if t == ptx.E5M2 {
		values = &quarterValues.e5m2
	}
	for r, slot := range f.registers {
		index := f.index[r*4*trace.WarpSize:][:4*trace.WarpSize]
		for i, v := range lanes.Of[uint32](c.at(slot))[:f.lanes] {
			for p := range 4 {
				matrix[index[4*i+p]] = values[v>>(8*p)&0xff]
			}
		}
	}
}

// unpackSums reads an accumulator of .f16 or .f32.
func (c *warpContext) unpackSums(f *fragmentMap, matrix []float32) {
	if f.tiled {
		c.unpackTiles(f, matrix)
		return
	}
	for r, slot := range f.registers {
		index := f.index[r*f.parts*trace.WarpSize:][:f.parts*trace.WarpSize]
		x := lanes.Of[uint32](c.at(slot))
		if f.parts == 1 {
			for i, place := range index {
				matrix[place] = math.Float32frombits(x[i&(trace.WarpSize-1)])
			}
			continue
		}
		for i, v := range x {
			matrix[index[2*i]] = lanes.HalfValue(v & 0xffff)
			matrix[index[2*i+1]] = lanes.HalfValue(v >> 16)
		}
	}
}

// packSums writes an accumulator of .f16 or .f32; NaNs are canonical.
func (c *warpContext) packSums(f *fragmentMap, matrix []float32) {
	if f.tiled {
		c.packTiles(f, matrix)
		return
	}
	for r, slot := range f.registers {
		index := f.index[r*f.parts*trace.WarpSize:][:f.parts*trace.WarpSize]
		z := lanes.Of[uint32](c.at(slot))
		if f.parts == 1 {
			for i, place := range index {
				z[i&(trace.WarpSize-1)] = canonicalBits(matrix[place])
			}
			continue
		}
		for i := range z {
			z[i] = lanes.HalfRounded(matrix[index[2*i]]) | lanes.HalfRounded(matrix[index[2*i+1]])<<16
		}
	}
}

// runByteProduct multiplies matrices of .s8 or .u8. Sums are exact; they wrap
// around, or with .satfinite end at the limits of .s32.
func runByteProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var a, b [maxFactor]int32
	var sums [maxAccumulator]int64
	c.unpackBytes(&k.a, k.signed, &a)
	c.unpackBytes(&k.b, k.signedB, &b)
	c.unpackIntegers(&k.c, sums[:])
	for i := range k.m {
		row := sums[i*k.n:][:k.n]
		for p := range k.k {
			x, y := a[i*k.k+p], b[p*k.n:][:len(row)]
			for j := range row {
				row[j] += int64(x * y[j])
			}
		}
	}
	c.packIntegers(&k.d, k.saturate, sums[:])
	return nil
}

func (c *warpContext) unpackIntegers(f *fragmentMap, sums []int64) {
	for r, slot := range f.registers {
		for i, v := range lanes.Of[int32](c.at(slot)) {
			sums[f.index[r*trace.WarpSize+i]] = int64(v)
		}
	}
}

func (c *warpContext) packIntegers(f *fragmentMap, saturate bool, sums []int64) {
	for r, slot := range f.registers {
		z := lanes.Of[int32](c.at(slot))
		for i := range z {
			v := sums[f.index[r*trace.WarpSize+i]]
			if saturate {
				v = max(math.MinInt32, min(math.MaxInt32, v))
			}
			z[i] = int32(v)
		}
	}
}

// maxWords is the most words of a factor of 4-bit integers or single bits
// (16 x 8).
const maxWords = 128

// runWordProduct multiplies matrices of .s4, .u4 or .b1, a word of elements at a
// time. Sums are exact, as those of runByteProduct.
func runWordProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var a, b [maxWords]uint32
	var sums [maxAccumulator]int64
	c.unpackWords(&k.a, &a)
	c.unpackWords(&k.b, &b)
	c.unpackIntegers(&k.c, sums[:])
	for i := range k.m {
		for j := range k.n {
			for p := range k.k {
				sums[i*k.n+j] += k.dot(a[i*k.k+p], b[p*k.n+j])
			}
		}
	}
	c.packIntegers(&k.d, k.saturate, sums[:])
	return nil
}

func (c *warpContext) unpackWords(f *fragmentMap, matrix *[maxWords]uint32) {
	for r, slot := range f.registers {
		for i, v := range lanes.Of[uint32](c.at(slot)) {
			matrix[f.index[r*trace.WarpSize+i]] = v
		}
	}
}

// unpackBytes reads the 8-bit elements of a factor.
func (c *warpContext) unpackBytes(f *fragmentMap, signed bool, matrix *[maxFactor]int32) {
	for r, slot := range f.registers {
		index := f.index[r*4*trace.WarpSize:][:4*trace.WarpSize]
		for i, v := range lanes.Of[uint32](c.at(slot))[:f.lanes] {
			for p := range 4 {
				element := v >> (8 * p) & 0xff
				if signed {
					matrix[index[4*i+p]] = int32(int8(element))
				} else {
					matrix[index[4*i+p]] = int32(element)
				}
			}
		}
	}
}

// runDoubleProduct multiplies .f64 matrices: a fused multiply-add for each k, in
// ascending order.
func runDoubleProduct(c *warpContext, op *operation, mask uint32) error {
	k := op.extra.(*matrixProduct)
	if mask != lanes.FullMask {
		return partialProduct(mask)
	}
	var a, b, sums [maxAccumulator]float64
	c.unpackDoubles(&k.a, &a)
	c.unpackDoubles(&k.b, &b)
	c.unpackDoubles(&k.c, &sums)
	for i := range k.m {
		for j := range k.n {
			sum := sums[i*k.n+j]
			for p := range k.k {
				x, y := a[i*k.k+p], b[p*k.n+j]
				if k.rounding == lanes.Nearest {
					sum = math.FMA(x, y, sum)
				} else {
					sum = lanes.FmaRounded64(x, y, sum, k.rounding)
				}
			}
			sums[i*k.n+j] = lanes.Canonical(sum)
		}
	}
	for r, slot := range k.d.registers {
		z := lanes.Of[float64](c.at(slot))
		for i := range z {
			z[i] = sums[k.d.index[r*trace.WarpSize+i]]
		}
	}
	return nil
}

func (c *warpContext) unpackDoubles(f *fragmentMap, matrix *[maxAccumulator]float64) {
	for r, slot := range f.registers {
		for i, v := range lanes.Of[float64](c.at(slot)) {
			matrix[f.index[r*trace.WarpSize+i]] = v
		}
	}
}
