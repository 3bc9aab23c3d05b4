// The plugin: binds the choice of a proxy, and its rests, to the hooks. A host waits for its proxies; it is never blamed for them, nor retired.
//
// The choice is made from the memory, in the tick of the booking: a limit of the proxy that books there as well (`exitOf`) has the same one. What an exchange
// does with a proxy that is in trouble is a trial, and booked with it, so that there is one at a time.
import { definePlugin, type Json, type Plugin } from '@avocet/core'
import { type Admission, type Exchange, reasonOf } from '@avocet/core/plugin'
import { answeredNow, failedNow, holdUntil, type ProxyTrouble, triedBy, triedInVain, usableAt } from './rest-law.ts'
import { type Candidate, type ProxiesOptions, type ProxyRoutes, type Routes, routesOf } from './routes.ts'

interface ProxiesMemory {
  /** Proxies in trouble, by label, as many as memory has room for: `avocet why` names them. */
  troubled: Readonly<Record<string, ProxyTrouble>>
}

/** Of a memory of 64 KiB. */
const MAX_SAVED = 120

/** All of a run: a new one begins afresh anyway. */
const ALL = new WeakMap<ProxiesMemory, ProxiesMemory['troubled']>()

/**
 * Sends requests through proxies: by host pattern, or by session. Of several proxies a host keeps to one as long as it works. A proxy that fails rests, 1 s
 * doubling to 10 min, and is tried again by one request; meanwhile its hosts use another, or wait.
 *
 * Errors: AVO_CONFIG_INVALID for what is no pattern or no proxy.
 *
 * @example
 * ```ts
 * const plugins = [proxies({ '*': ['http://a.proxy.example:8080', 'socks5://b.proxy.example'], 'shop.example': 'direct' })]
 * ```
 */
export function proxies(routes: ProxyRoutes, options: ProxiesOptions = {}): Plugin {
  const ways = routesOf(routes, options)
  const choices = new WeakMap<Exchange, Choice | undefined>()
  const choiceFor = (exchange: Exchange, crawl: ProxiesMemory): Choice | undefined => {
    if (!choices.has(exchange))
      choices.set(exchange, soonest(candidatesOf(ways, exchange), troubledIn(crawl), exchange.admittedAt))
    return choices.get(exchange)
  }
  return definePlugin<undefined, ProxiesMemory>({
    name: 'proxies',
    seesRequired: true,
    outsideEffects: false,
    options: ways.shown,
    crawlMemory: () => ({ troubled: {} }),
    merge: (a, b) => ({ troubled: { ...a.troubled, ...b.troubled } }),
    // A new run begins afresh: whoever starts it may have mended the proxy.
    open: (_session, crawl) => void (crawl.troubled = {}),
    admit: (ask, _host, crawl) => hold(ask, ways, troubledIn(crawl)),
    onAdmit(exchange, _host, crawl) {
      const { admittedAt: now } = exchange
      const { at, of } = choiceFor(exchange, crawl) ?? { at: Infinity }
      const trouble = of && troubledIn(crawl)[of.label]
      if (trouble && at <= now) keep(crawl, of.label, triedBy(trouble, nameOf(exchange), now + exchange.limits.totalMs))
    },
    beforeRequest(outgoing, _host, crawl) {
      const choice = choiceFor(outgoing.exchange, crawl)
      if (choice === undefined) return
      if (choice.at <= outgoing.now) outgoing.setProxy(choice.of.server)
      else outgoing.retry(choice.at, 'proxies-rest')
    },
    exitOf(of, crawl) {
      if ('request' in of) return choiceFor(of, crawl)?.of.label
      const { nextUrl: url = `https://${of.host.key}/`, nextSession: session, host, now } = of
      return soonest(candidatesOf(ways, { request: { url, session }, host }), troubledIn(crawl), now)?.of.label
    },
    onUnsent(exchange, _host, crawl) {
      const { proxyFailure, admittedAt: since } = exchange
      const proxy = labelIn(ways, exchange)
      endTrial(crawl, exchange)
      if (proxy === undefined || proxyFailure === undefined) return
      const { at: now, failure, isProven } = proxyFailure
      const hasOther = candidatesOf(ways, exchange).length > 1
      // What may be the host's is told apart by another proxy; where there is none, its other hosts are not to wait for it.
      if (!isProven && !hasOther) return
      keep(crawl, proxy, failedNow(troubledIn(crawl)[proxy], { since, now, why: reasonOf(failure.code), hasOther }))
    },
    onResponse({ exchange }, _host, crawl) {
      const { admittedAt } = exchange
      const proxy = labelIn(ways, exchange)
      const trouble = proxy === undefined ? undefined : troubledIn(crawl)[proxy]
      endTrial(crawl, exchange)
      if (proxy !== undefined && trouble !== undefined) keep(crawl, proxy, answeredNow(trouble, admittedAt))
    },
    onError: ({ exchange }, _host, crawl) => endTrial(crawl, exchange),
    explain({ host, now, url }, _host, crawl) {
      const { hostKey, scheme } = url === undefined ? { hostKey: host.key } : placeOf(url)
      return explained(ways.allOf(hostKey, scheme) ?? [], troubledIn(crawl), now)
    },
  })
}

