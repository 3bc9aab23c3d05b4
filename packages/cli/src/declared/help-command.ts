// `avocet help`, as the command line knows it.
import { textOf } from '../options/text-of.ts'
import type { DeclaredCommand } from './declared-command.ts'

/** `avocet help`. */
export const HELP: DeclaredCommand<string> = {
  name: 'help',
  arguments: '<topic>',
  summary: 'exit-codes, output, resume',
  examples: ['avocet help exit-codes'],
  flags: {},
  read: (typed) => textOf(typed, 'topic') ?? '',
  run: async (topic, place) => (await import('../commands/help.ts')).helpCommand(topic, place),
}
