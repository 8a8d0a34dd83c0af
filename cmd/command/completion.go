// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// The scripts ask the program for candidates: completeCommand prints one a line, and
// filesToo as the last one where a file will do, too.
const completeCommandName, filesToo = "__complete", ":files"

// Readline replaces what stands behind the last colon or equals sign, so that candidates
// lose what stands before. Words are those of the line, as readline's own end there.
const bashCompletion = `_warptape() {
	local line="${COMP_LINE:0:COMP_POINT}" words current kept candidate
	read -ra words <<< "$line"
	if [[ "$line" == *[[:space:]] ]]; then words+=(""); fi
	current="${words[${#words[@]}-1]}"
	kept="${current%"${current##*[:=]}"}"
	COMPREPLY=()
	while IFS= read -r candidate; do
		if [[ "$candidate" == ":files" ]]; then
			while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "${current##*[:=]}")
		elif [[ "$candidate" == "$current"* ]]; then
			COMPREPLY+=("${candidate#"$kept"}")
		fi
	done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
	if [[ ${#COMPREPLY[@]} -eq 1 && -d "${COMPREPLY[0]}" ]]; then compopt -o nospace 2>/dev/null; COMPREPLY[0]+=/; fi
}
complete -F _warptape warptape
`

const zshCompletion = `#compdef warptape
_warptape() {
	local -a candidates
	candidates=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)}")
	if [[ "${candidates[-1]}" == ":files" ]]; then
		candidates[-1]=()
		_files
	fi
	compadd -Q -- "${(@)candidates}"
}
if [[ "$funcstack[1]" == "_warptape" ]]; then _warptape "$@"; else compdef _warptape warptape; fi
`

const fishCompletion = `function __warptape_complete
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	for candidate in ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
		if test "$candidate" = ":files"
			__fish_complete_path "$current"
		else
			echo $candidate
		end
	end
end
complete -c warptape -f -a "(__warptape_complete)"
`

// completionScripts are those of the shells.
var completionScripts = map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a shell's completion script",
		ArgsUsage: "bash|zsh|fish",
		Description: `Completes commands, flags, and names of machines, overlays, workloads, stored traces and
sweeps.

Examples:
  source <(warptape completion bash)
  warptape completion zsh > "${fpath[1]}/_warptape"
  warptape completion fish > ~/.config/fish/completions/warptape.fish`,
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "SHELL"); err != nil {
				return err
			}
			script, ok := completionScripts[c.Args().First()]
			if !ok {
				return commandline.Usagef("no completion for shell %q; there are: bash, zsh, fish", c.Args().First())
			}
			_, err := fmt.Fprint(c.App.Writer, script)
			return err
		},
	}
}

func completeCommand() *cli.Command {
	return &cli.Command{
		Name:            completeCommandName,
		Usage:           "print candidates for the last word, for completion scripts",
		Hidden:          true,
		SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) > 0 && words[0] == "--" {
				words = words[1:]
			}
			for _, candidate := range candidates(c.App, words) {
				if _, err := fmt.Fprintln(c.App.Writer, candidate); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
