// The arguments that a spider declares, as help and lists show them.
import type { ArgumentRules } from 'avocet'
import { printable } from '../text/printable.ts'

/** The declaration of what a spider file exports; undefined where it declares nothing. */
export function argumentsOf(exported: unknown): ArgumentRules | undefined {
  if (typeof exported !== 'function' || !('takes' in exported)) return undefined
  const { takes } = exported
  return typeof takes === 'object' && takes !== null ? (takes as ArgumentRules) : undefined
}

/** `-a city=TEXT [-a pages=NUMBER]`. */
export function argumentsInShort(rules: ArgumentRules): string {
  const words = Object.entries(rules).map(([name, rule]) => {
    const { word, isRequired } = partsOf(name, rule)
    return isRequired ? word : `[${word}]`
  })
  return words.join(' ')
}

/** A line for each: the word, what it is, and its default. */
export function argumentLines(rules: ArgumentRules): string[] {
  const parts = Object.entries(rules).map(([name, rule]) => partsOf(name, rule))
  const width = Math.max(0, ...parts.map(({ word }) => word.length))
  return parts.map(({ word, says }) => `  ${word.padEnd(width)}  ${says}`.trimEnd())
}

function partsOf(name: string, rule: ArgumentRules[string]): { word: string; says: string; isRequired: boolean } {
  const { type, default: usual, optional, describe = '' } = typeof rule === 'string' ? { type: rule } : rule
  const isRequired = usual === undefined && optional !== true && type !== 'flag'
  const value = type === 'flag' ? 'true' : type.toUpperCase()
  const note = isRequired ? '[required]' : usual === undefined ? '' : `[default: ${usual}]`
  return {
    word: printable(`-a ${name}=${value}`),
    says: printable([describe, note].filter((part) => part !== '').join(' ')),
    isRequired,
  }
}
