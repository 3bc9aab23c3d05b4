// Puts the secrets into what is sent, and hides them in what comes of it: the only door by which they leave.
import { failure } from '../failure.ts'
import type { Fetcher, FetchSink, Outbound } from '../fetcher.ts'
import type { ResponseHeaders } from '../response.ts'
import { hiddenFields } from './hidden-fields.ts'
import { SECRET_REFERENCE } from './reference.ts'
import { SECRET_FIELDS } from './secret-fields.ts'
import type { Secrets } from './secrets.ts'

/** `fetcher`, for a crawl whose requests hold references. */
export function secretFetcher(fetcher: Fetcher, secrets: Secrets): Fetcher {
  return {
    fetch(outbound, sink) {
      if (!hasReference(outbound, secrets)) {
        // Any page may answer with a value.
        return fetcher.fetch(outbound, secrets.parameters.isOn ? hidingSink(sink, outbound.url, secrets) : sink)
      }
      const url = secrets.parameters.revealed(outbound.url)
      if ('unknown' in url) return refused(sink, `the value of the parameter ${url.unknown}`, outbound.url)
      const fields = secrets.headers.revealed(outbound.headers, outbound.url)
      if ('unknown' in fields) return refused(sink, `the value of the header ${fields.unknown}`, outbound.url)
      return fetcher.fetch({ ...outbound, ...url, ...fields }, hidingSink(sink, outbound.url, secrets))
    },
    ...(fetcher.addressesOf && { addressesOf: (hostname: string) => fetcher.addressesOf?.(hostname) ?? Promise.resolve([]) }),
    ...(fetcher.gauges && { gauges: () => fetcher.gauges?.() ?? { sockets: 0, busy: 0 } }),
    ...(fetcher.bodyBudget && { bodyBudget: fetcher.bodyBudget }),
    close: () => fetcher.close(),
  }
}

/** The hot path: one look at a flag, and one at each of three fields that are seldom there. */
function hasReference({ url, headers }: Outbound, { parameters }: Secrets): boolean {
  if (parameters.isOn && url.includes(SECRET_REFERENCE)) return true
  for (const name of SECRET_FIELDS) if (headers[name]?.startsWith('__secret') === true) return true
  return false
}

function hidingSink(sink: FetchSink, url: string, secrets: Secrets): FetchSink {
  let given: ResponseHeaders | undefined
  let shown: ResponseHeaders = {}
  // Once for the head, and again for the whole only where it has other fields.
  const hidden = (headers: ResponseHeaders): ResponseHeaders => {
    if (headers !== given) shown = hiddenFields(headers, url, secrets.parameters)
    given = headers
    return shown
  }
  return {
    sent: () => sink.sent(),
    headers: (head) => sink.headers({ ...head, headers: hidden(head.headers) }),
    done: (response) => sink.done({ ...response, url, headers: hidden(response.headers) }),
    failed: (cause) => sink.failed(secrets.inFailure(cause)),
  }
}

/** Nothing is sent: without its secret the request is another one. */
function refused(sink: FetchSink, what: string, url: string): () => void {
  let isOver = false
  const message = `expected ${what} of ${url}, which is secret, got only a reference: it was supplied to an earlier run or another process, and is never stored; give it with a seed of that origin, and the next run sends the request`
  queueMicrotask(() => {
    if (!isOver) sink.failed(failure('AVO_SECRET_UNKNOWN', message))
    isOver = true
  })
  return () => {
    isOver = true
  }
}
