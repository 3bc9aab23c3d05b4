// Contract: opening, and offering requests.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { SPEC, leaseOne, newRequest, newRequests, openedWith, pathsOf } from './story.ts'

/** What `open` and `add` promise. */
export function offerContract(make: () => FrontierStore): void {
  describe('open', () => {
    it('says that a new store is empty', async () => {
      const { info } = await openedWith(make)
      // How far the time of a store is ahead is that store's.
      const { aheadMs: _, ...found } = info
      const none = { known: 0, waiting: 0, settled: 0, done: 0, moved: 0, failed: 0, items: 0 }
      expect(found).toEqual({ resumed: false, ...none, crawlMemories: [], quarantined: 0, orderedAt: 0 })
    })

    it('goes on with what a closed store held', async () => {
      const { store, frontier } = await openedWith(make, newRequests(2))
      await frontier.close()

      const again = store.frontier()
      expect(await again.open(SPEC, 0)).toMatchObject({ resumed: true, known: 2, waiting: 2, settled: 0 })
      expect(await again.add([newRequest('a.example/2')])).toEqual({ added: 0, known: 1 })
    })

    it('takes an edited spider of another name', async () => {
      const { store, frontier } = await openedWith(make, newRequests(1))
      await frontier.close()
      expect(await store.frontier().open({ ...SPEC, name: 'other' }, 0)).toMatchObject({ resumed: true })
    })

    it('refuses another rule for hosts', async () => {
      const { store, frontier } = await openedWith(make, newRequests(1))
      await frontier.close()
      const again = store.frontier()
      await expect(again.open({ ...SPEC, hostKeying: 'domain' }, 0)).rejects.toMatchObject({ code: 'AVO_FRONTIER_SPEC' })
      await again.open(SPEC, 0)
    })

    it('must come first, and nothing comes after close', async () => {
      const { frontier } = await openedWith(make)
      await frontier.close()
      await expect(frontier.add(newRequests(1))).rejects.toMatchObject({ code: 'AVO_FRONTIER_CLOSED' })
    })
  })

  describe('add', () => {
    it('takes each fingerprint once, also twice in one call', async () => {
      const { frontier } = await openedWith(make)
      expect(await frontier.add([newRequest('a.example/1'), newRequest('a.example/2'), newRequest('a.example/1')])).toEqual({
        added: 2,
        known: 1,
      })
      expect(await frontier.add([newRequest('a.example/2'), newRequest('a.example/3')])).toEqual({ added: 1, known: 1 })
    })

    it('changes nothing of a known request', async () => {
      const { frontier } = await openedWith(make, [newRequest('a.example/1', { priority: 1 })])
      await frontier.add([newRequest('a.example/1', { priority: 9, handler: 'other' })])
      const { requests } = await leaseOne(frontier)
      expect(requests).toMatchObject([{ priority: 1, handler: 'start' }])
    })

    it('tells fingerprints apart by each of their 16 bytes', async () => {
      const { fingerprint } = newRequest('a.example/1')
      const last = (fingerprint.slice(0, 15) + (fingerprint.endsWith('a') ? 'b' : 'a')) as typeof fingerprint
      const first = ((fingerprint.startsWith('a') ? 'b' : 'a') + fingerprint.slice(1)) as typeof fingerprint
      const { frontier } = await openedWith(make, newRequests(1))
      const others = [newRequest('a.example/2', { fingerprint: last }), newRequest('a.example/3', { fingerprint: first })]
      expect(await frontier.add(others)).toEqual({ added: 2, known: 0 })
      expect(await frontier.add(others)).toEqual({ added: 0, known: 2 })
    })

    it('keeps everything of a request', async () => {
      const full = newRequest('a.example:8080/path?q=1', {
        handler: 'product',
        depth: 3,
        priority: -2,
        method: 'POST',
        headersJson: '{"accept":"*/*"}',
        body: 'a=1',
        dataJson: '[1,null]',
        anchorText: 'Läs mer …',
        hops: 2,
        redirectedFrom: 'https://a.example:8080/old',
        identity: '[["accept-language","de"]]',
      })
      const seed = newRequest('a.example:8080/')
      const { frontier } = await openedWith(make, [seed])
      await frontier.add([{ ...full, parentId: 1 }])
      const { requests } = await leaseOne(frontier)
      expect(requests).toEqual([
        { ...seed, id: 1, attempts: 0, freeAttempts: 0 },
        { ...full, id: 2, attempts: 0, freeAttempts: 0, parentId: 1, parent: 'https://a.example:8080/' },
      ])
    })

    it('keeps URLs of several origins under one host key', async () => {
      const hostKey = 'example.org'
      const urls = ['https://a.example.org/1', 'http://b.example.org:81/2', 'https://a.example.org:444/3']
      const { frontier } = await openedWith(
        make,
        urls.map((url) => newRequest(url.replace(/^https?:\/\//, ''), { url, hostKey })),
      )
      const { requests } = await leaseOne(frontier)
      expect(requests.map(({ url }) => url)).toEqual(urls)
    })

    it('refuses a bad request, and adds none of that call', async () => {
      const { frontier } = await openedWith(make)
      await expect(frontier.add([newRequest('a.example/1'), newRequest('a.example/2', { priority: NaN })])).rejects.toThrow(
        /priority/,
      )
      expect(await frontier.reader.counts()).toMatchObject({ known: 0 })
      expect(await frontier.add(newRequests(1))).toEqual({ added: 1, known: 0 })
    })

    it('takes ten thousand at once, in any mix of hosts', async () => {
      const requests = Array.from({ length: 10_000 }, (_, i) => newRequest(`h${i % 97}.example/${i}`, { priority: i % 3 }))
      const { frontier } = await openedWith(make, requests)
      expect(await frontier.add(requests)).toEqual({ added: 0, known: 10_000 })
      const lease = await leaseOne(frontier, { n: 200 })
      expect(lease.requests).toHaveLength(requests.filter(({ hostKey }) => hostKey === lease.hostKey).length)
      expect(pathsOf(lease.requests)).toEqual(pathsOf(bestFirst(requests.filter(({ hostKey }) => hostKey === lease.hostKey))))
    })
  })
}

function bestFirst<Request extends { priority: number }>(requests: readonly Request[]): Request[] {
  return [...requests].sort((a, b) => b.priority - a.priority)
}
