// One login: the page with the form, the form, and the page behind it.
import type { Discoveries } from '../discovery/discovery.ts'
import { formatDuration } from '../values/duration-text.ts'
import { messageOf } from '../values/errors.ts'
import type { Failure } from '../ports/failure.ts'
import { lowerCased } from '../values/header-names.ts'
import { Link } from '../ports/link.ts'
import type { Login } from '../ports/login.ts'
import type { CrawledPage, Page } from '../ports/page.ts'
import { LOGIN_HANDLER, requiredRequest } from '../hosts/request-of.ts'
import type { Request } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { shown } from '../values/shown.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { parseUrl } from '../url/parse-url.ts'
import {
  hiddenFieldsOf,
  hiddenTargetOf,
  sentBodyOf,
  sentUrlOf,
  withHiddenBody,
  withHiddenFields,
  withHiddenUrl,
  withoutUrl,
} from '../exchange/hidden-parts.ts'
import { isSpelledLike } from './login-addresses.ts'
import { LOGGED_OUT } from './returned-pages.ts'
import type { OwnExchanges } from '../exchange/own-exchanges.ts'

/** Redirects of one answer. */
const MAX_HOPS = 5

/** Where a session logs in. */
export interface LoginPlace {
  readonly url: string
  readonly session: string | undefined
}

/** What a login is run with. */
export interface LoginParts {
  readonly run: Run
  readonly login: Login
  readonly own: Pick<OwnExchanges, 'send'>
  readonly discoveries: Pick<Discoveries, 'documentRefusal'>
  /** Told the addresses that led to the form, its own last. */
  readonly found: (urls: readonly string[]) => void
}

/** A page of a login, as the spider sees it, and the request that others see of it. */
interface Came {
  readonly page: CrawledPage
  readonly shown: Request
  /** Every URL on the way, its own last. */
  readonly way: readonly string[]
}

/** Takes what came, or why nothing did. */
type Taker = (came: Came | undefined, why?: string) => void

/** Told once: why it failed, or undefined. */
type Ended = (why?: string) => void

/** Logs a session in. */
export function logIn(place: LoginPlace, parts: LoginParts, ended: Ended): void {
  const { run, login } = parts
  const isOut = (page: Page): boolean => login.isLoggedOut(page)
  const guarded = (step: () => void, on?: Came): void => {
    try {
      step()
    } catch (error) {
      ended(shownWhy(messageOf(error), on))
    }
  }
  visitPage(requestFor(new Link(place.url), { ...place, base: place.url }, parts), parts, (came, why) =>
    guarded(() => {
      if (came === undefined) return ended(why)
      const { page } = came
      // Who is in already is led on from the form.
      const isLedOn = !isSpelledLike(page.request.url, place.url) && !isOut(page)
      if (isLedOn && !page.asksForPassword) return ended()
      withLink(page, parts, (link, wrong) =>
        guarded(() => {
          if (link === undefined) return ended(isLedOn ? undefined : wrong && shownWhy(wrong, came))
          parts.found(came.way)
          const then: Taker = (answer, whyNot) =>
            guarded(() => {
              if (answer === undefined) return ended(whyNot)
              ended(isOut(answer.page) ? `${shownUrlOf(answer.shown)} ${LOGGED_OUT}` : undefined)
            }, answer)
          visitPage(requestFor(link, { ...place, base: page.baseUrl }, parts), parts, then, { isNext: true })
          run.goOn()
        }, came),
      )
    }, came),
  )
}

/** What a report may say of a page. */
function shownWhy(why: string, came: Came | undefined): string {
  return came === undefined ? why : withoutUrl(why, came.page.request.url, shownUrlOf(came.shown))
}

/** What the spider submits, within the time of a handler. */
function withLink(page: Page, { run, login }: LoginParts, then: (link: Link | undefined, why?: string) => void): void {
  let given: unknown
  try {
    given = login.submit(page)
  } catch (error) {
    return then(undefined, messageOf(error))
  }
  const taken = (link: unknown): void =>
    link instanceof Link
      ? then(link)
      : then(undefined, `expected submit() of the login to give a link, got ${shown(link)}; return page.form(…).submit()`)
  if (!(given instanceof Promise)) return taken(given)
  const { clock, handlerTimeoutMs } = run.settings
  const hold = clock.hold('submit() of the login')
  let isOver = false
  const end = (use: () => void): void => {
    if (isOver) return
    isOver = true
    for (const each of [deadline, hold]) each[Symbol.dispose]()
    use()
  }
  const late = `submit() of the login did not finish within ${formatDuration(handlerTimeoutMs)}`
  const deadline = clock.at(clock.now() + handlerTimeoutMs, () => end(() => then(undefined, late)))
  given.then(
    (link) => end(() => taken(link)),
    (error: unknown) => end(() => then(undefined, messageOf(error))),
  )
}

