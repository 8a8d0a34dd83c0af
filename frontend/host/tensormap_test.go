// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/warptape/warptape/frontend/host"
)

func TestTensorMapsAreBytesWithinTheirLimits(t *testing.T) {
	p := loadFetch(t, `b = gpu.buffer("b", f32([0.0] * 4096).reshape(64, 64))
check.that(len(gpu.tensor_map(b, box=(8, 32), swizzle=128)) == 128, "a map has 128 bytes")
check.that(gpu.tensor_map(b, box=(8, 32)) == gpu.tensor_map(b, box=[8, 32], shape=(64, 64), strides=[256], element_strides=(1, 1)), "what is dense need not be said")
check.that(gpu.tensor_map(b, box=(8, 32)) != gpu.tensor_map(b, box=(8, 32), offset=16), "the address is in it")
gpu.tensor_map(b, shape=(4, 16, 64), channels=32, pixels=8, lower=[-1], upper=[-1], fill="nan")`)
	if result, err := p.Run(context.Background(), host.Options{}); err != nil || result.Checks != 3 {
		t.Fatalf("%+v, %v", result, err)
	}
	for call, want := range map[string]string{
		`gpu.tensor_map(b)`:                                        "box is missing",
		`gpu.tensor_map(b, box=(8, 300))`:                          "box size 300 of dimension 0 is outside 1..256",
		`gpu.tensor_map(b, box=(8, 64), swizzle=128)`:              "more than the swizzle's 128",
		`gpu.tensor_map(b, box=(8, 32), element="f128")`:           `element "f128"`,
		`gpu.tensor_map(b, box=(8, 32), fill="one")`:               `neither "zero" nor "nan"`,
		`gpu.tensor_map(b, box=(8, 32), interleave="16B")`:         `only "none" is supported`,
		`gpu.tensor_map(b, box=(8, 32), strides=[3])`:              "no multiple of 16",
		`gpu.tensor_map(b, box=8)`:                                 "box is a list of up to five numbers",
		`gpu.tensor_map(b, box=(8, 32), shape=(1, 1, 1, 1, 1, 1))`: "a tensor of 6 dimensions",
	} {
		p := loadFetch(t, "b = gpu.buffer(\"b\", f32([0.0] * 4096).reshape(64, 64))\n"+call)
		if _, err := p.Run(context.Background(), host.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}
