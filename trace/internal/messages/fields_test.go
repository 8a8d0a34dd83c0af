// SPDX-License-Identifier: Apache-2.0

package messages_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/warptape/warptape/proto/wtapepb"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/internal/messages"
)

// filler gives every field of a value a number of its own, so that a field that is lost,
// or taken for another, does not come back.
type filler struct {
	n uint64
	// fixed are fields by type and name whose values have a meaning.
	fixed map[string]any
	deep  int
}

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			if value, ok := f.fixed[name]; ok {
				v.Field(i).Set(reflect.ValueOf(value).Convert(v.Field(i).Type()))
				continue
			}
			f.fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Name() == "Operand" {
			if f.deep++; f.deep > 2 { // vectors do not nest
				f.deep--
				return
			}
			defer func() { f.deep-- }()
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString(fmt.Sprint("text ", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Uint8:
		v.SetUint(1 + f.n%100)
	default:
		v.SetUint(f.n)
	}
}

// again is a message as a file has it.
func again[M proto.Message](t *testing.T, m, into M) M {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err == nil {
		err = proto.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return into
}

// back converts a value to its message, through the bytes of a file, and to the model.
func back(t *testing.T, value any) any {
	switch value := value.(type) {
	case *trace.Header:
		m := messages.FromHeader(value)
		h := messages.ToHeader(again(t, m, new(wtapepb.Header)))
		return &h
	case *trace.Kernel:
		m := messages.FromKernel(value)
		return messages.ToKernel(again(t, m, new(wtapepb.Kernel)))
	case *trace.Totals:
		m := messages.FromTotals(value)
		totals := messages.ToTotals(again(t, m, new(wtapepb.Totals)))
		return &totals
	case *trace.Sampling:
		m := messages.FromSampling(value)
		s, err := messages.ToSampling(again(t, m, new(wtapepb.Sampling)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	panic("no such part")
}

func TestEveryFieldSurvivesTheFormat(t *testing.T) {
	for _, value := range []any{new(trace.Header), new(trace.Kernel), new(trace.Totals), new(trace.Sampling)} {
		f := filler{fixed: map[string]any{
			"Instruction.Values": false,
			"Operand.Kind":       trace.OperandAddress, // which has a register
			"TeslaDependence.On": trace.TeslaReplays,
		}}
		f.fill(reflect.ValueOf(value).Elem())
		if d := cmp.Diff(value, back(t, value)); d != "" {
			t.Errorf("%T: written (-) and read (+) differ:\n%s", value, d)
		}
	}
}

func TestEveryFieldOfAnEventSurvivesTheFormat(t *testing.T) {
	for kind := trace.EventAllocate; kind.Known(); kind++ {
		var launch trace.Launch
		var event trace.HostEvent
		f := filler{fixed: map[string]any{"HostEvent.Kind": kind, "HostEvent.Launch": 0, "HostEvent.After": []int{3, 5}}}
		f.fill(reflect.ValueOf(&launch).Elem())
		f.fill(reflect.ValueOf(&event).Elem())
		m := messages.FromEvent(&event, []trace.Launch{launch})
		m = again(t, m, new(wtapepb.HostEvent))
		read, err := messages.ToEvent(m, 6, 0)
		if err != nil {
			t.Fatalf("%v: %v", kind, err)
		}
		if d := cmp.Diff(event, read); d != "" {
			t.Errorf("%v: written (-) and read (+) differ:\n%s", kind, d)
		}
		if kind != trace.EventLaunch {
			continue
		}
		if d := cmp.Diff(launch, messages.ToLaunch(m.Launch)); d != "" {
			t.Errorf("launch: written (-) and read (+) differ:\n%s", d)
		}
	}
}

func TestEventsOfUnknownKindsAreRefused(t *testing.T) {
	for _, kind := range []trace.EventKind{trace.EventInvalid, 100} {
		m := messages.FromEvent(&trace.HostEvent{Kind: kind}, nil)
		if _, err := messages.ToEvent(m, 0, 0); err == nil || messages.EventKind(m).Known() {
			t.Errorf("kind %d: %v", kind, err)
		}
	}
	if _, err := messages.ToEvent(messages.FromEvent(&trace.HostEvent{Kind: trace.EventFree, After: []int{2}}, nil), 2, 0); err == nil {
		t.Error("an event waits for itself")
	}
}

// A barrier whose accesses have values has a class of its own in files, which older readers
// refuse (docs/trace-format.md, section 4.5).
func TestABarrierWithValuesHasAClassOfItsOwnInFiles(t *testing.T) {
	for _, values := range []bool{false, true} {
		k := &trace.Kernel{Name: "k", Instructions: []trace.Instruction{{Opcode: "bar", Class: trace.ClassBarrier, Values: values}}}
		want := wtapepb.OpClass_OP_CLASS_BARRIER
		if values {
			want = wtapepb.OpClass_OP_CLASS_BARRIER_VALUES
		}
		if got := messages.FromKernel(k).Instructions[0].Class; got != want {
			t.Errorf("values %v: class %v, want %v", values, got, want)
		}
		if d := cmp.Diff(k, back(t, k)); d != "" {
			t.Errorf("values %v: written (-) and read (+) differ:\n%s", values, d)
		}
	}
}
