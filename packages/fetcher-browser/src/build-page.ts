// Builds one page in a context of the browser: hands it the document that the crawl has fetched, lets its scripts run, and reads what they made of it.
//
// The browser never fetches a document of the main frame: the first is handed to it, and a second one, which a script or a `refresh` leads to, is where the
// page moved to, and the crawl's to request. Whatever a page does, this ends: what does not react is given a few seconds, and then its context is broken.
import type { Response } from '@avocet/core'
import { siteOf } from '@avocet/core/plugin'
import { messageOf, type Clock } from '@avocet/core/store'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { BrowserOptions, RenderRule } from './options.ts'
import { serveDocument } from './serve-document.ts'
import { ignored, unlessLate } from './unless-late.ts'

/** When a page counts as built where no rule says. */
const DEFAULT_WAIT_MS = 10_000
/** A picture beyond this is left out. */
const MAX_SCREENSHOT_BYTES = 8 * 2 ** 20
/** Longest time for which `buildPage` may wait on a browser that works, beside `waitMs`. */
const STEPS = 5

/** What the answer says of the page beside its HTML. */
type BuiltMore = Pick<Response, 'screenshot' | 'unauthorized' | 'loads'>

/** What became of a page. */
export type Built =
  | ({ readonly kind: 'built'; readonly html: string; readonly cookies: readonly string[] } & BuiltMore)
  /** A script, or a `refresh`, leads on to `url`. */
  | { readonly kind: 'moved'; readonly url: string; readonly cookies: readonly string[] }
  /** It has grown to so many characters. */
  | { readonly kind: 'large'; readonly length: number }
  /** It does not react, or cannot be built. */
  | { readonly kind: 'stuck'; readonly why: string }

/** What to build, and how. */
export interface BuildWish {
  readonly document: Response
  /** Requested before anything else, where the context is a new one. */
  readonly greeting: string | undefined
  readonly rule: RenderRule
  readonly load: NonNullable<BrowserOptions['load']>
  /** The `cookie` field that the document was requested with. */
  readonly cookie: string | undefined
  /** Of the page that is built: a longer one is not read. */
  readonly maxLength: number
  readonly clock: Clock
  /** To begin the page, to read it once it is built, and to close it. */
  readonly reactMs: number
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal
  /** Called when it is built: from then on it loads nothing. */
  readonly endLoading: () => void
}

/** After so long a browser that has not built a page does not work. */
export function longestBuildMs({ waitMs = DEFAULT_WAIT_MS }: RenderRule, reactMs: number): number {
  return waitMs + STEPS * reactMs
}

/** Builds it. Rejects when the browser is gone, or cannot be talked to. */
export async function buildPage(context: BrowserContext, wish: BuildWish): Promise<Built> {
  const { signal } = wish
  const page = await context.newPage()
  const { promise: ended, resolve: end } = Promise.withResolvers<Built>()
  const nobody = (): void => end({ kind: 'stuck', why: 'nobody waits for it' })
  page.once('crash', () => end({ kind: 'stuck', why: 'its tab crashed' }))
  signal.addEventListener('abort', nobody, { once: true })
  if (signal.aborted) nobody()
  let isMoving = false
  const moves = (url: string): void => {
    isMoving = true
    void newCookies(context, wish).then((cookies) => end({ kind: 'moved', url, cookies }), ignored)
  }
  try {
    const work = build(page, wish, moves).then(
      (result) => (isMoving ? ended : result),
      (error: unknown) => (isMoving ? ended : Promise.reject(error as Error)),
    )
    const built = await Promise.race([ended, work])
    wish.endLoading()
    // One that is stuck is closed with its context, and so is a tab that does not close.
    if (built.kind !== 'stuck') await unlessLate({ ms: wish.reactMs, clock: wish.clock }, leave(page), undefined)
    return built
  } finally {
    signal.removeEventListener('abort', nobody)
    wish.endLoading()
  }
}

/** What a page sends when it is left would be taken for the next one's, unless it is refused as long as somebody listens. */
async function leave(page: Page): Promise<void> {
  await page.goto('about:blank').catch(ignored)
  await page.close({ runBeforeUnload: false }).catch(ignored)
}

