// What is said of seeds whose redirects lead out of the scope: without it a crawl that lost its site looks like one that is done.
import type { Leased } from '../request.ts'
import { hostKeyOf } from '../url/host-key.ts'
import { originOf } from '../url/origin.ts'

/** A report has room for 50 problems; of 800 shops more may have moved. */
const MAX_TOLD = 20

/** Writes the messages of one run. */
export class SeedRedirects {
  #told = 0

  /** That `leased`, a seed or what one redirects to, led to `target`, which is refused for `refusal`, or else is of another site. */
  message(leased: Leased, target: string, refusal: string | undefined): string {
    if (++this.#told > MAX_TOLD) return 'further seeds redirect to other sites: their targets are in the history of each seed'
    const from = nameOf(leased)
    if (refusal !== undefined)
      return `${from} redirects to ${target}, which is refused (${refusal}): nothing of that seed is crawled; allow the target in the scope, or make it the seed`
    return `${from} redirects to another site, ${target}: that page is crawled, the site is not; to crawl it, add '${hostKeyOf(target, 'host')}' to scope.hosts, or make it the seed`
  }

  /** That `leased`, of an origin that headers were given for, led to another origin of its site. */
  lostHeaders(leased: Leased, target: string): string {
    if (++this.#told > MAX_TOLD) return 'further seeds redirect to origins that the headers were not given for'
    const to = originOf(target)
    return `${nameOf(leased)} redirects to ${to}, which does not get the headers that were given for ${originOf(leased.url)}; to send them there, make ${to}/ the seed`
  }
}

function nameOf({ hops, url }: Leased): string {
  return hops === undefined ? `seed ${url}` : `${url}, to which a seed redirects,`
}
