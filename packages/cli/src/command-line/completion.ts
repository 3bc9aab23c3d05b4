// `avocet completion`: the scripts that shells read.
//
// Each asks `avocet --get-completions` for what may come next, one `text<Tab>summary` a line, and offers files when there is nothing.
import { basename } from 'node:path'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { parseWord, textOf } from '../options/values.ts'
import { writeFileText } from '../output/machines.ts'

/** For bash 3.2 and later (macOS has that one). */
const BASH = `# To use it: source <(avocet completion bash)    or put that line into ~/.bashrc
_avocet_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    # Bash puts it on the line as it is: a file may be called $(rm -r ~).
    [ -n "$line" ] && COMPREPLY+=("$(printf '%q' "\${line%%$'\\t'*}")")
  done <<< "$("\${COMP_WORDS[0]}" --get-completions "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
}
complete -o default -F _avocet_complete avocet`

const ZSH = `#compdef avocet
# To use it: source <(avocet completion zsh)    or put that line into ~/.zshrc, below compinit
_avocet() {
  local line text
  local -a lines found
  lines=("\${(@f)$("\${words[1]}" --get-completions "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    [[ -n $line ]] || continue
    text="\${line%%$'\\t'*}"
    text="\${\${text//\\\\/\\\\\\\\}//:/\\\\:}"
    if [[ $line == *$'\\t'* ]]; then found+=("$text:\${line#*$'\\t'}"); else found+=("$text"); fi
  done
  if (( $#found )); then _describe -t avocet avocet found; else _files; fi
}
(( $+functions[compdef] )) && compdef _avocet avocet`

const FISH = `# To use it: avocet completion fish > ~/.config/fish/completions/avocet.fish
function __avocet_complete
    set -l typed (commandline -opc)
    set -l program $typed[1]
    set -e typed[1]
    set -l current (commandline -ct)
    set -l found ($program --get-completions $typed "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c avocet -f -a '(__avocet_complete)'`

/** By the name of the shell. */
export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }

/** `avocet completion`: prints the script for a shell, by default for the one that $SHELL names. */
export const COMPLETION: DeclaredCommand<string | undefined> = {
  name: 'completion',
  arguments: '[shell]',
  describes: { shell: 'bash, zsh or fish [default: the one in $SHELL]' },
  examples: ['avocet completion bash >> ~/.bashrc', 'avocet completion fish > ~/.config/fish/completions/avocet.fish'],
  flags: {},
  read: (typed) => (typed['shell'] === undefined ? undefined : shellOf(textOf(typed, 'shell'))),
  run: (typed, { env, stdout }) => writeFileText(stdout, `${SCRIPTS[typed ?? shellOf(basename(env['SHELL'] ?? ''))] ?? ''}\n`),
}

function shellOf(word: string | undefined): string {
  return parseWord(word ?? '', 'completion', Object.keys(SCRIPTS))
}
