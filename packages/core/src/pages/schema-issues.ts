// Why a schema refused an item, in one line: the path of each field, and what the schema says of it. Schemas are the user's, so all of it is bounded.
import { messageOf } from '../errors.ts'
import { shown } from '../shown.ts'
import { isPlain, unlikeJson } from '../unlike-json.ts'

/** Told of one item. */
const MOST_ISSUES = 3
/** Parts of a path. */
const MOST_PARTS = 12
/** Characters of a part of a path, and of a message. */
const MOST_OF_PART = 60
const MOST_OF_MESSAGE = 200

/** `price: expected number, received string; offers[0].name: …`. */
export function issuesInWords(issues: readonly unknown[]): string {
  if (issues.length === 0) return 'the schema gave no reason'
  const told = issues.slice(0, MOST_ISSUES).map(issueInWords).join('; ')
  const more = issues.length - MOST_ISSUES
  return more > 0 ? `${told}; and ${more} more` : told
}

/** Why what the schema made of an item cannot be one; undefined when it can. A getter may throw. */
export function outputFlaw(value: unknown): string | undefined {
  try {
    if (!isPlain(value)) return `expected the schema to make a plain object of an item, got ${shown(value)}; ${NO_WAY_OUT}`
    const flaw = unlikeJson(value, '$')
    return flaw && `what the schema makes of it is not JSON: ${flaw}; ${wayOut(flaw)}`
  } catch (error) {
    return `what the schema makes of it is not JSON: ${messageOf(error)}; ${NO_WAY_OUT}`
  }
}

const NO_WAY_OUT = 'let the schema put out plain data'

/** What to write instead. */
function wayOut(flaw: string): string {
  if (flaw.endsWith(' is a Date')) return 'turn it into text in the schema, such as .transform((date) => date.toISOString())'
  if (flaw.endsWith(' is a URL')) return 'turn it into text in the schema, such as .transform((url) => url.href)'
  if (flaw.endsWith(' is a bigint')) return 'turn it into text in the schema, such as .transform(String)'
  if (flaw.endsWith(' is a Map'))
    return 'turn it into an object in the schema, such as .transform((map) => Object.fromEntries(map))'
  if (flaw.endsWith(' is a Set')) return 'turn it into a list in the schema, such as .transform((set) => [...set])'
  return NO_WAY_OUT
}

function issueInWords(issue: unknown): string {
  const { message, path } = (typeof issue === 'object' && issue !== null ? issue : {}) as { message?: unknown; path?: unknown }
  const text = typeof message === 'string' && message !== '' ? oneLine(message).slice(0, MOST_OF_MESSAGE) : 'no reason given'
  const at = Array.isArray(path) ? pathInWords(path) : ''
  // Some schemas name the field in their message.
  return at === '' || text.startsWith(`${at} `) ? text : `${at}: ${text}`
}

/** `offers[0].name`. */
function pathInWords(path: readonly unknown[]): string {
  const parts = path.slice(0, MOST_PARTS).map((part) => {
    const key: unknown = typeof part === 'object' && part !== null && 'key' in part ? part.key : part
    return typeof key === 'number' ? `[${key}]` : `.${oneLine(String(key)).slice(0, MOST_OF_PART)}`
  })
  const text = parts.join('')
  return text.startsWith('.') ? text.slice(1) : text
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
