// The built-in spider: follows every link of the given sites and yields one item per page.
import type { Page, Spider } from '@avocet/core'

/** What the built-in spider yields of a page. */
export interface PageItem {
  readonly url: string
  readonly status: number
  readonly title: string
  /** Anchors with http(s) targets on the page, at most 10,000. */
  readonly links: number
  readonly depth: number
  /** URL of the page that led here; null for seeds. */
  readonly parent: string | null
  /** ISO 8601, UTC. */
  readonly fetchedAt: string
  /** Of the body, decoded. */
  readonly bytes: number
}

/**
 * A spider for `seeds`, named after the first one's host, so that running the same command again resumes.
 *
 * @param clock gives the time of `fetchedAt`.
 */
export function pageSpider(seeds: readonly string[], clock: { now(): number }): Spider<PageItem> {
  return {
    name: nameOf(seeds[0] ?? ''),
    seeds,
    handlers: {
      *start(page) {
        yield itemOf(page, clock.now())
        if (page.isHtml) yield* page.links()
      },
    },
  }
}

function itemOf(page: Page, now: number): PageItem {
  return {
    url: page.url.href,
    status: page.response.status,
    title: page.isHtml ? page.title : '',
    links: page.isHtml ? page.anchors.filter(({ element }) => element === 'a').length : 0,
    depth: page.request.depth,
    parent: page.request.parent ?? null,
    fetchedAt: new Date(now).toISOString(),
    bytes: page.response.body.byteLength,
  }
}

/** Host and port with everything but letters, digits, `.` and `-` replaced: a file name. */
function nameOf(url: string): string {
  const name =
    URL.parse(url)
      ?.host.replace(/[^\w.-]+/g, '-')
      .replace(/^[.-]+|-+$/g, '') ?? ''
  return name === '' ? 'pages' : name.slice(0, 100)
}
