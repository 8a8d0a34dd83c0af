// SPDX-License-Identifier: Apache-2.0

package replay_test

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/replay"
	"github.com/warptape/warptape/trace/wtape"
)

func ExampleRun() {
	r, err := wtape.Open("../../traces/recorded/tiny/saxpy.wtape")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var machines []*arch.Machine
	for _, name := range []string{"gtx480", "gtx480+set(gpu.sms=1)"} {
		m, err := arch.Load(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		machines = append(machines, m)
	}
	results, err := replay.Run(context.Background(), r, machines, replay.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, result := range results {
		fmt.Println(result.Machine, "issued all:", result.Total.Counters[counters.IssuedWarp] == r.Totals().WarpInstructions)
	}
	fmt.Println("one SM takes longer:", results[1].Total.Cycles > results[0].Total.Cycles)
	// Output:
	// gtx480 issued all: true
	// gtx480+set(gpu.sms=1) issued all: true
	// one SM takes longer: true
}
