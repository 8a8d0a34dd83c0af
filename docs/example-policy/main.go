// Command youngest is warptape with one more warp scheduler:
//
//	go run . replay saxpy.wtape --arch gtx480 --arch "gtx480+set(sm.scheduler=youngest)"
package main

import (
	"os"

	"github.com/warptape/warptape/cmd/command"
)

func main() { os.Exit(command.Main(os.Args, os.Stdout, os.Stderr)) }