async function build(page: Page, wish: BuildWish, moves: (url: string) => void): Promise<Built> {
  const { document, greeting, rule, load, clock, reactMs } = wish
  const context = page.context()
  const session = await context.newCDPSession(page)
  if (greeting !== undefined)
    await page.evaluate(`fetch(${JSON.stringify(greeting)}, { mode: 'no-cors' }).then(() => {}, () => {})`)
  await fillJar(context, session, wish)
  const hasNewCookies = async (): Promise<boolean> => (await newCookies(context, wish)).length > 0
  const frameId = await serveDocument(session, { document, load, moves, hasNewCookies })
  const refused = refusedData(page, document.url)
  const loads = await loadsOf(session, frameId, document.url)
  page.on('dialog', (dialog) => void dialog.dismiss().catch(ignored))
  page.on('popup', (popup) => void popup.close().catch(ignored))
  await page.goto(document.url, { waitUntil: 'commit', timeout: reactMs })
  const wrong = await waitFor(page, rule)
  if (wrong !== undefined) return { kind: 'stuck', why: wrong }
  // Nothing of it passes `Fetch`, and what is there would be read as an empty page.
  if (page.url() === 'about:blank') return { kind: 'stuck', why: 'it left for about:blank' }
  const stuck: Built = { kind: 'stuck', why: `it did not react for ${reactMs / 1_000} s` }
  const built = await unlessLate({ ms: reactMs, clock }, read(page, { wish, session, frameId }), stuck)
  if (built.kind !== 'built') return built
  const unauthorized = refused.size > 0 && ({ unauthorized: true } as const)
  // With a time of its own: a picture waits for fonts, and a page is there without it.
  const picture = rule.screenshot && pictureOf(page, rule.screenshot, reactMs)
  const screenshot = picture && (await unlessLate({ ms: reactMs, clock }, picture, undefined))
  return { ...built, ...unauthorized, ...(loads() > 0 && { loads: loads() }), ...(screenshot && { screenshot }) }
}

/** Counts what its own host is asked for beside the document. What the browser has in its cache costs the host nothing. */
async function loadsOf(session: CDPSession, mainFrame: string, url: string): Promise<() => number> {
  const { host } = new URL(url)
  const cached = new Set<string>()
  let loads = 0
  session.on('Network.requestServedFromCache', ({ requestId }) => void cached.add(requestId))
  session.on('Network.responseReceived', ({ requestId, type, frameId, response }) => {
    const isServed = response.fromDiskCache === true || cached.has(requestId) || (type === 'Document' && frameId === mainFrame)
    if (!isServed && URL.parse(response.url)?.host === host) loads++
  })
  await session.send('Network.enable')
  return () => loads
}

/** Data of its site that a page lacks because it was answered with 401: what a script gets in the end, after a new token, is there. */
function refusedData(page: Page, url: string): ReadonlySet<string> {
  const site = siteOf(new URL(url).hostname)
  const refused = new Set<string>()
  page.on('response', (answer) => {
    const isData = ['xhr', 'fetch'].includes(answer.request().resourceType())
    if (!isData || siteOf(new URL(answer.url()).hostname) !== site) return
    if (answer.status() === 401) refused.add(answer.url())
    else if (answer.ok()) refused.delete(answer.url())
  })
  return refused
}

/** Until the page counts as built; one that never does counts as it is. Returns what is wrong with the selector, if it is none. */
async function waitFor(
  page: Page,
  { waitFor: selector, waitMs: timeout = DEFAULT_WAIT_MS }: RenderRule,
): Promise<string | undefined> {
  if (selector === undefined) return page.waitForLoadState('networkidle', { timeout }).catch(ignored) as Promise<undefined>
  try {
    await page.waitForSelector(selector, { state: 'attached', timeout })
  } catch (error) {
    const message = messageOf(error)
    if (/selector/i.test(message) && !/timeout .* exceeded/i.test(message) && !page.isClosed())
      return `waitFor: ${message.split('\n', 1)[0] ?? ''}`
  }
  return undefined
}

/**
 * In a world of its own, in which no script of the page has replaced anything. Where a script has changed the address of the page (`pushState`), the HTML names
 * it as its base: relative links lead on from there.
 */
