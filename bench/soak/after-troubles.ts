// The troubles that may be why something went wrong, in words.
import type { Span, Trouble } from './trouble.ts'

const MOST = 4

/** Those that reach into `span` with their grace: `after outage hang, kill and more`. */
export function afterTroubles(troubles: readonly Trouble[], { fromMs, untilMs }: Span): string {
  const near = troubles.filter((trouble) => trouble.fromMs < untilMs && trouble.untilMs + trouble.graceMs > fromMs)
  const words = [...new Set(near.map(({ kind, how }) => (how === kind ? kind : `${kind} ${how}`)))]
  if (words.length === 0) return 'in fair weather'
  return `after ${words.slice(0, MOST).join(', ')}${words.length > MOST ? ' and more' : ''}`
}
