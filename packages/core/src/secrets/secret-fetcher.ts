// Puts the secrets into what is sent, and hides them in what comes of it: the only door by which they leave.
import { failure } from '../failure.ts'
import type { Abort, Fetcher, FetchReceiver, Outbound } from '../fetcher.ts'
import type { ProxyServer } from '../proxy-server.ts'
import type { ResponseHeaders } from '../response.ts'
import { originOf } from '../url/origin.ts'
import { hiddenFields } from './hidden-fields.ts'
import { beginsAsReference, SECRET_REFERENCE } from './reference.ts'
import { SECRET_FIELDS } from '../header-names.ts'
import { IN_PATH } from './secret-parameters.ts'
import type { Secrets } from './secrets.ts'

/** A page that is asked in place of a request, in its exchange. */
export interface DetourTo {
  readonly url: string
  /** As of a request. */
  readonly depth: number
  /** Whether the store knows it as visited. Otherwise it was not requested yet. */
  readonly isVisited: boolean
}

/** What such a request is sent with. */
export interface DetourRights {
  readonly headers: Readonly<Record<string, string>>
  readonly privateAllowed: boolean
  readonly proxy?: ProxyServer
}

/** The word of the scope and of the plugins on a page that is to be asked. */
export type DetourWord =
  | { readonly kind: 'granted'; readonly rights: DetourRights }
  | { readonly kind: 'refused' }
  /** A plugin puts it off until `at` (epoch ms). */
  | { readonly kind: 'later'; readonly at: number }
  /** A plugin could not say. `why`: a sentence. */
  | { readonly kind: 'failed'; readonly why: string }

/** Another page, which is requested in the exchange of a request. What comes of it is no page of the crawl: the request waits for a turn of its own. */
export interface Detour {
  /** The page has answered; `problem`: what came of it, for the report. Absent: it has not, and plugins judge what the server said as any answer. */
  answered?: { readonly problem?: string }
  /** Is called when there was trouble that counts; returns the time (epoch ms) until which the request waits. */
  struggled(): number
}

/** The exchange of a request, for code that requests another page in it. */
interface Detours {
  /** Of the host: which pages were asked in vain (hashes). */
  readonly memory: { askedInVain?: readonly string[] | undefined }
  rights(to: DetourTo): Promise<DetourWord>
  /** Ends it unsent: the request waits until `at` (epoch ms), untried. */
  putOff(at: number): void
  /** Ends it: the request goes back to its queue and the host rests, while another request finds out the secret. `why`: a sentence. */
  awaits(why: string): void
  /** From here on what comes is of another page. */
  begins(detour: Detour): void
}

/** A fetcher of requests that hold references. */
export interface SecretFetcher extends Fetcher {
  /** `detours`: absent where nothing else may be asked. */
  fetch(outbound: Outbound, receiver: FetchReceiver, detours?: Detours): Abort
}

/** A request that lacks the value of a parameter. */
export interface Lacking {
  readonly outbound: Outbound
  /** Of the parameter, decoded and in lower case. */
  readonly name: string
  readonly receiver: FetchReceiver
  readonly detours: Detours
  /** Sends another request, with its secrets. */
  readonly send: (outbound: Outbound, receiver: FetchReceiver) => Abort
  /** Ends it unsent. `tried`: what was done to find the value, as the end of a sentence. */
  readonly refuse: (tried?: string) => void
}

/** Finds values that are not known. */
export interface Renewal {
  /** Takes a request on, and ends it. */
  begin(lacking: Lacking): Abort
}

