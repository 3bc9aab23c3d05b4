// What PostgreSQL cannot keep of texts: U+0000. A request or a unit that has it where it matters is refused, with its reason; elsewhere it is replaced.
import type { CommitUnit, NewRequest } from '@avocet/core/store'

/** Why the texts of a link cannot be stored; undefined when they can. */
export function textProblem(link: NewRequest): string | undefined {
  for (const field of ['url', 'hostKey', 'handler', 'method', 'body', 'redirectedFrom'] as const) {
    if (link[field]?.includes('\0') === true)
      return `${field}: expected text without U+0000, got ${JSON.stringify(link[field].slice(0, 40))}`
  }
  if (link.depth > 2 ** 31 - 1) return `depth: expected an integer up to 2147483647, got ${String(link.depth)}`
  return undefined
}

/** Why the texts of a unit cannot be stored. */
export function unitTextProblem({ items, records = [] }: CommitUnit): string | undefined {
  const bad = [...items, ...records].find(({ json }) => json.includes('\0'))
  return bad && `items: expected JSON text without U+0000, got ${JSON.stringify(bad.json.slice(0, 40))}`
}

/** Text for people, such as a reason or the text of an anchor. */
export function shownText(text: string): string {
  return text.replaceAll('\0', '�')
}
