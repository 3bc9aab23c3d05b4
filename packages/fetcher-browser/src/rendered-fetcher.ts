// A fetcher of pages that build themselves: their document comes over HTTP like any other, with all limits, guards and courtesies of that; then a browser
// builds the page, and its HTML takes the place of the body.
//
// So whatever can be wrong with an exchange is wrong in the same way with a rendered page, and the browser sees only pages that are there. Validators are left
// out on both sides: that a document is as it was says nothing of what its scripts would load. The time that a page takes to be built is ours, not the host's.
import { AvocetError, type Response } from '@avocet/core'
import { headerOf, type Failure } from '@avocet/core/plugin'
import { failure, messageOf } from '@avocet/core/store'
import type { BodyWish, Clock, Fetcher, FetchReceiver, Outbound, SizeLimits } from '@avocet/core/store'
import { buildPage, longestBuildMs, type Built } from './build-page.ts'
import type { Chromium } from './chromium.ts'
import { GREETING, type Guard } from './guard.ts'
import type { BrowserOptions, RenderRule } from './options.ts'
import { Suspects } from './suspects.ts'
import { ignored, unlessLate } from './unless-late.ts'

/** Fields of a request, and of an answer, that belong to conditional requests (RFC 9110 §8.8, §13). */
const CONDITIONS = new Set(['if-none-match', 'if-modified-since'])
const VALIDATORS = new Set(['etag', 'last-modified'])
/** What describes a body that is no longer there. What scripts build of it may depend on each parameter. */
const OF_THE_BODY = new Set([
  ...['content-encoding', 'content-length', 'content-type', 'transfer-encoding', 'content-md5', 'digest'],
  'no-vary-search',
])

/** What it works with. */
export interface RenderedParts {
  /** Fetches everything else; the bodies of pages are counted in its budget. */
  readonly http: Fetcher
  readonly clock: Clock
  readonly limits: SizeLimits
  readonly chromium: Chromium
  /** For pages with which that broke down, one at a time. */
  readonly alone: Chromium
  readonly guard: Guard
  readonly options: BrowserOptions
  /** For each step of a page that does not react. */
  readonly reactMs: number
  /** How many pages it has at once. */
  readonly maxPages: number
  /** Undefined: none wants the page at `url` rendered. */
  readonly ruleOf: (url: string) => RenderRule | undefined
}

interface Parts extends RenderedParts {
  /** The guard listens. */
  readonly opened: () => Promise<void>
  readonly suspects: Suspects
}

/** Renders what a request or a rule wants, and leaves the rest to `http`. */
export function renderingFetcher(parts: RenderedParts): Fetcher {
  const { http, chromium, alone, guard, ruleOf, maxPages } = parts
  const all: Parts = { ...parts, opened: lazily(() => guard.open()), suspects: new Suspects() }
  let inFlight = 0
  const rendering: NonNullable<Fetcher['rendering']> = {
    // A browser opens pages: it posts nothing.
    wants: ({ url, method = 'GET', body, render }) =>
      render !== undefined || (method === 'GET' && body === undefined && ruleOf(url) !== undefined),
    get fullAt() {
      return inFlight >= maxPages ? maxPages : undefined
    },
  }
  return {
    // By name: of a fetcher that is a class, a copy would have no method.
    ...(http.dial && { dial: http.dial.bind(http) }),
    ...(http.addressOf && { addressOf: http.addressOf.bind(http) }),
    ...(http.connections && { connections: http.connections.bind(http) }),
    ...(http.bodyBudget && { bodyBudget: http.bodyBudget }),
    rendering,
    fetch(outbound, receiver) {
      if (!isOfPage(outbound) || !rendering.wants(outbound)) return http.fetch(outbound, receiver)
      inFlight++
      return fetchRendered(all, outbound, { receiver, over: () => inFlight-- })
    },
    async close() {
      // What the browser has open ends before the names and the budget that it uses.
      await Promise.all([chromium.close(), alone.close()])
      await guard.close()
      await http.close()
    },
  }
}

/** What a plugin has saved, or reads as a document of its own, with limits of its own, is built by no script. */
function isOfPage({ save, keepBytes, maxBodyBytes }: Outbound): boolean {
  return save === undefined && keepBytes === undefined && maxBodyBytes === undefined
}

