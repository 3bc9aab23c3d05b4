// One URL as the page shows it, with what the visits of each of its requests brought.
import { fingerprintOf, type Frontier, type Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { urlPicture } from '../../src/ui/url-pictures.ts'
import { PAGE_URL, visitedStore } from '../visits/visited-store.ts'

const NOW = 1e12
const picture = ({ reader }: Frontier, url: string = PAGE_URL): ReturnType<typeof urlPicture> =>
  urlPicture({ reader, config: {}, folder: '/', url, now: NOW })

/** Another request of the page that was visited at `at`. */
async function alsoVisited(
  frontier: Frontier,
  more: { readonly method: string; readonly body: string; readonly identity?: string },
  at: number,
): Promise<void> {
  const { method, body, identity } = more
  const fingerprint = fingerprintOf({
    method,
    canonicalUrl: PAGE_URL,
    handler: 'search',
    body,
    ...(identity !== undefined && { added: identity }),
  })
  await frontier.add([{ fingerprint, hostKey: 'shop.example', url: PAGE_URL, handler: 'search', depth: 0, priority: 0, ...more }])
  const { leases } = await frontier.lease({ now: at, hosts: 1, requestsPerHost: 9 })
  const [lease] = leases
  const request = lease?.requests.find((each) => each.handler === 'search')
  if (lease === undefined || request === undefined) throw new Error('expected a request that waits, got none')
  const outcome: Outcome = { kind: 'done', fetched: { at, status: 200, durationMs: 1, wireBytes: 1 } }
  await frontier.commit([
    { lease, requestId: request.id, outcome, links: [], items: [{ json: JSON.stringify({ found: body }) }] },
  ])
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
}

describe('the picture of a URL', () => {
  it('has what its visits brought, and what changed', async () => {
    const { visits, story } = await picture(await visitedStore([[{ price: 5 }], [{ price: 4 }]]))

    expect(visits).toMatchObject([
      {
        ...{ requestId: 1, name: 'GET product', visits: 2 },
        lines: [
          { kind: 'changed', visit: 1, items: [{ fields: [{ path: 'price', before: '5', after: '4' }] }] },
          { kind: 'oldest', visit: 0 },
        ],
        latest: { visit: 1, items: [{ fields: [{ path: 'price', after: '4' }] }] },
      },
    ])
    // They have a panel of their own.
    expect(story.join('\n')).not.toContain('price')
  })

  it('has those of each request of the URL, the one that was fetched last first', async () => {
    const store = await visitedStore([[{ price: 5 }]])
    await alsoVisited(store, { method: 'POST', body: 'q=tea' }, 9_000)
    await alsoVisited(store, { method: 'POST', body: 'q=milk', identity: JSON.stringify({ session: 'ann' }) }, 8_000)

    const { requests, visits } = await picture(store)
    expect(requests).toHaveLength(3)
    expect(visits.map(({ name, latest }) => [name, latest?.items[0]?.fields[0]?.after])).toEqual([
      ['POST search', 'q=tea'],
      ['POST search in session ann', 'q=milk'],
      ['GET product', '5'],
    ])
  })

  it('has none of a URL that was not visited, or is not known', async () => {
    expect((await picture(await visitedStore([]))).visits).toEqual([])
    expect((await picture(await visitedStore([[]]), 'https://shop.example/none')).visits).toEqual([])
    expect((await picture(await visitedStore([[]]), 'nonsense')).visits).toEqual([])
  })
})
