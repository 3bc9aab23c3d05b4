// The frontier of a replay: what it hands out has the visits behind it that the kept response of the page had.
//
// The replay itself makes each visit as a first one, and its store stays so: what handlers make of the page is put in the place of the visit that the response
// is of when the store of the crawl takes it over.
import type { Response, Spider } from '@avocet/core'
import { storedJson, type Frontier, type Leased } from '@avocet/core/store'
import type { KeptResponse, KeptResponses } from '../store-kinds/store-files.ts'

/** `frontier`, whose leases say what `kept` has of earlier visits. */
export function withKeptVisits(frontier: Frontier, kept: KeptResponses): Frontier {
  const visited = (requests: readonly Leased[]): Leased[] => requests.map((leased) => withEarlier(leased, kept))
  return {
    ...frontier,
    async lease(want) {
      const result = await frontier.lease(want)
      return { ...result, leases: result.leases.map((lease) => ({ ...lease, requests: visited(lease.requests) })) }
    },
    async refill(...asked) {
      const result = await frontier.refill(...asked)
      return { ...result, requests: visited(result.requests) }
    },
  }
}

function withEarlier(leased: Leased, kept: KeptResponses): Leased {
  const { method = 'GET', headersJson } = leased
  try {
    const headers = headersJson === undefined ? {} : storedJson(headersJson, 'the headers of a request')
    const earlier = kept.earlierOf({ ...leased, method, headers: headers as Record<string, string> })
    return earlier === undefined ? leased : { ...leased, earlier }
  } catch {
    // What is damaged is counted and said when its response is looked for.
    return leased
  }
}

/** The response as the crawl came to it: by a redirect, where it requested another spelling of the URL, as the server spells it. */
export function servedAs({ response, url }: KeptResponse, asked: string, { accepts }: Pick<Spider, 'accepts'>): Response {
  if (url === asked || accepts?.(SAME_REQUEST) === true) return response
  return { ...response, status: SAME_REQUEST, headers: { location: url }, body: new Uint8Array() }
}

/** RFC 9110 §15.4.8: keeps method and body. */
const SAME_REQUEST = 307
