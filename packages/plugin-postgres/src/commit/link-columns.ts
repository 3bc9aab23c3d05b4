// New requests as columns: an array for each, and what is rare as JSON.
//
// A host that is not at hand is named by its place among the new ones, below 0, and its URL is whole: only the store knows by then what its origin is.
import type { NewRequest, CommitUnit } from '@avocet/core/store'
import { partsOfUrl, pathFor } from '@avocet/store-sql'
import { numbersText, textsText, inRange, MOST_INT, jsonText } from '../connection/storable-text.ts'
import { hexOf } from '../identity/fingerprint-hex.ts'
import type { HostNames } from '../held-host.ts'
import { type WordIds, isTooLong, MOST_WORD_BYTES } from '../names/word-ids.ts'

/** Parameters of `add` and `commit`, from the keys of new hosts to what is rare, and links that ask for a visit. */
export class LinkColumns {
  readonly #names: HostNames
  readonly #handlers: WordIds
  readonly #made = new Map<string, { readonly place: number; readonly origin: string }>()
  readonly #links: NewRequest[] = []
  readonly #asks: object[] = []

  constructor(names: HostNames, handlers: WordIds) {
    this.#names = names
    this.#handlers = handlers
  }

  /** How many there are. */
  get size(): number {
    return this.#links.length
  }

  /** Takes one that may be new; its place is the next, from 1. */
  take(link: NewRequest): void {
    this.#links.push(link)
    const { hostKey, url } = link
    if (this.#names.get(hostKey) !== undefined || this.#made.has(hostKey)) return
    this.#made.set(hostKey, { place: this.#made.size + 1, origin: partsOfUrl(url)[0] })
  }

  /** Takes one that asks for a visit if it is known; `place` is what the answer has of it. */
  ask({ fingerprint, again = 0, parentId, modifiedAt }: NewRequest, place: number, isOut: boolean): void {
    const asker = parentId ?? null
    this.#asks.push({
      n: place,
      fp: hexOf(fingerprint),
      at: inRange(Math.ceil(again)),
      asker,
      modified: modifiedAt === undefined ? null : inRange(modifiedAt),
      is_out: isOut,
    })
  }

  /** Keys of hosts that are new, as far as is known here, in the order of `k_key`. */
  get made(): readonly string[] {
    return [...this.#made.keys()]
  }

  get hosts(): readonly string[] {
    return [textsText(this.made), textsText([...this.#made.values()].map(({ origin }) => origin))]
  }

  get links(): readonly (string | null)[] {
    const links = this.#links
    const known = links.map(({ hostKey }) => this.#names.get(hostKey))
    const extras = links.flatMap((link, n) => extraOf(link, n + 1))
    return [
      numbersText(links.map(({ hostKey }, n) => known[n]?.id ?? -(this.#made.get(hostKey)?.place ?? 0))),
      numbersText(links.map(({ priority }) => -priority || 0)),
      textsText(links.map(({ fingerprint }) => hexOf(fingerprint))),
      textsText(links.map(({ url }, n) => (known[n] === undefined ? url : pathFor(url, known[n].origin)))),
      numbersText(links.map(({ depth }) => depth)),
      numbersText(links.map(({ handler }) => this.#handlers.idOf(handler))),
      numbersText(links.map(({ parentId }) => parentId)),
      textsText(links.map(({ anchorText }) => anchorText)),
      numbersText(links.map(({ notBefore }) => (notBefore === undefined ? null : Math.ceil(notBefore)))),
      extras.length > 0 ? jsonText(extras) : null,
      this.#asks.length > 0 ? jsonText(this.#asks) : null,
    ]
  }
}

function extraOf(link: NewRequest, n: number): object[] {
  const { method, headersJson: headers, body, dataJson: data, redirectedFrom, identity, modifiedAt } = link
  const hops = link.hops === undefined ? undefined : inRange(link.hops, MOST_INT)
  // That its page was modified says nothing of a first visit.
  const again = modifiedAt === undefined ? link.again : undefined
  if ((method ?? headers ?? body ?? data ?? hops ?? redirectedFrom ?? identity ?? again) === undefined) return []
  const asked = again === undefined ? {} : { asked_at: inRange(Math.ceil(again)) }
  return [{ n, method, headers, body, data, hops, redirected_from: redirectedFrom, identity, ...asked }]
}

// Requests and units that PostgreSQL cannot keep as they are, where what they are matters: they are refused, with the reason. Elsewhere the text or the number
// is one that it can keep (connection/storable-text.ts).

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
export function unitTextProblem({ items, records = [], rejects = [], held }: CommitUnit): string | undefined {
  const all = [...items, ...records, ...(held?.items ?? [])]
  const bad = all.find(({ json }) => json.includes('\0'))
  const far = [...all, ...rejects].find(({ ordinal = 0 }) => ordinal > MOST_INT)
  if (far !== undefined) return `ordinal: expected an integer up to ${String(MOST_INT)}, got ${String(far.ordinal)}`
  return bad && `items: expected JSON text without U+0000, got ${JSON.stringify(bad.json.slice(0, 40))}`
}
