// A group of units, checked one by one and put together as the parameters of one call.
//
// What many units share is once: the last memory of each part, a link of two units. A unit that is bad, or fenced as far as is known here, gives nothing.
import {
  keptReason,
  rejectGroupOf,
  requestProblem,
  unitProblem,
  type CommitResult,
  type CommitUnit,
  type Fingerprint,
  type NewRequest,
} from '@avocet/core/store'
import { gainsOf } from '@avocet/store-sql'
import { numbersText, textsText, inRange, MOST_INT, MOST_SMALLINT, jsonText, storableText } from '../connection/storable-text.ts'
import { storedWord } from '../names/word-ids.ts'
import type { LeasedHost } from '../held-host.ts'
import { joinedText } from '../schema/commit-functions.sql.ts'
import { packed } from '../schema/packed-memory.ts'
import type { ServerStore } from '../store.ts'
import { isFirstSuccess, outcomeRow, reasonWordsOf, type Concluded } from './outcome-row.ts'
import { LinkColumns, textProblem, unitTextProblem } from './link-columns.ts'
import { watchRows, type PlacedUnit } from './watch-row.ts'

const NOTHING = { gained: [], added: 0, known: 0 } as const

/** A unit that is part of the call: where its links are among all. */
interface Taken {
  readonly unit: CommitUnit
  /** Places of the links, from 1; 0 of those that another link of the group equals. */
  readonly places: readonly number[]
}

type Verdict = CommitResult | Taken

/** What the store answered. */
export type GroupAnswer = readonly [
  places: readonly number[],
  made: readonly number[],
  origins: readonly string[],
  /** Places of links that asked, and ranks of what they asked for, in turns. */
  asked: readonly number[],
  watched: readonly (readonly [place: number, published: number, changes: number])[],
]

/** One group. Use it for one call. */
export class CommitGroup {
  readonly #store: ServerStore
  readonly #links: LinkColumns
  /** Whether what is answered is of the store as it was when this was begun. */
  readonly #isSame: () => boolean
  readonly #settled: ReadonlySet<number>
  readonly #places = new Map<Fingerprint, number>()
  readonly #concluded = new Map<number, Concluded>()
  readonly #fences = new Map<LeasedHost, Record<string, string>>()
  readonly #crawlMemory: Record<string, string> = {}
  readonly #items: { readonly request: number; readonly visit: number; readonly ordinal: number; readonly json: string }[] = []
  readonly #records: object[] = []
  readonly #rejects: object[] = []
  readonly #placed: PlacedUnit[] = []
  readonly #verdicts: Verdict[] = []
  #asks = 0
  readonly #askers = new Map<number, NewRequest>()

  /** `settled`: of the requests that are not handed out, those that are settled. */
  constructor(store: ServerStore, settled: ReadonlySet<number>) {
    this.#store = store
    this.#settled = settled
    this.#isSame = store.since()
    this.#links = new LinkColumns(store.names, store.handlers)
  }

  /** True where nothing is to be written. */
  get isEmpty(): boolean {
    return this.#fences.size === 0
  }