function htmlUpTo(maxLength: number, url: string): string {
  return `(() => {
    const { doctype, documentElement, head } = document
    const isMoved = location.protocol.startsWith('http') && location.href.split('#')[0] !== ${JSON.stringify(url.split('#')[0])}
    const base = isMoved && document.querySelector('base[href]') === null ? document.createElement('base') : null
    base?.setAttribute('href', location.href)
    if (base !== null) head?.prepend(base)
    const html = (doctype === null ? '' : new XMLSerializer().serializeToString(doctype)) + (documentElement?.outerHTML ?? '')
    base?.remove()
    return html.length > ${maxLength} ? html.length : html
  })()`
}

async function read(
  page: Page,
  { wish, session, frameId }: { readonly wish: BuildWish; readonly session: CDPSession; readonly frameId: string },
): Promise<Built> {
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId })
  const { result } = await session.send('Runtime.evaluate', {
    expression: htmlUpTo(wish.maxLength, wish.document.url),
    contextId,
    returnByValue: true,
  })
  const html: unknown = result.value
  if (typeof html === 'number') return { kind: 'large', length: html }
  if (typeof html !== 'string') return { kind: 'stuck', why: `its HTML could not be read: ${result.description ?? 'no text'}` }
  const cookies = await newCookies(page.context(), wish)
  return { kind: 'built', html, cookies }
}

/** Undefined where it cannot be taken, or is too large. */
async function pictureOf(page: Page, of: 'window' | 'full', timeout: number): Promise<Uint8Array | undefined> {
  const picture = await page.screenshot({ fullPage: of === 'full', timeout }).catch(ignored)
  return picture !== undefined && picture.byteLength <= MAX_SCREENSHOT_BYTES ? picture : undefined
}

// Of the jar only names and values are known here, as the `cookie` field has them: so each is sent to the whole host of the page, as a `fetch` of its scripts
// expects. What a script deleted stays in the jar, for a cookie that is not there may also be one that the browser did not accept.

/** A document, and the `cookie` field that it was requested with. */
interface CookiedDocument {
  readonly document: Response
  readonly cookie: string | undefined
}

/** The jar of the browser becomes that of the document. A cookie that the browser does not accept is left out. */
async function fillJar(context: BrowserContext, session: CDPSession, { document, cookie }: CookiedDocument): Promise<void> {
  await context.clearCookies()
  const { origin, protocol } = new URL(document.url)
  const secure = protocol === 'https:'
  const set = pairsOf(cookie).map(([name, value]) =>
    session.send('Network.setCookie', { name, value, url: `${origin}/`, secure }),
  )
  await Promise.allSettled(set)
}

/** Cookies for the host of the document that scripts, or what they loaded, have set: as `set-cookie` fields, which the crawl keeps like those of the server. */
async function newCookies(context: BrowserContext, { document, cookie }: CookiedDocument): Promise<readonly string[]> {
  const { hostname } = new URL(document.url)
  const told = [document.headers['set-cookie'] ?? []].flat().map((field) => field.split(';', 1)[0]?.trim() ?? '')
  const known = new Set([...pairsOf(cookie).map(([name, value]) => `${name}=${value}`), ...told])
  const all = (await context.cookies().catch(ignored)) ?? []
  return all.flatMap(({ name, value, domain, path, expires, secure, httpOnly, sameSite }) => {
    const isOfHost = domain.startsWith('.') ? `.${hostname}`.endsWith(domain) : domain === hostname
    if (!isOfHost || known.has(`${name}=${value}`)) return []
    const parts = [`${name}=${value}`, `Path=${path}`]
    if (domain.startsWith('.')) parts.push(`Domain=${domain.slice(1)}`)
    if (expires > 0) parts.push(`Expires=${new Date(expires * 1_000).toUTCString()}`)
    if (secure) parts.push('Secure')
    if (httpOnly) parts.push('HttpOnly')
    return [[...parts, `SameSite=${sameSite}`].join('; ')]
  })
}

function pairsOf(cookie: string | undefined): (readonly [string, string])[] {
  return (cookie?.split(/; */) ?? []).flatMap((pair) => {
    const at = pair.indexOf('=')
    return at <= 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const]
  })
}
