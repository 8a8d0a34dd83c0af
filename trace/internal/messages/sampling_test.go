// SPDX-License-Identifier: Apache-2.0

package messages_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/warptape/warptape/trace/internal/messages"
	"github.com/warptape/warptape/trace/internal/testtraces"
)

func TestSamplingSurvivesTheFormat(t *testing.T) {
	s, _, _, _ := testtraces.Described()
	again, err := messages.ToSampling(messages.FromSampling(s))
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("read back: %+v, %v, want %+v", again, err, s)
	}
}

func TestSamplingColumnsOfDifferentLengthsAreRefused(t *testing.T) {
	s, _, _, _ := testtraces.Described()
	m := messages.FromSampling(s)
	m.RunBlocks = m.RunBlocks[:2]
	if _, err := messages.ToSampling(m); err == nil || !strings.Contains(err.Error(), "columns of different lengths") {
		t.Errorf("got %v", err)
	}
}
