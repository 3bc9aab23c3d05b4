// Pages that have several URLs, by the word of their server: the response field `No-Vary-Search` names the parameters of a query that do not matter.
//
// A page that was answered with the field, and whose handler succeeded, represents the other spellings of its URL. They are redirected to it without a request,
// so the store says where they went, and they are asked about again whenever they are due. Only URLs that somebody has linked to are requested. As in a cache,
// the field says nothing of other paths. On all pages, by mistake, it would cost all but one page of each list: so parameters that page matter whatever it
// says, the bare `params` is ignored, and spellings are requested until three of them were the same page, for each folder and set of parameters; one that
// differs makes it seven. A spelling whose page is in flight waits.
//
// A page no longer represents others once it fails, moves, or is answered without the field or with another one. The oldest pages are forgotten; their
// spellings are requested once more. Rejected: refusing links in `onDiscover`, for then every link of every page is offered to plugins, known or not; and
// removing the parameters, for then a URL is requested that no page has, and nobody asks for the others if it fails.
// Source: draft-ietf-httpbis-no-vary-search.
import { hash } from 'node:crypto'
import type { Plugin } from '@avocet/core'
import { contentKey } from './content-key.ts'
import type { JudgedPage } from './host-gains.ts'

const VERSION = 1
/** Longer ones are not read. */
const MAX_FIELD = 1_024
/** A server has one, or one for each of its templates. */
const MAX_FIELDS = 4
/** With the length of a query this bounds the text to 500,000 characters; 100,000 are usual. */
const MAX_PAGES = 2_000
const MAX_QUERY = 96
const [MAX_PATTERNS, MAX_SENT] = [64, 256]
/** How long a spelling waits at most for the page that is in flight, and when it asks again. */
const [WAIT_MS, ASK_MS] = [10_000, 1_000]
/** How many spellings must be the same page, and how many more after one that is not. */
const [ENOUGH, MORE] = [3, 4]
/** Changes after which the text is written; the rest when the host is given back. */
const MARKS = 16
/** A member that the draft defines. A field with anything else in it is ignored, which costs requests and no page. */
const MEMBER = /[ \t]*(key-order|params|except)(?:=(\?[01])|=\( *((?:"[ !#-%'-<>-[\]-~]*"(?: +|(?=\))))*)\))?[ \t]*(?:,|$)/y

/** Names of parameters that lead to the next page of a list. The first page is often the same with one, which proves nothing of the others. */
const PAGING = /page|offset|cursor|^(?:pg?|start|skip|after)$/i

/** The page that a URL is of, as a text, and the parameters that say nothing of that. */
type SearchVariance = (url: string) => { readonly page: string; readonly ignored: readonly string[] }
type Saved = readonly [version: number, fields: readonly string[], pages: [string, Known][], proofs: [string, number][]]
/** The query of the URL that represents a page, and the key of its content. */
type Known = readonly [query: string, content: number | undefined]
type Asked = JudgedPage['request']
type Place = Readonly<Record<'path' | 'query', string>> & { readonly names: readonly (readonly [field: string, key: string])[] }
type Ended = Pick<Parameters<NonNullable<Plugin['onCommit']>>[0], 'outcome' | 'refused'>

/** What a field means; undefined where all parameters matter, as where it is invalid, or meant for a cache: none matters. Those that page always do. */
export function searchVariance(field: string): SearchVariance | undefined {
  const { 'key-order': order = false, params = false, except } = membersOf(field)
  if (typeof order !== 'boolean' || (except !== undefined && (params !== true || typeof except === 'boolean'))) return undefined
  if (params === true ? except === undefined : !order && (params === false || params.size === 0)) return undefined
  const named = typeof params === 'boolean' ? except : params
  const ignores = (name: string): boolean => !PAGING.test(name) && (params === true) !== (named?.has(name) ?? false)
  return (url) => {
    const [path, query] = parted(url)
    const pairs = [...new URLSearchParams(query)]
    const kept = pairs.filter(([name]) => !ignores(name))
    if (order) kept.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    return { page: path + JSON.stringify(kept), ignored: pairs.flatMap(([name]) => (ignores(name) ? [name] : [])) }
  }
}

/** None where it is invalid. */
function membersOf(field: string): Partial<Record<string, boolean | ReadonlySet<string>>> {
  const members: Partial<Record<string, boolean | ReadonlySet<string>>> = {}
  MEMBER.lastIndex = 0
  for (let isLast = field.length > MAX_FIELD; !isLast;) {
    const [all, key = '', flag = '?1', list] = MEMBER.exec(field) ?? []
    if (all === undefined) return {}
    // Names are written as in a query.
    const names = new URLSearchParams(`?${list?.slice(1).replaceAll(/" *"?/g, '=&')}`).keys()
    members[key] = list === undefined ? flag === '?1' : new Set(names)
    isLast = !all.endsWith(',')
  }
  return members
}

