// `avocet completion`, as the command line knows it.
import { textOf } from '../options/text-of.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet completion`. */
export const COMPLETION: DeclaredCommand<string | undefined> = {
  name: 'completion',
  arguments: '[shell]',
  summary: 'a script that completes in bash, zsh or fish',
  examples: ['avocet completion bash >> ~/.bashrc', 'avocet completion fish > ~/.config/fish/completions/avocet.fish'],
  flags: {},
  describe: (parser) => parser.positional('shell', { describe: 'bash, zsh or fish; default: the one in $SHELL', type: 'string' }),
  read: (typed) => textOf(typed, 'shell'),
  run: async (shell, place) => (await import('../completion/completion.ts')).completionCommand(shell, place),
}