  /** Hosts that must still be held, in the order of the parameters. */
  get hosts(): readonly LeasedHost[] {
    return [...this.#fences.keys()]
  }

  take(unit: CommitUnit): void {
    this.#verdicts.push(this.#verdictOn(unit))
  }

  /** Words that the call needs ids for. */
  get handlers(): readonly string[] {
    return this.#verdicts.flatMap((verdict) => ('unit' in verdict ? verdict.unit.links.map(({ handler }) => handler) : []))
  }

  get reasons(): readonly string[] {
    return [...this.#concluded.values()].flatMap(({ outcome }) => reasonWordsOf(outcome))
  }

  /** The parameters of `commit`, from the keys of new hosts on. Its words were learned. */
  get values(): readonly unknown[] {
    const concluded = [...this.#concluded.values()]
    const plain = concluded.filter(isFirstSuccess)
    const others = concluded.filter((each) => !isFirstSuccess(each)).map((each) => outcomeRow(each, this.#store.reasons))
    const watched = watchRows(this.#placed)
    const memory = [...this.#fences].flatMap(([held, parts]) => held.rowsWith(parts))
    const crawl = Object.entries(this.#crawlMemory)
    const fetched = plain.map(({ outcome }) => outcome.fetched)
    return [
      ...this.#links.hosts,
      numbersText(this.hosts.map(({ id }) => id)),
      numbersText(this.hosts.map(({ epoch }) => epoch)),
      ...this.#links.links,
      numbersText(plain.map(({ held }) => held.id)),
      numbersText(plain.map(({ out }) => out.rank)),
      numbersText(plain.map(({ id }) => id)),
      numbersText(fetched.map((each) => each?.at)),
      numbersText(fetched.map((each) => each && inRange(each.status, MOST_SMALLINT))),
      numbersText(fetched.map((each) => each && inRange(each.durationMs, MOST_INT))),
      numbersText(fetched.map((each) => each?.wireBytes)),
      others.length > 0 ? jsonText(others) : null,
      numbersText(this.#items.map(({ request }) => request)),
      numbersText(this.#items.map(({ visit }) => visit)),
      numbersText(this.#items.map(({ ordinal }) => ordinal)),
      joinedText(this.#items.map(({ json }) => json)),
      this.#records.length > 0 ? jsonText(this.#records) : null,
      this.#rejects.length > 0 ? jsonText(this.#rejects) : null,
      watched.length > 0 ? jsonText(watched) : null,
      numbersText(memory.map(({ host }) => host)),
      textsText(memory.map(({ part }) => part)),
      joinedText(memory.map(({ json }) => json)),
      textsText(crawl.map(([part]) => storedWord(part))),
      textsText(crawl.map(([part, json]) => packed({ [part]: json }))),
    ]
  }

  /** Says in RAM what the store has written, and what each unit changed. */
  conclude([places, made, origins, asked, watched]: GroupAnswer): CommitResult[] {
    if (this.#isSame()) this.#learn(made, origins)
    for (const { held, id, outcome } of this.#concluded.values()) {
      held.out.delete(id)
      if (outcome.kind === 'retry' || outcome.again !== undefined) held.returned.add(id)
    }
    for (const [held, parts] of this.#fences) held.remember(parts)
    const isNew = new Set(places)
    const ranks = new Map(
      asked.flatMap((place, n) => (n % 2 === 0 ? [[this.#askers.get(place), asked[n + 1] ?? 0] as const] : [])),
    )
    const came = new Map(watched.map(([place, published, changes]) => [place, cameOf(published, changes)]))
    return this.#verdicts.map((verdict, place) =>
      'unit' in verdict ? { ...resultOf(verdict, isNew, ranks), ...came.get(place) } : verdict,
    )
  }

  #learn(made: GroupAnswer[1], origins: GroupAnswer[2]): void {
    const { names } = this.#store
    this.#links.made.forEach((key, n) => names.set(key, { id: made[n] ?? 0, origin: origins[n] ?? '' }))
  }

  #verdictOn(unit: CommitUnit): Verdict {
    const held = this.#store.held.get(unit.lease.hostKey)
    if (held?.epoch !== unit.lease.epoch) return { status: 'fenced', ...NOTHING }
    const standing = this.#standing(held, unit.requestId)
    const error = unitProblem(unit) ?? standing.error ?? unitTextProblem(unit) ?? this.#linkProblem(unit.links)
    if (error !== undefined) return { status: 'rejected', error, ...NOTHING }
    if (standing.repeated === true) return { status: 'committed', ...NOTHING, known: unit.links.length }
    const parts = this.#fences.get(held) ?? {}
    this.#fences.set(held, Object.assign(parts, unit.memory))
    Object.assign(this.#crawlMemory, unit.crawlMemory)
    const places = unit.links.map((link) => this.#placeOf(link))
    this.#conclude(held, unit)
    return { unit, places }
  }

  #standing(held: LeasedHost, id: number | undefined): { readonly error?: string; readonly repeated?: boolean } {
    if (id === undefined) return {}
    if (held.out.has(id) && !this.#concluded.has(id)) return {}
    const isRepeated = this.#concluded.get(id)?.held === held || held.returned.has(id) || this.#settled.has(id)
    return isRepeated ? { repeated: true } : { error: `requestId: expected one that this lease handed out, got ${String(id)}` }
  }

  #linkProblem(links: readonly NewRequest[]): string | undefined {
    for (const link of links) {
      const problem = requestProblem(link) ?? textProblem(link)
      if (problem !== undefined) return `link ${link.url}: ${problem}`
    }
    return undefined
  }

  #placeOf(link: NewRequest): number {
    const { fingerprint } = link
    if (link.again !== undefined) {
      const isOut = [...(this.#store.held.get(link.hostKey)?.out.values() ?? [])].some((out) => out.fingerprint === fingerprint)
      this.#askers.set(++this.#asks, link)
      this.#links.ask(link, this.#asks, isOut)
    }
    if (this.#places.has(fingerprint)) return 0
    this.#links.take(link)
    this.#places.set(fingerprint, this.#links.size)
    return this.#links.size
  }

  #conclude(held: LeasedHost, unit: CommitUnit): void {
    const { requestId: id, outcome, items, rejects = [], records = [] } = unit
    const out = id === undefined ? undefined : held.out.get(id)
    if (id === undefined || outcome === undefined || out === undefined) return
    const concluded = { held, id, out, outcome }
    this.#concluded.set(id, concluded)
    this.#placed.push({ ...concluded, unit, place: this.#verdicts.length })
    const visit = out.isPlain ? 0 : -1
    items.forEach(({ json, ordinal }, n) => this.#items.push({ request: id, visit, ordinal: ordinal ?? n, json }))
    for (const [n, { json, ordinal }] of records.entries())
      this.#records.push({ n: this.#records.length + 1, request: id, ordinal: ordinal ?? n, json })
    if (rejects.length === 0) return
    const kept = rejects.map(({ json, ordinal, reason, at }) => {
      const text = keptReason(storableText(reason))
      return { json, ordinal, reason: text, kind: rejectGroupOf(text), at: inRange(at) }
    })
    this.#rejects.push({ id, rejects: kept })
  }
}

function resultOf(
  { unit: { links }, places }: Taken,
  isNew: ReadonlySet<number>,
  ranks: ReadonlyMap<NewRequest | undefined, number>,
): CommitResult {
  const fresh = links.filter((_, n) => isNew.has(places[n] ?? 0))
  const asked = links.flatMap((link) => {
    const rank = ranks.get(link)
    return rank === undefined ? [] : [{ hostKey: link.hostKey, count: 1, topPriority: -rank || 0 }]
  })
  const gained = [...gainsOf(fresh), ...asked]
  const added = fresh.length
  return { status: 'committed', gained, added, known: links.length - added, ...(asked.length > 0 && { asked: asked.length }) }
}

/** What a unit published and changed. */
function cameOf(published: number, changes: number): Pick<CommitResult, 'published' | 'changes'> {
  return { ...(published > 0 && { published }), ...(changes > 0 && { changes }) }
}