/** Requests a page, and follows its redirects. */
function visitPage(
  request: Request,
  parts: LoginParts,
  then: Taker,
  { before = [], isNext = false }: { readonly before?: readonly string[]; readonly isNext?: boolean } = {},
): void {
  const { run, own, discoveries } = parts
  const told = shownUrlOf(request)
  const refusal = discoveries.documentRefusal(request.url)
  if (refusal !== undefined) return then(undefined, `it leads to ${told}, which the scope refuses (${refusal})`)
  const way = [...before, sentUrlOf(request)]
  const ended = (result: Response | Failure): void => {
    if (!('status' in result)) return then(undefined, result.message)
    if (isRedirect(result)) {
      const url = hiddenTargetOf(request)
      if (url === undefined || way.length > MAX_HOPS)
        return then(undefined, `${told} redirects ${url === undefined ? 'nowhere' : 'again and again'}`)
      return visitPage(redirected(request, url, { status: result.status, parts }), parts, then, { before: way, isNext: true })
    }
    if (result.status >= 400) return then(undefined, `${told} answered ${result.status}`)
    const sent = { ...request, url: sentUrlOf(request) }
    const page = run.settings.pages.of({
      request: sent,
      response: result,
      html: run.settings.html,
      fetchedAt: run.settings.clock.now(),
    })
    then({ page, shown: request, way })
  }
  own.send(request, { ended, isNext })
}

/** 307 and 308 keep method and body (RFC 9110 §15.4); a password goes to no other origin. */
function redirected(
  request: Request,
  url: string,
  { status, parts }: { readonly status: number; readonly parts: LoginParts },
): Request {
  const { run, login } = parts
  const { isElsewhere: _before, ...rest } = request
  const place = {
    ...rest,
    url,
    hostKey: hostKeyOf(url, run.settings.hostKeying),
    hops: request.hops + 1,
    redirectedFrom: shownUrlOf(request),
    ...elsewhere(url, login.url),
  }
  const isSameOrigin = new URL(url).origin === new URL(request.url).origin
  if ((status === 307 || status === 308) && isSameOrigin) return withHiddenUrl(kept(request, place), login.url, true)
  const { body: _body, headers: _headers, ...get } = place
  return withHiddenUrl({ ...get, method: 'GET', headers: PLAIN }, login.url, true)
}

/** The user named the host of the login, and no other. */
function elsewhere(url: string, loginUrl: string): Pick<Request, 'isElsewhere'> {
  return new URL(url).host === new URL(loginUrl).host ? {} : { isElsewhere: true }
}

function shownUrlOf({ url, shownUrl = url }: Request): string {
  return shownUrl
}

function kept(request: Request, place: Request): Request {
  const body = sentBodyOf(request)
  const sent = withHiddenFields(place, hiddenFieldsOf(request))
  return body === undefined ? sent : withHiddenBody(sent, body)
}

/** Half of a body with a content coding cannot be decoded, and what is required is cut at half a megabyte. */
const PLAIN = { 'accept-encoding': 'identity' }

function requestFor(
  { url, options }: Link,
  { url: known, session, base }: LoginPlace & { readonly base: string },
  { run }: LoginParts,
): Request {
  const at = parseUrl(url, base)
  if (at === undefined)
    throw new TypeError(
      `expected the login to lead to an http(s) URL of at most 8,000 bytes, got ${shown(url.replace(/\?.*/s, '?…'), 200)}`,
    )
  const { secrets, hostKeying } = run.settings
  const own = secrets.headers.hidden(lowerCased(options.headers ?? {}), { url: at, identity: undefined })
  const request: Request = {
    ...requiredRequest(at, hostKeyOf(at, hostKeying)),
    ...(session !== undefined && { session }),
    handler: LOGIN_HANDLER,
    ...elsewhere(at, known),
    method: options.method?.toUpperCase() ?? 'GET',
    headers: PLAIN,
  }
  const sent = withHiddenFields(request, own)
  return withHiddenUrl(options.body === undefined ? sent : withHiddenBody(sent, options.body), known)
}