/** Ends when its page is there. */
function fetchRendered(
  parts: Parts,
  outbound: Outbound,
  { receiver, over }: { readonly receiver: FetchReceiver; readonly over: () => void },
): () => void {
  let wish: BodyWish = 'discard'
  const ending = new AbortController()
  const end = (tell: End): void => {
    if (ending.signal.aborted) return
    ending.abort()
    over()
    tell(receiver)
  }
  const abort = parts.http.fetch(unconditional(outbound), {
    sent: () => receiver.sent(),
    headers: (head) => (wish = receiver.headers(head)),
    failed: (cause) => end(() => receiver.failed(cause)),
    done(response) {
      if (wish === 'discard' || !isRenderable(response)) return end(() => receiver.done(response))
      void render(parts, { outbound, document: response, signal: ending.signal }).then(end)
    },
  })
  return () => {
    end(() => undefined)
    abort()
  }
}

/**
 * A page that is there, in a language that browsers build, or that nobody names (MIME Sniffing Standard §7). A 204 or 205 has no content, and a browser stays
 * where it is (RFC 9110 §15.3.5, §15.3.6).
 */
function isRenderable({ status, headers }: Response): boolean {
  const type = headerOf(headers, 'content-type')?.toLowerCase() ?? 'text/html'
  return (
    status >= 200 &&
    status < 300 &&
    status !== 204 &&
    status !== 205 &&
    /^\s*(?:text\/html|application\/xhtml\+xml|\*\/\*|unknown\/unknown|application\/unknown|)\s*(?:;|$)/.test(type)
  )
}

/** What the receiver is told in the end. */
type End = (receiver: FetchReceiver) => void

interface Rendering {
  readonly outbound: Outbound
  readonly document: Response
  readonly signal: AbortSignal
}

/** Never rejects. */
async function render(parts: Parts, rendering: Rendering): Promise<End> {
  const { http, clock, suspects } = parts
  const { url } = rendering.outbound
  const startedAt = clock.monotonic()
  const bytes = rendering.document.body.byteLength
  http.bodyBudget?.acquire(bytes)
  using _turn = suspects.has(url) ? await suspects.turn() : undefined
  try {
    const built = await buildInTime(parts, rendering)
    suspects.clear(url)
    return endOf(built, { ...rendering, maxBytes: maxBytesOf(parts, rendering), waitedMs: clock.monotonic() - startedAt })
  } catch (error) {
    const cause = failureOf(error, { ...rendering, suspects, waitedMs: clock.monotonic() - startedAt })
    return (receiver) => receiver.failed(cause)
  } finally {
    http.bodyBudget?.release(bytes)
  }
}

/** Rejects when the browser is gone, or does not react: then it is killed. */
async function buildInTime(parts: Parts, rendering: Rendering): Promise<Built> {
  const { suspects, clock } = parts
  const { url } = rendering.outbound
  const chromium = suspects.has(url) ? parts.alone : parts.chromium
  const longest = { ms: longestBuildMs(parts.ruleOf(url) ?? {}, parts.reactMs), clock }
  const built = await unlessLate(longest, build({ ...parts, chromium }, rendering), undefined)
  if (built !== undefined) return built
  await chromium.kill()
  throw new Error(`the browser did not react for ${longest.ms / 1_000} s`)
}

/** Rejects when the browser is gone. */
async function build(parts: Parts, { outbound, document, signal }: Rendering): Promise<Built> {
  const { chromium, guard, clock, options, opened } = parts
  const { url, privateAllowed, headers, session = '', proxy } = outbound
  await opened()
  const owner = {
    key: `${new URL(url).origin}\n${session}\n${proxy?.url ?? ''}`,
    userAgent: headers['user-agent'] ?? '',
    language: headers['accept-language'],
  }
  const lent = await chromium.lend(owner)
  let built: Built | undefined
  try {
    const { otherSites = true, maxLoadBytes: maxBytes = 32 * 2 ** 20, load = [] } = options
    using rights = guard.allow(lent.name, { url, privateAllowed, otherSites, maxBytes, proxy })
    built = await buildPage(lent.context, {
      document,
      greeting: lent.isNew ? GREETING : undefined,
      rule: parts.ruleOf(url) ?? {},
      load,
      cookie: headers['cookie'],
      maxLength: maxBytesOf(parts, { outbound }),
      clock,
      reactMs: parts.reactMs,
      signal,
      endLoading: () => rights[Symbol.dispose](),
    })
    if (built.kind !== 'stuck' || signal.aborted || (await lent.reacts())) return built
  } catch (error) {
    if (!lent.isAlive() || !(await lent.reacts())) throw error
    return (built = { kind: 'stuck', why: firstLine(error) })
  } finally {
    // Nobody waits for it.
    void lent.giveBack(built === undefined || built.kind === 'stuck' ? 'broken' : 'sound').catch(ignored)
  }
  throw new Error('a browser that does not react')
}

