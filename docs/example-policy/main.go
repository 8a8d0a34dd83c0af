// SPDX-License-Identifier: Apache-2.0

// Command youngest is warptape with one more warp scheduler, and one more prefetcher:
//
//	go run . replay saxpy.wtape --arch gtx480 --arch "gtx480+set(sm.scheduler=youngest)"
//	go run . replay saxpy.wtape --arch gtx480 --arch "gtx480+set(l1.prefetcher=backward(degree=2))"
package main

import (
	"os"

	"github.com/warptape/warptape/cmd/command"
)

func main() { os.Exit(command.Main(os.Args, os.Stdout, os.Stderr)) }
