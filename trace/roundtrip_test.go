package trace

import (
	"bytes"
	"testing"
)

func TestRandomTracesReadBackAsWritten(t *testing.T) {
	for seed := range uint64(200) {
		want := randomModel(seed)
		data := want.encode(t, Options{Workers: 1})
		r, err := NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := readModel(r)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if d := diffModels(want, got); d != "" {
			t.Fatalf("seed %d: written (-) and read (+) differ:\n%s", seed, d)
		}
	}
}