function maxBytesOf({ limits }: Parts, { outbound }: Pick<Rendering, 'outbound'>): number {
  return Math.max(limits.maxDecodedBytes, outbound.maxBodyBytes ?? 0)
}

/** The browser broke down, or did not start: no fault of the page, unless it breaks down with that page again and again. */
function failureOf(
  error: unknown,
  { outbound: { url }, document, suspects, waitedMs }: Rendering & Pick<Parts, 'suspects'> & { readonly waitedMs: number },
): Failure {
  const details = { phase: 'body', sent: true, cause: error, timings: timingsOf(document, waitedMs) } as const
  const waits = (what: string): Failure =>
    failure('AVO_BROWSER_GONE', `${what}; the pages that it is to render wait, and no host is blamed`, details)
  if (error instanceof AvocetError && error.code === 'AVO_BROWSER_MISSING') return waits(error.message)
  const times = suspects.brokeDown(url)
  const got = `got: ${firstLine(error)}`
  return times === undefined
    ? waits('the browser crashed, or was closed')
    : failure(
        'AVO_BROWSER_PAGE',
        `expected a page that does not break the browser, as it did ${times} times in a row, ${got}`,
        details,
      )
}

function firstLine(error: unknown): string {
  const [first = ''] = messageOf(error).split('\n')
  return first
}

function timingsOf({ timings }: Response, waitedMs: number): Response['timings'] {
  return { ...timings, waitedMs: (timings.waitedMs ?? 0) + waitedMs }
}

function endOf(
  built: Built,
  { document, maxBytes, waitedMs }: { readonly document: Response; readonly maxBytes: number; readonly waitedMs: number },
): End {
  const timings = timingsOf(document, waitedMs)
  const details = { phase: 'body', sent: true, wireBytes: document.wireBytes, timings } as const
  if (built.kind === 'stuck')
    return (receiver) =>
      receiver.failed(failure('AVO_BROWSER_PAGE', `expected a page that a browser can build: ${built.why}`, details))
  const tooLarge = (length: number): End => {
    const message = `expected a page of at most ${maxBytes} bytes, got ${length} once it was built; raise sizeLimits.maxDecodedBytes`
    return (receiver) => receiver.failed(failure('AVO_DECODED_TOO_LARGE', message, details))
  }
  if (built.kind === 'large') return tooLarge(built.length)
  const headers = { ...kept(document), ...withCookies(document, built.cookies) }
  if (built.kind === 'moved') {
    const moved = { ...headers, location: built.url }
    return (receiver) => receiver.done({ ...document, status: 302, headers: moved, body: new Uint8Array(), timings })
  }
  const { kind: _kind, html, cookies: _cookies, ...more } = built
  const body = new TextEncoder().encode(html)
  if (body.byteLength > maxBytes) return tooLarge(body.byteLength)
  const typed = { ...headers, 'content-type': 'text/html; charset=utf-8' }
  return (receiver) => receiver.done({ ...document, headers: typed, body, timings, ...more })
}

function kept({ headers }: Response): Response['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !VALIDATORS.has(name) && !OF_THE_BODY.has(name)))
}

function withCookies({ headers }: Response, cookies: readonly string[]): Response['headers'] {
  return cookies.length === 0 ? {} : { 'set-cookie': [...[headers['set-cookie'] ?? []].flat(), ...cookies] }
}

function unconditional(outbound: Outbound): Outbound {
  const headers = Object.fromEntries(Object.entries(outbound.headers).filter(([name]) => !CONDITIONS.has(name)))
  return { ...outbound, headers }
}

/** `work`, once, at the first call. */
function lazily(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}
