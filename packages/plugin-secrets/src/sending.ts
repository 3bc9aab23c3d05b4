// Puts the secrets into what is sent, and hides them in what comes of it: the only door by which they leave.
import { originOf, type Failure, type ResponseHeaders } from '@avocet/core/plugin'
import { failure, HIDDEN_VALUE, type Fetcher, type FetchReceiver, type Outbound } from '@avocet/core/store'
import type { KnownCredentials } from './known-credentials.ts'
import { beginsAsReference } from './known-values.ts'
import { hiddenFields, type SecretHeaders } from './secret-headers.ts'
import { IN_PATH, type SecretParameters } from './secret-parameters.ts'

/** Those of a crawl. */
export interface Secrets {
  readonly parameters: SecretParameters
  readonly headers: SecretHeaders
  readonly known: KnownCredentials
  /** Names of header fields. */
  readonly fields: readonly string[]
  text(text: string): string
  failure(failure: Failure): Failure
}

/** Sends `wanted`, which holds references, by `fetcher`. */
export function send(
  wanted: Outbound,
  { receiver, fetcher }: { readonly receiver: FetchReceiver; readonly fetcher: Pick<Fetcher, 'fetch'> },
  secrets: Secrets,
): () => void {
  const outbound = withCertificate(wanted, secrets)
  if (!hasReference(outbound, secrets)) {
    // Any page may answer with a value.
    return fetcher.fetch(outbound, secrets.parameters.isOn ? hidingReceiver(receiver, outbound.url, secrets) : receiver)
  }
  const url = secrets.parameters.revealed(outbound.url)
  if ('unknown' in url) return soon(() => refuse(receiver, parameterOf(url.unknown, outbound.url)))
  const fields = secrets.headers.revealed(outbound.headers, outbound.url)
  if ('unknown' in fields) return soon(() => refuse(receiver, `the value of the header ${fields.unknown} of ${outbound.url}`))
  return fetcher.fetch({ ...outbound, ...url, ...fields }, hidingReceiver(receiver, outbound.url, secrets))
}

/** The hot path: one look at a flag, and one at each of three fields that are seldom there. */
function hasReference({ url, headers }: Outbound, { parameters, fields }: Secrets): boolean {
  if (parameters.isOn && url.includes(HIDDEN_VALUE)) return true
  for (const name of fields) if (beginsAsReference(headers[name])) return true
  return false
}

function withCertificate(wanted: Outbound, { known }: Secrets): Outbound {
  const found = known.certificateFor(wanted.url, wanted.session)
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
    done: (response) => receiver.done({ ...response, url, headers: hidden(response.headers) }),
    failed: (cause) => receiver.failed(secrets.failure(cause)),
  }
}

/** Nothing is sent: without its secret the request is another one. */
function refuse(receiver: FetchReceiver, what: string): void {
  const message = `expected ${what}, which is secret, got only a reference: it was supplied to an earlier run or another process, and is never stored; give it with a seed of that origin, or have the page that hands it out visited first in each run (again, priority), and the next run sends the request`
  receiver.failed(failure('AVO_SECRET_UNKNOWN', message))
}

/** Of one origin and parameter always the same words, for many pages may wait for it. */
function parameterOf(name: string, url: string): string {
  return name === IN_PATH ? `a value in the path of ${url}` : `the value of the parameter ${name} of ${originOf(url)}`
}

/** Calls `end` once the caller has the abort. */
function soon(end: () => void): () => void {
  let isOver = false
  queueMicrotask(() => void (isOver || end()))
  return () => {
    isOver = true
  }
}
