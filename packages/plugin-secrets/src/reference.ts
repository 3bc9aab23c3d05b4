// References of two kinds: `__secret__` (HIDDEN_VALUE of core), and numbered ones.
import type { Ports } from '@avocet/core/store'

/** What hides values behind them. */
export type SecretsCodec = Awaited<ReturnType<Ports['codec']>>

/** What a reference of either kind begins with, and nothing else of ours. */
const START = '__secret'

/** Finds a reference of either kind: the source of a pattern. */
export const REFERENCE_SOURCE: string = String.raw`__secret(?:\.[0-9a-f]+\.\d+)?__`

/** In place of the value of a header field that a link gave: `process` in hexadecimal, and a number in it. */
export function numberedReference(process: string, number: number): string {
  return `${START}.${process}.${number}__`
}

/** Whether `text` may begin with a reference: cheap, for the hot path. */
export function beginsAsReference(text: string | undefined): boolean {
  return text?.startsWith(START) === true
}
