// Asks a site again for secrets that it hands out itself, such as a session in its links: what waits from an earlier run has only references to them.
//
// Values are in RAM alone, so a process that goes on with a store knows none that a page gave. The first request that lacks one does not go: in its
// turn, at the pace and under the limits of its host, the page that led there is asked again (secret-sources.ts), if scope and plugins admit it by its own
// URL (detours.ts), seen by no handler. Every value of that answer is learned as it is from any page, and the request waits for its next turn, with
// all others of its origin. So nothing is requested twice but that page, also when this process has visited it: its handler may not have yielded yet.
// Bounded (secret-search.ts): one request at a time per origin and parameter finds out while the others rest, and each page answers once. A status that
// says something of the server or of us (5xx, 408, 429, one of a ban) is no answer of the page, and a failure of the host is none at all: what judges hosts
// receives it, and the request waits, untried, as nothing was said of it. What this machine's own trouble ended begins again as any request does.
// Rejected: sending what waits without the parameter, whose answer may be another page, such as a form to sign in; and visiting the parent again,
// which would run its handler, and give its items twice.
import type { Clock } from '../clock.ts'
import type { Abort, FetchReceiver, Outbound } from '../fetcher.ts'
import type { Frontier } from '../frontier.ts'
import { locationOf } from '../url/location-of.ts'
import { isIdempotent } from '../is-idempotent.ts'
import { isRedirect, type Response } from '../response.ts'
import type { Detour, DetourRights, DetourTo, Lacking, Renewal } from '../secrets/secret-fetcher.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { originOf } from '../url/origin.ts'
import { parseUrl } from '../url/parse-url.ts'
import { forgetInVain, passedOverMs, rememberInVain, type AskedPage } from './asked-in-vain.ts'
import { rememberHandedOut } from './handed-out.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import type { LatePages } from '../run/late-fetcher.ts'
import { SecretSearch } from './secret-search.ts'
import { sourceOf } from './secret-sources.ts'

/** As of a document that a plugin requires. */
const KEEP_BYTES = 512 * 1024
/** Statuses below those of failing servers that say: later (RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4). */
const LATER = new Set([408, 425, 429])
/** Origins and parameters. The oldest are forgotten beyond this, and may ask again. */
const MAX_SEARCHES = 10_000

/** A page to ask. */
interface Found {
  readonly to: DetourTo
  readonly rights: DetourRights
}

/** Where to look for a value. */
interface Source {
  readonly to: DetourTo
  /** Epoch ms. */
  readonly at: number
}

/** What it needs of the crawl. */
export interface RenewalParts {
  readonly frontier: Pick<Frontier, 'reader'>
  readonly clock: Pick<Clock, 'hold' | 'now'>
  readonly secrets: Secrets
  readonly pages: Pick<LatePages, 'of'>
  /** Those that a ban comes with. */
  readonly blockedStatuses: ReadonlySet<number>
  readonly loop: Pick<LoopBudget, 'take' | 'room'>
}

/** Finds fresh values. */
export class SecretRenewal implements Renewal {
  readonly #parts: RenewalParts
  readonly #searches = new Map<string, SecretSearch>()

  constructor(parts: RenewalParts) {
    this.#parts = parts
  }

