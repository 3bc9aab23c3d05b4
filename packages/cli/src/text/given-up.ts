// A host that was given up, in words: why, and when it is asked again.
import { printable } from './printable.ts'
import { formatDuration } from './quantity.ts'

/** `never answered, 3 times in a row; asked again in 1 d`. `probeAt`: epoch ms; undefined or null: in a later run. */
export function givenUpInWords(reason: string, probeAt: number | null | undefined, now: number): string {
  return `${printable(reason)}; asked again ${whenInWords(probeAt ?? Infinity, now)}`
}

function whenInWords(at: number, now: number): string {
  if (at === Infinity) return 'by the next run'
  return at > now ? `in ${formatDuration(at - now)}` : 'now'
}
