// Commands that messages tell somebody to paste: called as this one was, and each word as a shell takes it.
import { shellWord } from '@avocet/core/tools'
import { printable } from './printable.ts'

/** What every shell takes as it is. */
const PLAIN = /^[\w./-][\w./:@%+=,-]*$/

/** npm puts the commands of a project in reach of its own children only. */
export function commandName(env: NodeJS.ProcessEnv = process.env): string {
  return env['npm_command'] === undefined ? 'avocet' : 'npx avocet'
}

/** `npx avocet report '.avocet/my shop.db'`: words in quotes only where they need them. `name`: how the command was called. */
export function commandLine(words: readonly string[], name: string = commandName()): string {
  return [name, ...words.map((word) => (PLAIN.test(word) ? word : shellWord(printable(word))))].join(' ')
}

/** A message in which each of `commands` is called as this one was. Packages below the command line know only that there is `avocet`. */
export function asCalled(message: string, commands: readonly string[], name: string = commandName()): string {
  if (name === 'avocet') return message
  return message.replace(new RegExp(`(?<!npx |[\\w/.-])avocet (?=(?:${commands.join('|')})(?![\\w-]))`, 'g'), `${name} `)
}

/** `-a city=berlin`, as it was typed. */
export function argumentWords(args: Readonly<Record<string, string>>): string[] {
  return Object.entries(args).flatMap(([key, value]) => ['-a', `${key}=${value}`])
}
