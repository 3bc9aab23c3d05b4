// Answers the documents of frames, with a Content-Security-Policy that refuses in the frame what `Fetch` refuses in the page itself.
//
// A frame of another site has a process of its own, where nothing but its document passes here. So images, fonts and media that are not wanted are refused by
// a policy of that document (CSP 3 §6.1); and it has no frames itself, for of these not even the documents would pass. Chromium takes over fields of an answer
// that is fulfilled, but not those of one that is continued.
import { registrableDomain } from '@avocet/core/store'
import type { CDPSession } from 'playwright-core'
import type { BrowserOptions } from './options.ts'

const POLICIES = { image: 'img-src data: blob:', font: 'font-src data:', media: 'media-src data: blob:' } as const

/** What is used of `Fetch.requestPaused` once there is an answer. */
export interface PausedAnswer {
  readonly requestId: string
  readonly request: { readonly url: string }
  readonly responseStatusCode?: number
  readonly responseHeaders?: { name: string; value: string }[]
}

/** A page that has frames. */
export interface FramingPage {
  readonly url: string
  readonly load: NonNullable<BrowserOptions['load']>
}

/** Passes on what has come. Rejects when the browser is gone. */
export async function serveFrame(session: CDPSession, paused: PausedAnswer, page: FramingPage): Promise<unknown> {
  const { requestId, request, responseStatusCode: responseCode = 0, responseHeaders = [] } = paused
  const type = responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? 'text/html'
  const policy = policyOf(request.url, page)
  // Only documents load anything, and a redirect has no body.
  if (responseCode < 200 || responseCode > 299 || !/html|xml/i.test(type) || policy === '')
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
  const unwanted = (['image', 'font', 'media'] as const).filter((kind) => !load.includes(kind)).map((kind) => POLICIES[kind])
  const siteOf = (text: string): string => registrableDomain(new URL(text).hostname)
  return [...unwanted, ...(siteOf(frame) === siteOf(url) ? [] : ["frame-src 'none'"])].join('; ')
}
