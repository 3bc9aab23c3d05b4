// Builds one page in a context of the browser: hands it the document that the crawl has fetched, lets its scripts run, and reads what they made of it.
//
// The browser never fetches a document of the main frame: the first is handed to it, and a second one, which a script or a `refresh` leads to, is where the page
// moved to, and the crawl's to request. Whatever a page does, this ends: what does not react is given a few seconds, and then its context is broken.
import { headerOf } from '@avocet/core/plugin'
import type { Clock } from '@avocet/core/store'
import type { Response } from '@avocet/core'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { BrowserOptions, RenderRule } from './options.ts'

/** When a page counts as built where no rule says. */
const DEFAULT_WAIT_MS = 10_000
/** To read a page that is built: a script that never ends lets nobody. */
const READ_MS = 10_000
/** Times that a page may load itself again. */
const MAX_RELOADS = 1
/** A picture beyond this is left out. */
const MAX_SCREENSHOT_BYTES = 8 * 2 ** 20

/** Fields of the document that describe its bytes on the wire, which the browser does not get. */
const OF_THE_WIRE = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive'])

/** What became of a page. */
export type Built =
  | { readonly kind: 'built'; readonly html: string; readonly cookies: readonly string[]; readonly screenshot?: Uint8Array }
  /** A script, or a `refresh`, leads on to `url`. */
  | { readonly kind: 'moved'; readonly url: string; readonly cookies: readonly string[] }
  /** It does not react. */
  | { readonly kind: 'stuck'; readonly why: string }

/** What to build, and how. */
export interface BuildWish {
  readonly document: Response
  readonly rule: RenderRule
  readonly load: NonNullable<BrowserOptions['load']>
  /** The `cookie` field that the document was requested with. */
  readonly cookie: string | undefined
  readonly clock: Clock
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal
}

/** Builds it. Rejects when the browser is gone. */
export async function buildPage(context: BrowserContext, wish: BuildWish): Promise<Built> {
  const { document, cookie, signal } = wish
  await context.clearCookies()
  await context.addCookies(cookiesOf(cookie, document))
  const page = await context.newPage()
  const ended = new Promise<Built>((resolve) => {
    page.once('crash', () => resolve({ kind: 'stuck', why: 'its tab crashed' }))
    signal.addEventListener('abort', () => resolve({ kind: 'stuck', why: 'nobody waits for it' }), { once: true })
  })
  const session = await context.newCDPSession(page)
  const { promise: moved, resolve: moves } = Promise.withResolvers<string>()
  await serveDocument(session, wish, moves)
  page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined))
  page.on('popup', (popup) => void popup.close().catch(() => undefined))
  const goneOn = moved.then(async (url): Promise<Built> => ({ kind: 'moved', url, cookies: await newCookies(context, wish) }))
  try {
    return await Promise.race([ended, goneOn, read(page, wish)])
  } finally {
    await closed(page, wish.clock)
  }
}

async function read(page: Page, wish: BuildWish): Promise<Built> {
  const { document, rule, clock } = wish
  await page.goto(document.url, { waitUntil: 'commit', timeout: READ_MS }).catch(ignored)
  await waitFor(page, rule)
  const built = (async (): Promise<Built> => {
    const screenshot =
      rule.screenshot && (await page.screenshot({ fullPage: rule.screenshot === 'full', timeout: READ_MS }).catch(ignored))
    return {
      kind: 'built',
      html: await page.content(),
      cookies: await newCookies(page.context(), wish),
      ...(screenshot && screenshot.byteLength <= MAX_SCREENSHOT_BYTES && { screenshot }),
    }
  })()
  return within(READ_MS, clock, built, { kind: 'stuck', why: `it did not react for ${READ_MS / 1_000} s, once it was there` })
}

/** Until the page counts as built. One that never does counts as it is. */
async function waitFor(page: Page, { waitFor: selector, waitMs: timeout = DEFAULT_WAIT_MS }: RenderRule): Promise<void> {
  if (selector !== undefined) await page.waitForSelector(selector, { state: 'attached', timeout }).catch(ignored)
  else await page.waitForLoadState('networkidle', { timeout }).catch(ignored)
}

