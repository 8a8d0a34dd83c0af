// SPDX-License-Identifier: Apache-2.0

package lanes

import "unsafe"

// productLoop adds products of matrices to four rows of sums, for a number of columns that is a
// multiple of eight. Each sum takes count products, at least one. rowA
// and row are how many elements apart the rows of a lie, and those of b and of the sums.
type productLoop func(sums, a, b unsafe.Pointer, count, columns, rowA, row int)

// The rows and columns that a productLoop takes at a time.
const (
	productRows    = 4
	productColumns = 8
)

// AddProducts adds the product of a, whose rows have count elements, and b to sums. Both b and
// the sums have rows of so many columns, a multiple of eight. Each sum takes its products in
// ascending order, and each step rounds the product before it adds.
func AddProducts(sums, a, b []float32, count, columns int) {
	if host.productsF32 == nil || len(sums)%(productRows*columns) != 0 {
		addProductsInGo(sums, a, b, count, columns)
		return
	}
	a, b = a[:len(sums)/columns*count], b[:count*columns]
	for rows := productRows * columns; len(sums) > 0; sums, a = sums[rows:], a[productRows*count:] {
		host.productsF32(unsafe.Pointer(&sums[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), count, columns, count, columns)
	}
}

func addProductsInGo(sums, a, b []float32, count, columns int) {
	for i := range len(sums) / columns {
		for j := 0; j < columns; j += productColumns {
			addEightProducts((*[productColumns]float32)(sums[i*columns+j:]), a[i*count:][:count], b[j:], columns)
		}
	}
}

// addEightProducts adds the products of a row of a with eight neighbouring columns of b. The sums
// stay in registers and do not wait for each other.
func addEightProducts(sums *[productColumns]float32, a, b []float32, columns int) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for p, x := range a {
		y := (*[productColumns]float32)(b[p*columns:])
		s0 += float32(x * y[0])
		s1 += float32(x * y[1])
		s2 += float32(x * y[2])
		s3 += float32(x * y[3])
		s4 += float32(x * y[4])
		s5 += float32(x * y[5])
		s6 += float32(x * y[6])
		s7 += float32(x * y[7])
	}
	*sums = [productColumns]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// AddDoubleProducts adds the product of four rows of a and b to four rows of sums, for the first
// eights of columns, and returns how many columns these are. Rows of a lie rowA elements apart,
// those of b and of the sums row elements, and each sum takes count products. Without such
// a loop in assembly nothing happens.
func AddDoubleProducts(sums, a, b []float64, count, rowA, row int) (columns int) {
	columns = row &^ (productColumns - 1)
	if host.productsF64 == nil || count == 0 || columns == 0 {
		return 0
	}
	_, _, _ = sums[productRows*row-1], a[(productRows-1)*rowA+count-1], b[count*row-1]
	host.productsF64(unsafe.Pointer(&sums[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), count, columns, rowA, row)
	return columns
}
