// Pages that a gatekeeper wants: exchanges of the crawl's own whose redirects are followed one by one, each on the terms of its host.
import type { Discoveries } from '../discovery/discovery.ts'
import { requiredRequest } from '../hosts/request-of.ts'
import type { Failure } from '../ports/failure.ts'
import type { OwnPage, OwnVisit, VisitParked } from '../ports/gatekeeper.ts'
import type { Request } from '../ports/request.ts'
import { isRedirect, type Response } from '../ports/response.ts'
import type { Run } from '../run/run.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { lowerCased } from '../values/header-names.ts'
import { hiddenTargetOf, withHiddenParts, withoutUrl, type HiddenParts } from './hidden-parts.ts'
import type { OwnExchanges } from './own-exchanges.ts'

/** Redirects of one answer. */
const MAX_HOPS = 5
/** Half of a body with a content coding cannot be decoded, and what is required is cut at half a megabyte. */
const PLAIN = { 'accept-encoding': 'identity' }

/** What requests them. */
export interface VisitParts {
  readonly run: Run
  readonly own: Pick<OwnExchanges, 'send' | 'parked'>
  readonly discoveries: Pick<Discoveries, 'documentRefusal'>
}

/** Visits a page. */
export function visit(
  wish: OwnVisit,
  { run, own, discoveries }: VisitParts,
  ended: (came: OwnPage | string) => void,
): VisitParked {
  const { url, method = 'GET', headers = {}, body, session, handler, known, isNext } = wish
  const { codec, hostKeying, pages, html, clock } = run.settings
  let at: Request | undefined
  const go = (sent: HiddenParts, before: readonly string[], redirectedFrom?: string): void => {
    const isLed = redirectedFrom !== undefined
    const request = withHiddenParts(
      {
        ...requiredRequest(sent.url, hostKeyOf(sent.url, hostKeying)),
        ...(session !== undefined && { session }),
        ...{ handler, headers: PLAIN, hops: before.length },
        ...(isLed && { redirectedFrom }),
        // The user named the host of `known`, and no other.
        ...(new URL(sent.url).host !== new URL(known).host && { isElsewhere: true as const }),
      },
      sent,
      { known, isLed },
    )
    const { shownUrl = request.url } = request
    const refusal = discoveries.documentRefusal(request.url)
    if (refusal !== undefined) return ended(`it leads to ${shownUrl}, which the scope refuses (${refusal})`)
    at = request
    const way = [...before, sent.url]
    const answered = (result: Response | Failure): void => {
      if (!('status' in result)) return ended(result.message)
      const target = hiddenTargetOf(request)
      if (isRedirect(result) && target !== undefined && way.length <= MAX_HOPS)
        return go(redirected(sent, target, result.status), way, shownUrl)
      if (isRedirect(result)) return ended(`${shownUrl} redirects ${target === undefined ? 'nowhere' : 'again and again'}`)
      if (result.status >= 400) return ended(`${shownUrl} answered ${result.status}`)
      const page = pages.part({ request: { ...request, url: sent.url }, response: result, html, fetchedAt: clock.now() })
      ended({ page, shownUrl, way, shown: (text) => withoutUrl(text, sent.url, shownUrl) })
    }
    own.send(request, { ended: answered, isNext: isNext || isLed })
  }
  const fields = codec.current.fields(lowerCased(headers), { url, identity: undefined })
  go({ url, method: method.toUpperCase(), body, fields }, [])
  return () => at && own.parked(at)
}

/** 307 and 308 keep method and body (RFC 9110 §15.4); a password goes to no other origin. */
function redirected(sent: HiddenParts, url: string, status: number): HiddenParts {
  const isKept = (status === 307 || status === 308) && new URL(url).origin === new URL(sent.url).origin
  return isKept ? { ...sent, url } : { url, method: 'GET', body: undefined, fields: {} }
}
