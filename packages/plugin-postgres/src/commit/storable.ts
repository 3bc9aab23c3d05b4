// Requests and units that PostgreSQL cannot keep as they are, where what they are matters: they are refused, with the reason. Elsewhere the text or the number
// is one that it can keep (connection/storable-text.ts, in-range.ts).
import type { CommitUnit, NewRequest } from '@avocet/core/store'
import { MOST_INT } from '../connection/storable-text.ts'
import { isTooLong, MOST_WORD_BYTES } from '../names/word-ids.ts'

/** Why the texts of a link cannot be stored; undefined when they can. */
export function textProblem(link: NewRequest): string | undefined {
  for (const field of ['url', 'hostKey', 'handler', 'method', 'body', 'redirectedFrom'] as const) {
    if (link[field]?.includes('\0') === true)
      return `${field}: expected text without U+0000, got ${JSON.stringify(link[field].slice(0, 40))}`
  }
  for (const field of ['hostKey', 'handler'] as const) {
    if (isTooLong(link[field]))
      return `${field}: expected at most ${String(MOST_WORD_BYTES)} bytes, got ${JSON.stringify(link[field].slice(0, 40))}…`
  }
  if (link.depth > MOST_INT) return `depth: expected an integer up to ${String(MOST_INT)}, got ${String(link.depth)}`
  return undefined
}

/** Why the texts of a unit cannot be stored. */
export function unitTextProblem({ items, records = [], rejects = [] }: CommitUnit): string | undefined {
  const bad = [...items, ...records].find(({ json }) => json.includes('\0'))
  const far = [...items, ...records, ...rejects].find(({ ordinal = 0 }) => ordinal > MOST_INT)
  if (far !== undefined) return `ordinal: expected an integer up to ${String(MOST_INT)}, got ${String(far.ordinal)}`
  return bad && `items: expected JSON text without U+0000, got ${JSON.stringify(bad.json.slice(0, 40))}`
}
