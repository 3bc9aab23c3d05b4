// Parts of a memory in one text: a JSON list of names and lengths, then the texts, with a line break before each.
//
// JSON in JSON would be a quarter longer, for each of its quotes is escaped, and the texts are JSON. A text that PostgreSQL cannot keep (with U+0000, or half
// of a surrogate pair), or that has a line break or what separates two texts of a call (`joinedText`), is packed as JSON, where all of them are escaped; its
// length is negative. So the server finds the first part by looking for bytes: to count characters takes twice as long as to send what it finds.
import type { MemoryParts } from '@avocet/core/store'

/** Parts larger than this have a row of their own: the others are written again whenever one of them changes. Characters. */
export const SMALL_PART_CHARS = 2_000

/** What readers ask of all hosts is the first part. */
const FIRST = 'core'

/** What cannot be in a text as it is. */
const SPECIAL = ['\0', '\n', '\x1F']

/** The parts as one text. */
export function packed(parts: MemoryParts): string {
  const header: (string | number)[] = []
  let texts = ''
  const first = parts[FIRST]
  for (const [part, json] of Object.entries(first === undefined ? parts : { [FIRST]: first, ...parts })) {
    const isPlain = !SPECIAL.some((character) => json.includes(character)) && json.isWellFormed()
    const text = isPlain ? json : JSON.stringify(json)
    header.push(part, isPlain ? text.length : -text.length)
    texts += `\n${text}`
  }
  return `${JSON.stringify(header)}${texts}`
}

/** SQL for the header of a packed text `json` and its first part, if it begins as the value `beginning` (see `packedBeginning`); else for all of it. */
export function firstPartOf(beginning: string): string {
  return `CASE WHEN starts_with(json, ${beginning}) THEN split_part(json, E'\\n', 1) || E'\\n' || split_part(json, E'\\n', 2) ELSE json END`
}

/** How a text begins of which `part` is the first. */
export function packedBeginning(part: string): string {
  return `[${JSON.stringify(part)},`
}

/** What was packed; `wanted`: only those of its parts. */
export function unpacked(text: string, wanted?: readonly string[]): Record<string, string> {
  const headerEnd = text.indexOf('\n')
  const header = JSON.parse(headerEnd < 0 ? text : text.slice(0, headerEnd)) as (string | number)[]
  const parts: Record<string, string> = {}
  let at = headerEnd + 1
  for (let n = 0; n < header.length; n += 2) {
    const [part, length] = [String(header[n]), Number(header[n + 1])]
    const end = at + Math.abs(length)
    if (wanted === undefined || wanted.includes(part))
      parts[part] = length < 0 ? (JSON.parse(text.slice(at, end)) as string) : text.slice(at, end)
    at = end + 1
  }
  return parts
}

/** The parts in a row. */
export function partsOf({ json }: { readonly json: string }, wanted?: readonly string[]): MemoryParts {
  return unpacked(json, wanted)
}