  begin(lacking: Lacking): Abort {
    const search = this.#searchOf(lacking)
    let isOver = false
    let abort: Abort | undefined
    const end = (): boolean => {
      if (isOver) return false
      isOver = true
      search.isUnderWay = false
      return true
    }
    if (search.isUnderWay) {
      queueMicrotask(() => {
        if (!isOver) lacking.detours.awaits(awaited(lacking))
        isOver = true
      })
      return () => {
        isOver = true
      }
    }
    search.isUnderWay = true
    void this.#found(lacking, search).then((found) => {
      if (isOver) return
      if (typeof found === 'object') {
        abort = lacking.send(outboundTo(lacking, found), this.#receiver(lacking, { ...found, search, end }))
        return
      }
      end()
      if (found !== undefined) return lacking.detours.putOff(found)
      rememberInVain(lacking.detours.memory, pagesOf(search, lacking))
      lacking.refuse(search.tried)
    })
    return () => {
      if (end()) abort?.()
    }
  }

  #searchOf({ outbound, name }: Lacking): SecretSearch {
    const key = `${originOf(outbound.url)} ${name}`
    const known = this.#searches.get(key)
    if (known !== undefined) return known
    const search = new SecretSearch(this.#parts.clock.now())
    this.#forgetOldest()
    this.#searches.set(key, search)
    return search
  }

  #forgetOldest(): void {
    if (this.#searches.size < MAX_SEARCHES) return
    for (const [key, { isUnderWay }] of this.#searches) {
      if (isUnderWay) continue
      this.#searches.delete(key)
      return
    }
  }

  /**
   * A page to ask, or the moment (epoch ms) until which to wait for one; undefined: there is none. Virtual time stands still while the store and the
   * plugins are asked. A store that cannot be read now leaves what waits to the next run.
   */
  async #found(lacking: Lacking, search: SecretSearch): Promise<Found | number | undefined> {
    const { clock } = this.#parts
    using _hold = clock.hold(`what led to ${lacking.outbound.url}`)
    for (;;) {
      const next = search.next()
      const isDue = next !== undefined && next.until <= clock.now()
      const source = !isDue && search.isOpen ? await this.#source(lacking, search) : {}
      const to = isDue ? next.to : source.to
      if (to === undefined)
        return earliest(next?.until, source.at) ?? (search.othersUntil > clock.now() ? search.othersUntil : undefined)
      const until = search.waitsUntil(to.url)
      if (until > clock.now()) return until
      const word = await lacking.detours.rights(to)
      const now = clock.now()
      if (word.kind === 'granted') return { to, rights: word.rights }
      if (word.kind === 'failed') return search.struggled(to, { why: word.why, counts: true, now })
      if (word.kind === 'later') return search.putOff(to, { at: word.at, now })
      search.spend(to.url, 'may not be asked, by the scope or a plugin such as robots', now)
    }
  }

  /** A page that led to the request; or when one may be asked (epoch ms) that lets others go first. */
  async #source({ outbound, name, detours }: Lacking, search: SecretSearch): Promise<Partial<Source>> {
    const { frontier, secrets, clock } = this.#parts
    let at: number | undefined
    const isSpent = (url: string): boolean => {
      if (search.isSpent(url)) return true
      const turnAt = search.startedAt + passedOverMs(detours.memory, { url, name })
      if (turnAt <= clock.now() || search.waitsUntil(url) > 0) return false
      at = earliest(at, turnAt)
      return true
    }
    try {
      const to = await sourceOf({ reader: frontier.reader, secrets }, { url: outbound.url, name, isSpent })
      return { ...(to && { to }), ...(at !== undefined && { at }) }
    } catch {
      return {}
    }
  }

  #receiver(
    lacking: Lacking,
    { search, to, end }: { readonly search: SecretSearch; readonly to: DetourTo; readonly end: () => boolean },
  ): FetchReceiver {
    const { outbound, receiver, detours } = lacking
    // What may not be sent twice was not sent yet.
    const isToldSent = isIdempotent(outbound.method)
    let trouble = { why: '', counts: false }
    const detour: Detour = {
      struggled: () => {
        if (trouble.counts) search.asked(to.url)
        return search.struggled(to, { ...trouble, now: this.#parts.clock.now() })
      },
    }
    detours.begins(detour)
    return {
      sent: () => {
        if (isToldSent) receiver.sent()
      },
      headers: (head) => receiver.headers(head),
      flows: () => receiver.flows?.(),
      holds: () => receiver.holds?.(),
      done: (response) => {
        if (this.#isOfTheMoment(response.status)) {
          trouble = { why: `it answered ${response.status}`, counts: true }
          if (end()) receiver.done({ ...response, url: outbound.url })
          return
        }
        const done = (): void => {
          if (!end()) return
          const problem = this.#learned(lacking, { search, to, response })
          detour.answered = problem === undefined ? {} : { problem }
          receiver.done({ ...response, url: outbound.url, body: new Uint8Array() })
        }
        const cost = COST.required * response.body.byteLength
        if (this.#parts.loop.take(cost)) done()
        else void this.#parts.loop.room(cost).then(done)
      },
      failed: (cause) => {
        if (!end()) return
        const what = `could not be read (${cause.code})`
        trouble = { why: `it ${what}`, counts: cause.sent && cause.blame === 'host' }
        if (cause.blame === 'host' || cause.blame === 'local')
          return receiver.failed(isToldSent ? cause : { ...cause, sent: false })
        if (cause.sent) search.asked(to.url)
        search.spend(to.url, what, this.#parts.clock.now())
        detours.awaits(awaited(lacking))
      },
    }
  }

  /** Whether it says something of the server or of us, and nothing of the page. */
  #isOfTheMoment(status: number): boolean {
    return status >= 500 || LATER.has(status) || this.#parts.blockedStatuses.has(status)
  }

  /** Remembers what an answer says; the sentence for the report, if it has what was looked for. */
  #learned(
    lacking: Lacking,
    { search, to, response }: { readonly search: SecretSearch; readonly to: DetourTo; readonly response: Response },
  ): string | undefined {
    const { secrets, clock, pages } = this.#parts
    const { outbound, name, detours } = lacking
    const source = to.url
    search.asked(source)
    search.spend(source, inVain(response), clock.now())
    if (response.status < 300) rememberHandedOut(response, secrets, (made) => pages.of(made))
    const url = secrets.parameters.revealed(outbound.url)
    if (!('unknown' in url) || url.unknown !== name) {
      forgetInVain(detours.memory, pagesOf(search, lacking))
      return `${source} was asked again for a fresh value of the secret parameter ${name}: values of earlier runs are never stored, and what waits for one is sent with the fresh one`
    }
    const target = isRedirect(response) ? parseUrl(locationOf(response.headers), source) : undefined
    const isNear = target !== undefined && [source, outbound.url].some((url) => originOf(url) === originOf(target))
    if (isNear) search.wait({ url: target, depth: to.depth, isVisited: false }, 0)
    return undefined
  }
}

/** In the turn of the request. */
function outboundTo({ outbound }: Lacking, { to, rights }: Found): Outbound {
  const { body: _body, save: _save, ...kept } = outbound
  // Without content codings a document of any size can be cut where it is enough.
  const headers = { ...rights.headers, 'accept-encoding': 'identity' }
  return { ...kept, ...rights, url: to.url, method: 'GET', headers, keepBytes: KEEP_BYTES }
}

function awaited({ outbound, name }: Lacking): string {
  return `another request is finding out a fresh value of the secret parameter ${name} of ${originOf(outbound.url)}`
}

function pagesOf({ spent }: SecretSearch, { name }: Lacking): readonly AskedPage[] {
  return spent.map((url) => ({ url, name }))
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function inVain({ status, body }: Response): string {
  if (status >= 400) return `answered ${status} when it was asked again`
  return `was asked again and handed out none in ${body.byteLength >= KEEP_BYTES ? 'the first 512 KiB of ' : ''}its URLs`
}
