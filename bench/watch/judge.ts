// The judge: published changes beside those that visits could see. Both sides are plain data, so that it can be fed wrong, missing and doubled ones.
import { WatchLaw, type Change, type DueChange, type Seen } from './watch-law.ts'

/** A visit that a server answered. */
export interface JudgedVisit {
  readonly at: number
  readonly page: string
  /** Absent: it failed, and says nothing. */
  readonly seen?: Seen | undefined
  /**
   * `must`: what it saw has to be published. `lost`: the process died right after it, so it was committed as a whole or not at all. `held`: the crawl may keep
   * to itself what it saw; if it is published, it must be what is true.
   */
  readonly duty: 'must' | 'lost' | 'held'
}

/** A change that the crawl published. */
export interface PublishedChange extends Change {
  /** Rises in the order of publication. */
  readonly seq: number
  /** Epoch ms of its page. */
  readonly at: number
}

/** One thing that is wrong. `late`: published for a later visit than the one that saw it. */
export interface Fault {
  readonly fault: 'false' | 'missed' | 'doubled' | 'late'
  readonly host: string
  readonly at: number
  readonly change: Change
  /** Of a late one: epoch ms of the page for which it was published. */
  readonly publishedAt?: number
}

/** What the judge found. */
export interface Verdict {
  readonly faults: readonly Fault[]
  /** Published as they should be. */
  readonly right: number
  /** Right, of what the crawl could have held. */
  readonly rightOfHeld: number
}

/** Judges one host: its visits in the order of their answers, and what was published of it. */
export function judgeHost(host: string, visits: readonly JudgedVisit[], published: readonly PublishedChange[]): Verdict {
  return new HostJudge(host, published).judge(visits)
}

class HostJudge {
  readonly #host: string
  readonly #law = new WatchLaw()
  /** Published changes by key and moment, each until it is matched. */
  readonly #open = new Map<string, PublishedChange[]>()
  readonly #matched = new Map<string, PublishedChange[]>()
  /** What the crawl itself last said of a key. */
  readonly #said = new Map<string, string | undefined>()
  readonly #missed: { readonly at: number; readonly change: DueChange }[] = []
  #right = 0
  #rightOfHeld = 0

  constructor(host: string, published: readonly PublishedChange[]) {
    this.#host = host
    for (const change of published.toSorted((a, b) => a.seq - b.seq)) {
      const place = placeOf(change.key, change.at)
      this.#open.set(place, [...(this.#open.get(place) ?? []), change])
    }
  }

  judge(visits: readonly JudgedVisit[]): Verdict {
    for (const visit of visits) if (visit.seen !== undefined) this.#visit(visit, visit.seen)
    return { faults: this.#faults(), right: this.#right, rightOfHeld: this.#rightOfHeld }
  }

  #visit({ at, page, duty }: JudgedVisit, seen: Seen): void {
    const due = this.#law.due(page, seen, at)
    const made = new Set<string>()
    const lacking: DueChange[] = []
    for (const change of due) {
      if (this.#match(change, at)) made.add(change.key)
      else if (change.isSure) lacking.push(change)
    }
    if (duty === 'held') {
      this.#rightOfHeld += made.size
      this.#law.keep(page, seen, { at, made, isSure: made.size > 0 && lacking.length === 0 })
      return
    }
    this.#right += made.size
    if (duty === 'lost' && made.size === 0) {
      if (lacking.length === 0) this.#law.keep(page, seen, { at, made, isSure: false })
      return
    }
    for (const change of lacking) {
      this.#missed.push({ at, change })
      made.add(change.key)
    }
    this.#law.keep(page, seen, { at, made })
  }

  /** Takes the published change that is this one, if there is one. */
  #match(change: Change, at: number): boolean {
    const place = placeOf(change.key, at)
    const open = this.#open.get(place) ?? []
    // What was before may be what the crawl said last: a change between the two is missed, and this one is not wrong for that.
    const said = this.#said.get(change.key) ?? change.before
    const n = open.findIndex((published) => isSame(published, change) || isSame(published, { ...change, before: said }))
    const found = open[n]
    if (found === undefined) return false
    this.#said.set(change.key, found.after ?? found.before)
    this.#open.set(place, open.toSpliced(n, 1))
    this.#matched.set(place, [...(this.#matched.get(place) ?? []), found])
    return true
  }

  /** What was published and is open is doubled, late or false; what is missed and was not published late is missed. */
  #faults(): readonly Fault[] {
    const host = this.#host
    const faults: Fault[] = []
    const missed = [...this.#missed]
    for (const published of [...this.#open.values()].flat().toSorted((a, b) => a.seq - b.seq)) {
      const twin = this.#matched.get(placeOf(published.key, published.at))?.some((one) => isSame(one, published)) ?? false
      const n = twin
        ? -1
        : missed.findIndex(({ at, change }) => at < published.at && change.key === published.key && isLate(published, change))
      const late = missed[n]
      if (late === undefined) faults.push({ fault: twin ? 'doubled' : 'false', host, at: published.at, change: plain(published) })
      else {
        missed.splice(n, 1)
        faults.push({ fault: 'late', host, at: late.at, change: plain(late.change), publishedAt: published.at })
      }
    }
    return [...faults, ...missed.map(({ at, change }): Fault => ({ fault: 'missed', host, at, change: plain(change) }))]
  }
}

function placeOf(key: string, at: number): string {
  return `${String(at)} ${key}`
}

/** `before` is not compared where the crawl does not say it: of what is back. */
function isSame(published: Change, change: Change): boolean {
  const { kind, before, after } = published
  if (kind !== change.kind || after !== change.after) return false
  return before === undefined || kind === 'back' || before === change.before
}

/** It came to the same in the end, though the visit between is not there. */
function isLate({ kind, after }: Change, missed: Change): boolean {
  return after === missed.after && (kind === missed.kind || kind !== 'gone')
}

function plain({ kind, key, before, after }: Change): Change {
  return { kind, key, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}
