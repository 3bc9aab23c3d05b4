// Commands that messages tell somebody to paste: called as this one was, and each word as a shell takes it.
import type { AvocetError } from '@avocet/core'
import { isFar, shownStore } from './store-address.ts'
import { printable } from './printable.ts'

/** What every shell takes as it is. */
const PLAIN = /^[\w./-][\w./:@%+=,-]*$/

let calledName = 'avocet'

/** Notes, as the command begins, how it was called: npm puts the commands of a project in reach of its own children only. */
export function calledFrom(env: NodeJS.ProcessEnv): void {
  calledName = env['npm_command'] === undefined ? 'avocet' : 'npx avocet'
}

/** As it was called. */
export function commandName(): string {
  return calledName
}

/**
 * `npx avocet report '.avocet/my shop.db'`: words in quotes only where they need them, and stores on a server without a password. `name`: how the command was
 * called.
 */
export function commandLine(words: readonly string[], name: string = commandName()): string {
  return `${name} ${pastedWords(words)}`
}

/** The words of a command without its name, such as an option to be added: `--store far/new.db`. */
export function pastedWords(words: readonly string[]): string {
  return words
    .map(toShown)
    .map((word) => (PLAIN.test(word) ? word : shellWord(printable(word))))
    .join(' ')
}

function toShown(word: string): string {
  return isFar(word) && URL.canParse(word) ? shownStore(word) : word
}

/** What an error says, with the commands of its remedy called as this one was: packages below the command line know only that there is `avocet`. */
export function messageAsCalled(error: AvocetError, name: string = commandName()): string {
  const { message, remedy = '' } = error
  if (remedy === '' || !message.endsWith(remedy)) return message
  return message.slice(0, -remedy.length) + remedy.replace(/\bavocet (?=[a-z])/g, () => `${name} `)
}

/** `-a city=berlin`, as it was typed. */
export function argumentWords(args: Readonly<Record<string, string>>): string[] {
  return Object.entries(args).flatMap(([key, value]) => ['-a', `${key}=${value}`])
}

/**
 * `text` as one word for a POSIX shell.
 *
 * @example
 * ```ts
 * shellWord("shop.example/it's/**") // `'shop.example/it'\''s/**'`
 * ```
 * Source: POSIX.1-2024, 2.2.2 Single-Quotes.
 */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
