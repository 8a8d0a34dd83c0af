package command

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// The scripts ask the program itself for candidates, through the hidden flag
// that the command-line library answers.
const bashCompletion = `_warptape() {
	local words=("${COMP_WORDS[@]:0:$COMP_CWORD}")
	local current="${COMP_WORDS[$COMP_CWORD]}"
	if [[ "$current" == -* ]]; then words+=("$current"); fi
	COMPREPLY=($(compgen -W "$("${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$current"))
	if [[ ${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o nospace -F _warptape warptape
`

const zshCompletion = `#compdef warptape
_warptape() {
	local -a candidates
	candidates=("${(@f)$(${words[1,$CURRENT-1]} --generate-bash-completion 2>/dev/null)}")
	compadd -- $candidates || _files
}
compdef _warptape warptape
`

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a shell's completion script",
		ArgsUsage: "bash|zsh|fish",
		Description: `Examples:
  source <(warptape completion bash)
  warptape completion zsh > "${fpath[1]}/_warptape"
  warptape completion fish > ~/.config/fish/completions/warptape.fish`,
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "SHELL"); err != nil {
				return err
			}
			script := ""
			switch shell := c.Args().First(); shell {
			case "bash":
				script = bashCompletion
			case "zsh":
				script = zshCompletion
			case "fish":
				s, err := c.App.ToFishCompletion()
				if err != nil {
					return err
				}
				script = s
			default:
				return commandline.Usagef("no completion for shell %q; there are: bash, zsh, fish", shell)
			}
			_, err := fmt.Fprint(c.App.Writer, script)
			return err
		},
	}
}