/** Hands the document over, refuses what is not to be loaded, and tells where the main frame goes after that. */
async function serveDocument(session: CDPSession, { document, load }: BuildWish, moves: (url: string) => void): Promise<void> {
  const { frameTree } = await session.send('Page.getFrameTree')
  let reloads = -1
  session.on('Fetch.requestPaused', ({ requestId, resourceType, frameId, request: { url, urlFragment, method } }) => {
    const answer = (): Promise<unknown> => {
      if (resourceType !== 'Document') return session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      if (frameId !== frameTree.frame.id) return session.send('Fetch.continueRequest', { requestId })
      if (url === new URL(document.url).href && method === 'GET' && reloads++ < MAX_RELOADS)
        return session.send('Fetch.fulfillRequest', { requestId, ...fulfilled(document) })
      moves(url + (urlFragment ?? ''))
      return session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    }
    void answer().catch(ignored)
  })
  const blocked = (['image', 'font', 'media'] as const).filter((kind) => !load.includes(kind))
  const names = { image: 'Image', font: 'Font', media: 'Media' } as const
  await session.send('Fetch.enable', {
    patterns: [
      { resourceType: 'Document' },
      { resourceType: 'Other' },
      ...blocked.map((kind) => ({ resourceType: names[kind] })),
    ],
  })
}

function fulfilled({ status, headers, body }: Response): {
  responseCode: number
  responseHeaders: { name: string; value: string }[]
  body: string
} {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    OF_THE_WIRE.has(name) ? [] : [value].flat().map((each) => ({ name, value: each })),
  )
  return { responseCode: status, responseHeaders: fields, body: Buffer.from(body).toString('base64') }
}

/** Cookies that the document was requested with: the crawl has the jar. What the document sets, the browser takes from its fields. */
function cookiesOf(cookie: string | undefined, { url }: Response): { name: string; value: string; url: string }[] {
  return (cookie?.split('; ') ?? []).flatMap((pair) => {
    const at = pair.indexOf('=')
    return at <= 0 ? [] : [{ name: pair.slice(0, at), value: pair.slice(at + 1), url }]
  })
}

/** Cookies that scripts have set, as `set-cookie` fields: the crawl keeps them like those of the server. */
async function newCookies(context: BrowserContext, { document, cookie }: BuildWish): Promise<readonly string[]> {
  const known = new Set(cookiesOf(cookie, document).map(({ name, value }) => `${name}=${value}`))
  const told = headerOf(document.headers, 'set-cookie') === undefined ? [] : [document.headers['set-cookie'] ?? []].flat()
  const ofServer = new Set(told.map((field) => field.split(';', 1)[0] ?? ''))
  const all = await context.cookies(document.url)
  return all
    .filter(({ name, value }) => !known.has(`${name}=${value}`) && !ofServer.has(`${name}=${value}`))
    .map(({ name, value, domain, path, expires, secure }) =>
      [
        `${name}=${value}`,
        `Path=${path}`,
        ...(domain.startsWith('.') ? [`Domain=${domain.slice(1)}`] : []),
        ...(expires > 0 ? [`Expires=${new Date(expires * 1_000).toUTCString()}`] : []),
        ...(secure ? ['Secure'] : []),
      ].join('; '),
    )
}

/** A tab that does not close is closed with its context. */
async function closed(page: Page, clock: Clock): Promise<void> {
  await within(READ_MS, clock, page.close({ runBeforeUnload: false }).catch(ignored), undefined)
}

/** What `coming` gives, or `late` after `ms`. */
async function within<Value>(ms: number, clock: Clock, coming: Promise<Value>, late: Value): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>()
  using _timer = clock.at(clock.now() + ms, () => resolve(late))
  return await Promise.race([coming, promise])
}

function ignored(): undefined {}
