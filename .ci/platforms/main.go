// SPDX-License-Identifier: Apache-2.0

// Command platforms checks that all packages and their tests have no errors of types on other
// systems and processors. It reads sources and compiles nothing, which takes a tenth of the time
// of builds; a release builds each.
//
//	go run -modfile=.ci/tools.mod ./.ci/platforms SYSTEM/PROCESSOR...
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := len(os.Args) < 2
	if failed {
		fmt.Fprintln(os.Stderr, "platforms: name some, as windows/amd64")
	}
	for _, platform := range os.Args[1:] {
		n, err := check(platform)
		if err != nil {
			fmt.Fprintf(os.Stderr, "platforms: %s: %v\n", platform, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages\n", platform, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check reads all packages of this module and their tests as one platform has them. It gives how
// many there are, and prints what is wrong.
func check(platform string) (int, error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return 0, fmt.Errorf("write it as SYSTEM/PROCESSOR")
	}
	list, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Tests:      true,
		BuildFlags: []string{"-tags=static"},
		Env:        append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS="),
	}, "./...")
	if err != nil {
		return 0, err
	}
	if n := packages.PrintErrors(list); n > 0 {
		return 0, fmt.Errorf("%d errors", n)
	}
	if len(list) < 100 {
		return 0, fmt.Errorf("only %d packages were found: run it at the top of the module", len(list))
	}
	return len(list), nil
}
