// A fetcher of pages that build themselves: their document comes over HTTP like any other, with all limits, guards and courtesies of that; then a browser builds
// the page, and its HTML takes the place of the body.
//
// So whatever can be wrong with an exchange is wrong in the same way with a rendered page, and the browser sees only pages that are there. Validators are left
// out on both sides: that a document is as it was says nothing of what its scripts would load. The time that a page takes to be built is ours, not the host's.
import type { Response } from '@avocet/core'
import { headerOf } from '@avocet/core/plugin'
import { failure, messageOf, type BrowserSurroundings, type Fetcher, type FetchReceiver, type Outbound } from '@avocet/core/store'
import { buildPage, type Built } from './build-page.ts'
import type { Chromium } from './chromium.ts'
import type { Guard } from './guard.ts'
import type { BrowserOptions, RenderRule } from './options.ts'

/** Fields of a request, and of an answer, that belong to conditional requests (RFC 9110 §8.8, §13). */
const CONDITIONS = new Set(['if-none-match', 'if-modified-since'])
const VALIDATORS = new Set(['etag', 'last-modified'])
/** What describes a body that is no longer there. */
const OF_THE_BODY = new Set(['content-encoding', 'content-length', 'content-type', 'transfer-encoding', 'content-md5', 'digest'])

/** What it works with. */
interface Parts extends BrowserSurroundings {
  readonly chromium: Chromium
  readonly guard: Guard
  readonly options: BrowserOptions
  readonly ruleOf: (url: string) => RenderRule
}

/** Ends when its page is there. */
export function renderedFetcher(parts: Parts): Fetcher {
  const { http, chromium, guard } = parts
  const opened = lazily(() => guard.open())
  return {
    ...http,
    fetch(outbound, receiver) {
      let wish = 'discard'
      const ending = new AbortController()
      const abort = http.fetch(unconditional(outbound), {
        sent: () => receiver.sent(),
        headers: (head) => (wish = receiver.headers(head)) as 'read' | 'discard',
        flows: () => receiver.flows?.(),
        failed: (cause) => receiver.failed(cause),
        done(response) {
          if (wish === 'discard' || !isRenderable(response)) return receiver.done(response)
          void opened()
            .then(() => render(parts, { outbound, document: response, signal: ending.signal }))
            .then((end) => {
              if (!ending.signal.aborted) end(receiver)
            })
        },
      })
      return () => {
        ending.abort()
        abort()
      }
    },
    async close() {
      await chromium.close()
      await guard.close()
    },
  }
}

/** A page that is there, in a language that browsers build. */
function isRenderable({ status, headers }: Response): boolean {
  const type = headerOf(headers, 'content-type')?.toLowerCase() ?? 'text/html'
  return status >= 200 && status < 300 && status !== 204 && /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/.test(type)
}

/** What the receiver is told in the end. */
type End = (receiver: FetchReceiver) => void

interface Rendering {
  readonly outbound: Outbound
  readonly document: Response
  readonly signal: AbortSignal
}

/** Never rejects. */
async function render(parts: Parts, { outbound, document, signal }: Rendering): Promise<End> {
  const { http, chromium, guard, clock, options } = parts
  const { url, privateAllowed, headers, session = '' } = outbound
  const startedAt = clock.monotonic()
  const bytes = document.body.byteLength
  http.bodyBudget?.acquire(bytes)
  try {
    const lent = await chromium.lend({ key: `${new URL(url).origin}\n${session}`, userAgent: headers['user-agent'] ?? '' })
    let built: Built | undefined
    try {
      const { otherSites = true, maxLoadBytes: maxBytes = 32 * 2 ** 20, load = [] } = options
      using _rights = guard.allow(lent.name, { url, privateAllowed, otherSites, maxBytes })
      built = await buildPage(lent.context, { document, rule: parts.ruleOf(url), load, cookie: headers['cookie'], clock, signal })
    } finally {
      await lent.giveBack(built === undefined || built.kind === 'stuck' ? 'broken' : 'sound')
    }
    return endOf(built, { document, maxBytes: parts.limits.maxDecodedBytes, waitedMs: clock.monotonic() - startedAt })
  } catch (error) {
    const [first = ''] = messageOf(error).split('\n')
    const cause = failure('AVO_BROWSER_GONE', `expected the browser to build ${url}, got: ${first}`, {
      phase: 'body',
      sent: true,
      cause: error,
    })
    return (receiver) => receiver.failed(cause)
  } finally {
    http.bodyBudget?.release(bytes)
  }
}

function endOf(
  built: Built,
  { document, maxBytes, waitedMs }: { readonly document: Response; readonly maxBytes: number; readonly waitedMs: number },
): End {
  const timings = { ...document.timings, waitedMs: (document.timings.waitedMs ?? 0) + waitedMs }
  const details = { phase: 'body', sent: true, wireBytes: document.wireBytes, timings } as const
  if (built.kind === 'stuck')
    return (receiver) =>
      receiver.failed(failure('AVO_BROWSER_PAGE', `expected a page that a browser can build: ${built.why}`, details))
  const headers = { ...kept(document), ...withCookies(document, built.cookies) }
  if (built.kind === 'moved') {
    const moved = { ...headers, location: built.url }
    return (receiver) => receiver.done({ ...document, status: 302, headers: moved, body: new Uint8Array(), timings })
  }
  const body = new TextEncoder().encode(built.html)
  if (body.byteLength > maxBytes)
    return (receiver) =>
      receiver.failed(
        failure(
          'AVO_DECODED_TOO_LARGE',
          `expected a page of at most ${maxBytes} bytes, got ${body.byteLength} once it was built`,
          details,
        ),
      )
  const { screenshot } = built
  const typed = { ...headers, 'content-type': 'text/html; charset=utf-8' }
  return (receiver) => receiver.done({ ...document, headers: typed, body, timings, ...(screenshot && { screenshot }) })
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
