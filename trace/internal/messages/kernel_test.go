// SPDX-License-Identifier: Apache-2.0

package messages_test

import (
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/limits"
	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

func TestFunctionsOfAKernelSurviveTheFormat(t *testing.T) {
	k := testtraces.FunctionsKernel()
	if err := k.Validate(); err != nil {
		t.Fatal(err)
	}
	if again := messages.ToKernel(messages.FromKernel(k)); !reflect.DeepEqual(again, k) {
		t.Errorf("read back: %+v, want %+v", again, k)
	}
	for i, want := range []string{"", "", "f", "f", "f", "g"} {
		if got := k.FunctionName(i); got != want {
			t.Errorf("instruction %d is of %q, want %q", i, got, want)
		}
	}
	if m := messages.FromKernel(&trace.Kernel{Name: "k"}); m.Functions != nil {
		t.Error("a kernel without functions writes some")
	}
}

func TestFunctionsOfAKernelAreBoundedBeforeTheyAreDecoded(t *testing.T) {
	m := &wtapepb.Kernel{}
	for range limits.KernelInstructions + 1 {
		m.Functions = append(m.Functions, &wtapepb.Function{})
	}
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := messages.CheckSize(wtapepb.FrameKind_FRAME_KIND_KERNEL, raw); err == nil || !strings.Contains(err.Error(), "want at most 262144") {
		t.Errorf("%d functions: %v", len(m.Functions), err)
	}
}
