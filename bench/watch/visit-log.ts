// What the servers of the world write down, in a file that survives the crawler: each answer, and each death of a process; and what the judge makes of it.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Offer, ServedVisit, Shop, Shops } from '@avocet/stress/shops'
import type { JudgedVisit } from './judge.ts'
import type { Seen, Values } from './watch-law.ts'

const DIED = 'died'
/** What a page brings is committed within that time, or dies with its process. */
const COMMITTED_MS = 30_000

/** Appends to the log at `path`. */
export class VisitLog implements Disposable {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a')
  }

  visit({ at, host, path, status }: ServedVisit): void {
    writeSync(this.#file, `${at}\t${host}\t${path}\t${status}\n`)
  }

  died(at: number): void {
    writeSync(this.#file, `${at}\t${DIED}\t\t0\n`)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/** What is in a log. */
export interface LoggedVisits {
  /** By host, in the order of the answers. */
  readonly byHost: ReadonlyMap<string, readonly ServedVisit[]>
  /** Epoch ms at which processes died. */
  readonly deaths: readonly number[]
  readonly count: number
  readonly lastAt: number
}

/** Reads the log at `path`. */
export function readVisits(path: string): LoggedVisits {
  const byHost = new Map<string, ServedVisit[]>()
  const deaths: number[] = []
  let [count, lastAt] = [0, 0]
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [time = '', host = '', page = '', status = ''] = line.split('\t')
    if (time === '') continue
    const at = Number(time)
    lastAt = at
    if (host === DIED) deaths.push(at)
    else {
      count++
      const visits = byHost.get(host)
      const visit = { at, host, path: page, status: Number(status) }
      if (visits === undefined) byHost.set(host, [visit])
      else visits.push(visit)
    }
  }
  return { byHost, deaths, count, lastAt }
}

/** An offer as the judge writes it. */
export function textOf({ cents, currency, availability }: Offer): string {
  return `${(cents / 100).toFixed(2)} ${currency} ${availability}`
}

/** Moments of answers that the break of a shop spoiled; a redirect to a login is one. */
export function brokenMoments(shop: Shop, { byHost }: LoggedVisits): readonly number[] {
  const { broken } = shop
  if (broken === undefined) return []
  return (byHost.get(shop.host) ?? []).flatMap(({ at, path, status }) => {
    if (at < broken.fromMs || at >= broken.untilMs || path === '/robots.txt') return []
    return status === 302 || (status === 200 && shop.sightAt(path, at).kind === 'broken') ? [at] : []
  })
}

/** Visits of a shop as the judge wants them: with what each saw by the truth of the world. */
export function judgedVisits(
  { shops }: Shops,
  { byHost, deaths }: LoggedVisits,
  { host, mayHold }: { readonly host: string; readonly mayHold: (at: number) => boolean },
): readonly JudgedVisit[] {
  const shop = shops.get(host)
  if (shop === undefined) return []
  return (byHost.get(host) ?? []).flatMap((visit): JudgedVisit[] => {
    const { at, path } = visit
    if (path === '/robots.txt') return []
    const seen = seenOf(shop, visit)
    const isLost = deaths.some((death) => at > death - COMMITTED_MS && at <= death)
    const isHeld = seen?.isBroken === true || mayHold(at)
    // A crawl rounds the moments of its pages.
    return [{ at: Math.round(at), page: path, seen: seen?.seen, duty: isHeld ? 'held' : isLost ? 'lost' : 'must' }]
  })
}

function seenOf(shop: Shop, { at, path, status }: ServedVisit): { readonly seen: Seen; readonly isBroken: boolean } | undefined {
  if (status === 304) return { seen: { kind: 'same' }, isBroken: false }
  if (status === 404 || status === 301) return { seen: { kind: 'missing', weight: 1 }, isBroken: false }
  if (status === 410) return { seen: { kind: 'missing', weight: 2 }, isBroken: false }
  if (status !== 200) return undefined
  const sight = shop.sightAt(path, at)
  if (sight.kind === 'missing') throw new Error(`expected ${shop.host}${path} to be there at ${at}: it answered 200`)
  return { seen: { kind: 'values', values: valuesOf(sight.offers) }, isBroken: sight.kind === 'broken' }
}

function valuesOf(offers: ReadonlyMap<string, Offer>): Values {
  const values = new Map<string, string>()
  for (const [sku, offer] of offers) values.set(sku, textOf(offer))
  return values
}
