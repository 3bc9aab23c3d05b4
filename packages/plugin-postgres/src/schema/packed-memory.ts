// Parts of a memory in one text: a JSON list of names and lengths, a line break, then the texts one after the other.
//
// JSON in JSON would be a quarter longer, for each of its quotes is escaped, and the texts are JSON. A text that PostgreSQL cannot keep (with U+0000, or half
// of a surrogate pair), or that has what stands between two texts of a call (array-text.ts), is packed as JSON, where they are escaped; its length is negative.
import type { MemoryParts } from '@avocet/core/store'

/** Parts larger than this have a row of their own: the others are written again whenever one of them changes. Characters. */
export const SMALL_PART_CHARS = 2_000

/** The parts as one text. */
export function packed(parts: MemoryParts): string {
  const header: (string | number)[] = []
  const texts: string[] = []
  for (const [part, json] of Object.entries(parts)) {
    const isPlain = !/[\0\x1F]/.test(json) && json.isWellFormed()
    const text = isPlain ? json : JSON.stringify(json)
    header.push(part, isPlain ? text.length : -text.length)
    texts.push(text)
  }
  return `${JSON.stringify(header)}\n${texts.join('')}`
}

/** What was packed; `wanted`: only those of its parts. */
export function unpacked(text: string, wanted?: readonly string[]): Record<string, string> {
  const headerEnd = text.indexOf('\n')
  const header = JSON.parse(text.slice(0, headerEnd)) as (string | number)[]
  const parts: Record<string, string> = {}
  let at = headerEnd + 1
  for (let n = 0; n < header.length; n += 2) {
    const [part, length] = [String(header[n]), Number(header[n + 1])]
    const end = at + Math.abs(length)
    if (wanted === undefined || wanted.includes(part))
      parts[part] = length < 0 ? (JSON.parse(text.slice(at, end)) as string) : text.slice(at, end)
    at = end
  }
  return parts
}
