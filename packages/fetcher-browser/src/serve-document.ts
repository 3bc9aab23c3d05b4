// Stands between a tab and the documents of its main frame: the first is the one that the crawl has fetched, and any other is for the crawl to request.
//
// A page that loads itself again may do so once, and is handed the same document; if it has set a cookie before, it wants another one, and the crawl requests
// it. A document that is not a GET, or not of http, is refused, and the page stays as it is.
import type { Response } from '@avocet/core'
import type { CDPSession } from 'playwright-core'
import type { BrowserOptions } from './options.ts'
import { ignored } from './unless-late.ts'
import { siteOf } from '@avocet/core/plugin'

/** Times that a page may load itself again. */
const MAX_RELOADS = 1

/** Fields that describe bytes on the wire, that would keep the browser from showing the document, or have it report to somebody later. */
const LEFT_OUT = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'content-disposition',
  'nel',
  'report-to',
  'reporting-endpoints',
])

/**
 * No windows, dialogs, downloads or questions on leaving: a document in this sandbox asks for them in vain. (HTML standard, "sandboxing flag set"; policies of
 * several fields hold together, CSP 3 §4.1.)
 */
const SANDBOX = {
  name: 'content-security-policy',
  value: 'sandbox allow-scripts allow-same-origin allow-forms allow-pointer-lock',
}

/** What a page loads beside what it shows: icons, guesses at the next page, and beacons. Chromium names more types, but takes only some of them as patterns. */
const NEVER = ['Other', 'Ping'] as const
const UNLESS_WANTED = { image: 'Image', font: 'Font', media: 'Media' } as const
/** What is served, and who hears where the page goes from there. */
export interface ServedDocument {
  readonly document: Response
  readonly load: NonNullable<BrowserOptions['load']>
  /** Whether scripts have set a cookie for its host. */
  readonly hasNewCookies: () => Promise<boolean>
  readonly moves: (url: string) => void
}

/** Begins to serve. Returns the id of the main frame. */
export async function serveDocument(session: CDPSession, served: ServedDocument): Promise<string> {
  const { frameTree } = await session.send('Page.getFrameTree')
  const mainFrame = frameTree.frame.id
  const page = { url: served.document.url, load: served.load }
  let times = 0
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, resourceType, frameId, request } = paused
    const answer = async (): Promise<unknown> => {
      if (paused.responseStatusCode !== undefined && frameId !== mainFrame) return serveFrame(session, paused, page)
      if (paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined)
        return session.send('Fetch.continueRequest', { requestId })
      if (resourceType === 'Other' && !isGuess(request.headers)) return session.send('Fetch.continueRequest', { requestId })
      if (resourceType !== 'Document') return refuse(session, requestId, 'BlockedByClient')
      if (frameId !== mainFrame) return session.send('Fetch.continueRequest', { requestId })
      if (!/^https?:/.test(request.url) || request.method !== 'GET') return refuse(session, requestId, 'Aborted')
      const isSame = request.url === withoutHash(served.document.url)
      const isFirst = isSame && times++ === 0
      if (isFirst || (isSame && !(await served.hasNewCookies()))) {
        if (times > 1 + MAX_RELOADS) return refuse(session, requestId, 'Aborted')
        return session.send('Fetch.fulfillRequest', { requestId, ...fulfilled(served.document) })
      }
      served.moves(request.url + (request.urlFragment ?? ''))
      return refuse(session, requestId, 'Aborted')
    }
    void answer().catch(ignored)
  })
  const types = ['Document' as const, ...NEVER, ...unwanted(served.load).map((kind) => UNLESS_WANTED[kind])]
  const answers = { resourceType: 'Document', requestStage: 'Response' } as const
  await session.send('Fetch.enable', { patterns: [...types.map((resourceType) => ({ resourceType })), answers] })
  return mainFrame
}

function unwanted(load: ServedDocument['load']): readonly (keyof typeof UNLESS_WANTED)[] {
  return (['image', 'font', 'media'] as const).filter((kind) => !load.includes(kind))
}

/** An icon, or what the browser fetches in advance. */
function isGuess(fields: Readonly<Record<string, string>>): boolean {
  const of = (name: string): string => Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
  return of('accept').startsWith('image/') || /prefetch|prerender/.test(`${of('purpose')} ${of('sec-purpose')}`)
}

function refuse(session: CDPSession, requestId: string, errorReason: 'Aborted' | 'BlockedByClient'): Promise<unknown> {
  return session.send('Fetch.failRequest', { requestId, errorReason })
}

function fulfilled({ status, headers, body }: Response): {
  responseCode: number
  responseHeaders: { name: string; value: string }[]
  body: string
} {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    LEFT_OUT.has(name) ? [] : [value].flat().map((each) => ({ name, value: each })),
  )
  return { responseCode: status, responseHeaders: [...fields, SANDBOX], body: Buffer.from(body).toString('base64') }
}

function withoutHash(text: string): string {
  const url = new URL(text)
  url.hash = ''
  return url.href
}

// Answers the documents of frames, with a Content-Security-Policy that refuses in the frame what `Fetch` refuses in the page itself.
//
// A frame of another site has a process of its own, where nothing but its document passes here. So images, fonts and media that are not wanted are refused by
// a policy of that document (CSP 3 §6.1); and it has no frames itself, for of these not even the documents would pass. Chromium takes over fields of an answer
// that is fulfilled, but not those of one that is continued.
const POLICIES = { image: 'img-src data: blob:', font: 'font-src data:', media: 'media-src data: blob:' } as const

/** What is used of `Fetch.requestPaused` once there is an answer. */
interface PausedAnswer {
  readonly requestId: string
  readonly request: { readonly url: string }
  readonly responseStatusCode?: number
  readonly responseHeaders?: { name: string; value: string }[]
}

/** A page that has frames. */
interface FramingPage {
  readonly url: string
  readonly load: NonNullable<BrowserOptions['load']>
}

/** Passes on what has come. Rejects when the browser is gone. */
async function serveFrame(session: CDPSession, paused: PausedAnswer, page: FramingPage): Promise<unknown> {
  const { requestId, request, responseStatusCode: responseCode = 0, responseHeaders = [] } = paused
  const type = responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? 'text/html'
  const policy = policyOf(request.url, page)
  // Only documents, and what may be taken for one, load anything, and a redirect has no body.
  if (responseCode < 200 || responseCode > 299 || !/html|xml|\*\/\*|unknown|^\s*(?:;|$)/i.test(type) || policy === '')
    return session.send('Fetch.continueRequest', { requestId })
  const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
  return session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode,
    responseHeaders: [...responseHeaders, { name: 'content-security-policy', value: policy }],
    body: base64Encoded ? body : Buffer.from(body).toString('base64'),
  })
}

function policyOf(frame: string, { url, load }: FramingPage): string {
  const isSameSite = siteOf(new URL(frame).hostname) === siteOf(new URL(url).hostname)
  return [...unwanted(load).map((kind) => POLICIES[kind]), ...(isSameSite ? [] : ["frame-src 'none'"])].join('; ')
}