/** A host waits while everything that may serve it rests. Where something may go directly, it does not. */
function hold(ask: Admission, ways: Routes, troubled: ProxiesMemory['troubled']): void {
  const all = ways.allOf(ask.host.key)
  if (all === undefined) return
  const { at, of } = soonest(all, troubled, ask.now) ?? { at: 0 }
  if (of && at > ask.now)
    ask.notBefore(holdUntil(at, ask.now), `proxy ${of.label} does not work (${troubled[of.label]?.why ?? 'unknown'})`)
}

interface Asking {
  readonly request: Pick<Exchange['request'], 'url' | 'session' | 'proxySession'>
  readonly host: Pick<Exchange['host'], 'key'>
}

/** The best first. */
function candidatesOf(ways: Routes, { request, host }: Asking): readonly Candidate[] {
  const { url, proxySession, session = proxySession } = request
  return ranked(ways.of({ ...placeOf(url), session }), session ?? host.key)
}

/** The host by its own name and port, whatever hosts are keyed by, and the scheme. */
function placeOf(text: string): { readonly hostKey: string; readonly scheme: 'http' | 'https' } {
  const { protocol, hostname, port } = new URL(text)
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  return { hostKey: port === '' ? name : `${name}:${port}`, scheme: protocol === 'https:' ? 'https' : 'http' }
}

interface Choice {
  /** From when on it may be used. */
  readonly at: number
  readonly of: Candidate
}

/** The one that can be used first: the best of those that may be used now. Undefined without any. */
function soonest(candidates: readonly Candidate[], troubled: ProxiesMemory['troubled'], now: number): Choice | undefined {
  const times = candidates.map((of) => ({ at: usableAt(troubled[of.label], now), of }))
  return times.reduce<Choice | undefined>((first, next) => (first && first.at <= next.at ? first : next), undefined)
}

function endTrial(crawl: ProxiesMemory, exchange: Exchange): void {
  const by = nameOf(exchange)
  for (const [label, trouble] of Object.entries(troubledIn(crawl)))
    if (trouble.trial?.by === by) keep(crawl, label, triedInVain(trouble, by))
}

/** Undefined: it works. */
function keep(crawl: ProxiesMemory, label: string, trouble: ProxyTrouble | undefined): void {
  const { [label]: _before, ...others } = troubledIn(crawl)
  const all = trouble === undefined ? others : { ...others, [label]: trouble }
  ALL.set(crawl, all)
  crawl.troubled = Object.fromEntries(Object.entries(all).slice(0, MAX_SAVED))
}

function troubledIn(crawl: ProxiesMemory): ProxiesMemory['troubled'] {
  return ALL.get(crawl) ?? crawl.troubled
}

/** The proxy that it went through; undefined where there is none, or none of ours. */
function labelIn(ways: Routes, { proxyId }: Exchange): string | undefined {
  return proxyId === undefined ? undefined : ways.labelOf(proxyId)
}

function nameOf({ host, seq }: Exchange): string {
  return `${host.key} ${seq}`
}

/** The proxies of a host, and those of them that rest. */
function explained(
  candidates: readonly Candidate[],
  troubled: ProxiesMemory['troubled'],
  now: number,
): Readonly<Record<string, Json>> {
  const labels = [...new Set(candidates.map(({ label }) => label))]
  const resting = labels.flatMap((label) => {
    const trouble = troubled[label]
    if (trouble === undefined) return []
    const { why, failures, restsUntil } = trouble
    return [{ proxy: label, why, failures, ...(restsUntil > now && { restsUntil }) }]
  })
  return labels.length === 0 ? {} : { proxies: labels, ...(resting.length > 0 && { resting }) }
}

// Which of several proxies a host, or a session, uses: always the same one while it works, and the next best while it rests. Pure.
//
// Rendezvous hashing (Thaler and Ravishankar 1998): every pair of seat and proxy has a number, and the largest of those that may be used wins. So a proxy that
// rests moves only those that used it, evenly to all others, and they return to it.

/** The candidates for `seat` (a host, or a session), best first. */
export function ranked<Candidate extends { readonly id: string }>(
  candidates: readonly Candidate[],
  seat: string,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates
  return candidates
    .map((candidate) => ({ candidate, weight: weightOf(`${seat}\n${candidate.id}`) }))
    .toSorted((a, b) => b.weight - a.weight || (a.candidate.id < b.candidate.id ? -1 : 1))
    .map(({ candidate }) => candidate)
}

/** FNV-1a, then the finaliser of MurmurHash3: an even spread for texts that differ in a character. */
function weightOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