/** `fetcher`, for a crawl whose requests hold references. */
export function secretFetcher(fetcher: Fetcher, secrets: Secrets, renewal?: Renewal): SecretFetcher {
  const fetch: SecretFetcher['fetch'] = (wanted, receiver, detours) => {
    const outbound = withCertificate(wanted, secrets)
    if (!hasReference(outbound, secrets)) {
      // Any page may answer with a value.
      return fetcher.fetch(outbound, secrets.parameters.isOn ? hidingReceiver(receiver, outbound.url, secrets) : receiver)
    }
    const url = secrets.parameters.revealed(outbound.url)
    if ('unknown' in url) {
      const name = url.unknown
      const refuse = (tried?: string): void => refuseParameter(receiver, { name, url: outbound.url, tried })
      // A document that a plugin requires is not worth a detour.
      if (renewal !== undefined && detours !== undefined && name !== IN_PATH && outbound.keepBytes === undefined)
        return renewal.begin({ outbound, name, receiver, detours, send: fetch, refuse })
      return soon(refuse)
    }
    const fields = secrets.headers.revealed(outbound.headers, outbound.url)
    if ('unknown' in fields) return soon(() => refuse(receiver, `the value of the header ${fields.unknown} of ${outbound.url}`))
    return fetcher.fetch({ ...outbound, ...url, ...fields }, hidingReceiver(receiver, outbound.url, secrets))
  }
  return {
    fetch,
    ...(fetcher.addressesOf && { addressesOf: (hostname: string) => fetcher.addressesOf?.(hostname) ?? Promise.resolve([]) }),
    ...(fetcher.connections && { connections: () => fetcher.connections?.() ?? { open: 0, busy: 0 } }),
    ...(fetcher.bodyBudget && { bodyBudget: fetcher.bodyBudget }),
    close: () => fetcher.close(),
  }
}

/** The hot path: one look at a flag, and one at each of three fields that are seldom there. */
function hasReference({ url, headers }: Outbound, { parameters }: Secrets): boolean {
  if (parameters.isOn && url.includes(SECRET_REFERENCE)) return true
  for (const name of SECRET_FIELDS) if (beginsAsReference(headers[name])) return true
  return false
}

/** By the URL that is requested: a page that is asked in place of a request may be at another origin. */
function withCertificate(wanted: Outbound, { credentials }: Secrets): Outbound {
  const found = credentials.certificateFor(wanted.url, wanted.session)
  if (found === wanted.certificate) return wanted
  const { certificate: _other, ...outbound } = wanted
  return found === undefined ? outbound : { ...outbound, certificate: found }
}

function hidingReceiver(receiver: FetchReceiver, url: string, secrets: Secrets): FetchReceiver {
  let given: ResponseHeaders | undefined
  let shown: ResponseHeaders = {}
  // Once for the head, and again for the whole only where it has other fields.
  const hidden = (headers: ResponseHeaders): ResponseHeaders => {
    if (headers !== given) shown = hiddenFields(headers, url, secrets.parameters)
    given = headers
    return shown
  }
  return {
    sent: () => receiver.sent(),
    headers: (head) => receiver.headers({ ...head, headers: hidden(head.headers) }),
    flows: () => receiver.flows?.(),
    holds: () => receiver.holds?.(),
    done: (response) => receiver.done({ ...response, url, headers: hidden(response.headers) }),
    failed: (cause) => receiver.failed(secrets.inFailure(cause)),
  }
}

/** Nothing is sent: without its secret the request is another one. */
function refuse(receiver: FetchReceiver, what: string, tried = ''): void {
  const message = `expected ${what}, which is secret, got only a reference: it was supplied to an earlier run or another process, and is never stored${tried}; give it with a seed of that origin, and the next run sends the request`
  receiver.failed(failure('AVO_SECRET_UNKNOWN', message))
}

/** Of one origin and parameter always the same sentence, for many pages may wait for it. */
function refuseParameter(
  receiver: FetchReceiver,
  { name, url, tried }: { readonly name: string; readonly url: string; readonly tried: string | undefined },
): void {
  refuse(
    receiver,
    name === IN_PATH ? `a value in the path of ${url}` : `the value of the parameter ${name} of ${originOf(url)}`,
    tried,
  )
}

/** Calls `end` once the caller has the abort. */
function soon(end: () => void): Abort {
  let isOver = false
  queueMicrotask(() => {
    if (!isOver) end()
    isOver = true
  })
  return () => {
    isOver = true
  }
}