/** The pages of one host. A blob of its memory at rest. */
export class SamePages {
  /** By the field. */
  readonly variances: Map<string, SearchVariance> = new Map()
  readonly #pages = new Map<string, Known>()
  /** By field, folder and ignored parameters: how often other spellings were the same page. */
  readonly #proofs = new Map<string, number>()
  /** What was requested a moment ago. In RAM only. */
  readonly #sent = new Map<string, readonly [query: string, until: number]>()
  #marks = 0

  constructor(text: string | undefined) {
    const [version, fields = [], pages = [], proofs = []] = JSON.parse(text || '[]') as Partial<Saved>
    if (version !== VERSION) return
    for (const field of fields) this.#learn(field)
    this.#pages = new Map(pages)
    this.#proofs = new Map(proofs)
  }

  /** The URL of the page that it is as well, or epoch ms at which to ask again. Otherwise it is to be requested, which is noted. */
  ofOther(request: Asked, now: number): string | number | undefined {
    const { path, query, names } = this.#placeOf(request)
    for (const [field, key] of names) {
      const [known] = this.#pages.get(key) ?? []
      const [sent, until = 0] = this.#sent.get(key) ?? []
      const other = known ?? (until > now ? sent : undefined)
      if (other === undefined || other === query) continue
      if ((this.#proofs.get(this.#patternOf(field, path, [query, other])) ?? 0) >= ENOUGH)
        return known === undefined ? Math.min(until, now + ASK_MS) : path + known
    }
    for (const [, key] of names) keepNewest(this.#sent, MAX_SENT, key, [query, now + WAIT_MS])
    return undefined
  }

  /** A page that its handler is done with. */
  handled({ request, response: { status, headers, body } }: JudgedPage): void {
    // It was the same, and such answers need not repeat the field (RFC 9110 §15.4.5).
    if (status === 304) return
    const field = [headers['no-vary-search'] ?? []].flat().join(', ')
    const says = field !== '' && status === 200 && this.#learn(field)
    const { path, query, names } = this.#placeOf(request)
    for (const [other, key] of names) {
      if (!says || other !== field) this.#forget(key)
      else if (query.length <= MAX_QUERY) {
        const [known = query, before] = this.#pages.get(key) ?? []
        const content = contentKey(body, path + query)
        if (!this.#pages.has(key)) this.#marks++
        if (known === query) keepNewest(this.#pages, MAX_PAGES, key, [query, content])
        else if (content !== undefined && typeof before === 'number') {
          const pattern = this.#patternOf(field, path, [query, known])
          const proof = content === before ? (this.#proofs.get(pattern) ?? 0) + 1 : -MORE
          keepNewest(this.#proofs, MAX_PATTERNS, pattern, proof)
          this.#marks++
        }
      }
    }
  }

  /** A request is settled. A page that is not there represents no others, nor does one that may not be requested any more. */
  settled(request: Asked, { outcome: { kind }, refused }: Ended): void {
    if (kind !== 'failed' && kind !== 'moved') return
    const { query, names } = this.#placeOf(request)
    for (const [, key] of names)
      if (this.#pages.get(key)?.[0] === query || (kind === 'moved' && refused.length > 0)) this.#forget(key)
  }

  /** As JSON text, when it is time to write it; `isLast`: the host is given back. */
  changedText(isLast = false): string | undefined {
    if (this.#marks < (isLast ? 1 : MARKS)) return undefined
    this.#marks = 0
    return JSON.stringify([VERSION, [...this.variances.keys()], [...this.#pages], [...this.#proofs]] satisfies Saved)
  }

  /** Whether the field says something. */
  #learn(field: string): boolean {
    const variance = this.variances.get(field) ?? searchVariance(field)
    if (variance !== undefined) keepNewest(this.variances, MAX_FIELDS, field, variance)
    return variance !== undefined
  }

  #forget(key: string): void {
    if (this.#pages.delete(key)) this.#marks++
  }

  /** As the store knows it, and its page by each of the fields. None for other requests, and for URLs with hidden values. */
  #placeOf({ url, knownAs = url, method, body, headers, handler, identity = '' }: Asked): Place {
    const [path, query] = parted(knownAs)
    const isPlain = method === 'GET' && body === undefined && Object.keys(headers).length === 0 && !url.includes('__secret')
    const variances = isPlain ? [...this.variances] : []
    return { path, query, names: variances.map(([field, of]) => [field, digest(field, of(knownAs).page, handler, identity)]) }
  }

  #patternOf(field: string, path: string, queries: readonly string[]): string {
    const [, , , folder = '', leaf] = path.split('/', 5)
    const ignored = new Set(queries.flatMap((query) => this.variances.get(field)?.(path + query).ignored ?? []))
    return digest(field, leaf === undefined ? '' : folder.replaceAll(/\d+/g, '#'), ...[...ignored].sort())
  }
}

/** Up to the query, and the query with its question mark. */
function parted(url: string): readonly [path: string, query: string] {
  const [path = ''] = url.split('?', 1)
  return [path, url.slice(path.length)]
}

function digest(...texts: readonly string[]): string {
  return hash('sha1', texts.join('\n'), 'base64url').slice(0, 11)
}

function keepNewest<Value>(map: Map<string, Value>, most: number, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest = key] = map.keys()
  if (map.size > most) map.delete(oldest)
}
