// Contract: leasing hosts, refilling, giving back, giving up.
import { describe, expect, it } from 'vitest'
import type { FrontierStore } from './frontier-store.ts'
import { hostOf, leasedOne, leaseOne, newRequest, newRequests, openedWith, pathsOf, unitOf } from './story.ts'

/** What `lease`, `refill`, `renew`, `release`, `retire` and `revive` promise. */
export function leaseContract(make: () => FrontierStore): void {
  describe('lease', () => orderOfHosts(make))
  describe('delayed requests', () => delayedRequests(make))
  describe('refill', () => refilling(make))
  describe('release', () => releasing(make))
  describe('retire', () => retiring(make))
}

function orderOfHosts(make: () => FrontierStore): void {
  it('hands out the best first: priority, then id', async () => {
    const { frontier } = await openedWith(make, [
      newRequest('a.example/1'),
      newRequest('a.example/2', { priority: -1 }),
      newRequest('a.example/3', { priority: 7 }),
    ])
    await frontier.add([newRequest('a.example/4'), newRequest('a.example/5', { priority: 7 })])
    const { requests } = await leaseOne(frontier)
    expect(pathsOf(requests)).toEqual(['/3', '/5', '/1', '/4', '/2'])
    expect(new Set(requests.map(({ id }) => id)).size).toBe(5)
  })

  it('hands out at most so many hosts and requests, and says what waits', async () => {
    const { frontier } = await openedWith(
      make,
      ['a', 'b', 'c'].flatMap((host) => [1, 2, 3].map((n) => newRequest(`${host}.example/${n}`))),
    )
    const { leases, heldElsewhere } = await frontier.lease({ now: 0, hosts: 2, requestsPerHost: 2 })
    expect(leases).toHaveLength(2)
    expect(heldElsewhere).toBe(0)
    for (const lease of leases) expect(lease).toMatchObject({ memory: {}, waiting: 1, requests: [{}, {}] })
  })

  it('never hands out a host that is held', async () => {
    const { frontier } = await openedWith(make, newRequests(2))
    await leaseOne(frontier, { n: 1 })
    expect(await frontier.lease({ now: 0, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
  })

  it('takes the hosts that are due first, and tells when the next is', async () => {
    const { frontier } = await openedWith(
      make,
      ['a', 'b', 'c', 'd'].map((host) => newRequest(`${host}.example/`)),
    )
    const { leases } = await frontier.lease({ now: 0, hosts: 4, requestsPerHost: 1 })
    const readyAt: Record<string, number> = { 'a.example': 300, 'b.example': 100, 'c.example': 200, 'd.example': Infinity }
    for (const lease of leases) await frontier.release([{ lease, rest: { readyAt: readyAt[lease.hostKey] ?? 0, memory: {} } }])

    expect(await frontier.lease({ now: 99, hosts: 9, requestsPerHost: 1 })).toMatchObject({ leases: [], nextReadyAt: 100 })
    const first = await frontier.lease({ now: 250, hosts: 1, requestsPerHost: 1 })
    expect(first).toMatchObject({ leases: [{ hostKey: 'b.example' }], nextReadyAt: 300 })
    const rest = await frontier.lease({ now: 1e12, hosts: 9, requestsPerHost: 1 })
    expect(rest.leases.map(({ hostKey }) => hostKey)).toEqual(['c.example', 'a.example'])
    expect(rest.nextReadyAt).toBeUndefined()
  })

  it('does not hand out a host with nothing waiting', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    await frontier.commit([unitOf(lease, lease.requests[0])])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    expect(await frontier.lease({ now: 1e12, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
  })
}

function delayedRequests(make: () => FrontierStore): void {
  it('hands out a delayed request when its time has come, among the others', async () => {
    const { frontier } = await openedWith(make, [
      newRequest('a.example/late', { notBefore: 5_000, priority: 5 }),
      newRequest('a.example/later', { notBefore: 9_000, priority: 9 }),
      newRequest('a.example/ready'),
    ])
    const lease = await leaseOne(frontier, { now: 1_000 })
    expect(lease).toMatchObject({ waiting: 2, nextDelayedAt: 5_000 })
    expect(pathsOf(lease.requests)).toEqual(['/ready'])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])

    const later = await leaseOne(frontier, { now: 5_000 })
    expect(pathsOf(later.requests)).toEqual(['/late', '/ready'])
    expect(later.nextDelayedAt).toBe(9_000)
  })

  it('makes a host with nothing else due at its earliest', async () => {
    const { frontier } = await openedWith(make, [
      newRequest('a.example/1', { notBefore: 8_000 }),
      newRequest('a.example/2', { notBefore: 6_000 }),
    ])
    expect(await frontier.lease({ now: 5_999, hosts: 9, requestsPerHost: 9 })).toEqual({
      leases: [],
      nextReadyAt: 6_000,
      heldElsewhere: 0,
    })
    const lease = await leaseOne(frontier, { now: 6_000 })
    expect(pathsOf(lease.requests)).toEqual(['/2'])
    await frontier.release([{ lease, rest: { readyAt: 7_000, memory: {} } }])
    expect(await frontier.lease({ now: 6_500, hosts: 9, requestsPerHost: 9 })).toMatchObject({ leases: [], nextReadyAt: 7_000 })
  })

  it('makes a host that had only delayed requests due at once when it gains a ready one', async () => {
    const { frontier } = await openedWith(make, [newRequest('a.example/1', { notBefore: 8_000 })])
    await frontier.add([newRequest('a.example/2')])
    expect(pathsOf((await leaseOne(frontier, { now: 1 })).requests)).toEqual(['/2'])
  })
}

function refilling(make: () => FrontierStore): void {
  it('never hands out a request twice within a visit', async () => {
    const { frontier } = await openedWith(
      make,
      Array.from({ length: 20 }, (_, n) => newRequest(`a.example/${n}`, { priority: n % 2 })),
    )
    const lease = await leaseOne(frontier, { n: 6 })
    const first = await frontier.refill(lease, 6, 0)
    const second = await frontier.refill(lease, 60, 0)
    const ids = [lease, first, second].flatMap(({ requests }) => requests.map(({ id }) => id))
    expect(ids).toHaveLength(20)
    expect(new Set(ids).size).toBe(20)
    expect((await frontier.refill(lease, 6, 0)).requests).toEqual([])
  })

  it('finds what was added meanwhile, better things first', async () => {
    const { frontier } = await openedWith(make, newRequests(3))
    const lease = await leaseOne(frontier, { n: 1 })
    await frontier.add([newRequest('a.example/best', { priority: 1 }), newRequest('a.example/delayed', { notBefore: 50 })])
    expect(await frontier.refill(lease, 2, 0)).toMatchObject({
      requests: [{ url: 'https://a.example/best' }, { url: 'https://a.example/2' }],
      nextDelayedAt: 50,
    })
    expect(pathsOf((await frontier.refill(lease, 9, 50)).requests)).toEqual(['/3', '/delayed'])
  })

  it('takes back what was handed out, and hands it out again in its turn', async () => {
    const { frontier } = await openedWith(make, newRequests(6))
    const lease = await leaseOne(frontier, { n: 5 })
    await frontier.commit([unitOf(lease, lease.requests[0])])
    const back = lease.requests.filter(({ url }) => url.endsWith('/2') || url.endsWith('/4')).map(({ id }) => id)
    expect(await frontier.refill(lease, 0, 0, back)).toMatchObject({ requests: [] })
    expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 3 }])
    await frontier.add([newRequest('a.example/best', { priority: 1 })])

    const { requests } = await frontier.refill(lease, 3, 0, [999])
    expect(pathsOf(requests)).toEqual(['/best', '/2', '/4'])
    expect(await frontier.commit([...lease.requests.slice(2), ...requests].map((one) => unitOf(lease, one)))).toHaveLength(6)
    expect(pathsOf((await frontier.refill(lease, 9, 0)).requests)).toEqual(['/6'])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    expect(pathsOf((await leaseOne(frontier)).requests)).toEqual(['/6'])
  })

  it('takes a delayed one back as well', async () => {
    const { frontier } = await openedWith(make, [newRequest('a.example/1', { notBefore: 5 }), newRequest('a.example/2')])
    const lease = await leaseOne(frontier, { now: 5 })
    expect(
      pathsOf(
        (
          await frontier.refill(
            lease,
            9,
            6,
            lease.requests.map(({ id }) => id),
          )
        ).requests,
      ),
    ).toEqual(pathsOf(lease.requests))
  })

  it('gives nothing for a visit that is over', async () => {
    const { frontier } = await openedWith(make, newRequests(1))
    const lease = await leaseOne(frontier, { n: 0 })
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    expect(await frontier.refill(lease, 9, 0)).toEqual({ requests: [] })
  })
}

function releasing(make: () => FrontierStore): void {
  it('makes what was handed out and not settled simply wait, and keeps the memory', async () => {
    const { frontier } = await openedWith(make, newRequests(3))
    const lease = await leaseOne(frontier, { n: 2 })
    await frontier.commit([unitOf(lease, lease.requests[1], { memory: { core: '1', retry: '1' } })])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: { core: '2' } } }])

    const again = await leaseOne(frontier)
    expect(pathsOf(again.requests)).toEqual(['/1', '/3'])
    expect(again.memory).toEqual({ core: '2', retry: '1' })
    expect(again.epoch).toBeGreaterThan(lease.epoch)
    expect(again.takenOver).toBeUndefined()
  })

  it('of several hosts at once gives each back as it is to be, and leaves one alone that is not held any more', async () => {
    const { frontier } = await openedWith(make, [newRequest('a.example/1'), newRequest('b.example/1'), newRequest('c.example/1')])
    const { leases } = await frontier.lease({ now: 0, hosts: 3, requestsPerHost: 1 })
    const [a, b, c] = leases
    if (a === undefined || b === undefined || c === undefined) throw new Error('expected three leases')
    await frontier.release([{ lease: b, rest: { readyAt: 0, memory: { rate: '1' } } }])
    const again = await leaseOne(frontier)

    await frontier.release([
      { lease: a, rest: { readyAt: 50, memory: { rate: '2' } } },
      { lease: b, rest: { readyAt: 0, memory: { rate: 'of a visit that is over' } } },
      { lease: c, rest: { readyAt: 90, memory: { rate: '3' } } },
    ])

    expect(again).toMatchObject({ hostKey: b.hostKey, memory: { rate: '1' } })
    const later = await frontier.lease({ now: 90, hosts: 9, requestsPerHost: 1 })
    expect(later.leases.map(({ hostKey, memory }) => [hostKey, memory['rate']])).toEqual([
      [a.hostKey, '2'],
      [c.hostKey, '3'],
    ])
    await frontier.close()
  })

  it('of a visit that is over changes nothing', async () => {
    const { frontier } = await openedWith(make, newRequests(1))
    const old = await leaseOne(frontier)
    await frontier.release([{ lease: old, rest: { readyAt: 0, memory: {} } }])
    const lease = await leaseOne(frontier)
    await frontier.release([{ lease: old, rest: { readyAt: 9_999, memory: { core: 'old' } } }])
    expect(await frontier.renew([old, lease], 0)).toEqual([
      { held: false, waiting: 0 },
      { held: true, waiting: 0 },
    ])
    expect((await hostOf(frontier, 'a.example'))?.memory).toEqual({})
  })

  it('renew says what waits and was not handed out', async () => {
    const { frontier } = await openedWith(make, newRequests(3))
    const lease = await leaseOne(frontier, { n: 1 })
    await frontier.add([newRequest('a.example/4', { notBefore: 99 })])
    expect(await frontier.renew([lease], 0)).toEqual([{ held: true, waiting: 3 }])
  })
}

function retiring(make: () => FrontierStore): void {
  it('keeps the requests of a host that is given up, and never leases it while it has no moment for a probe', async () => {
    const { frontier } = await openedWith(make, newRequests(1))
    await frontier.retire('a.example', 'never answered', Infinity)
    await frontier.add([newRequest('a.example/2')])
    expect(await frontier.lease({ now: 1e12, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
    expect(await frontier.reader.counts()).toMatchObject({ known: 2, waiting: 2, retired: 2, retiredHosts: 1 })
    expect(await hostOf(frontier, 'a.example')).toMatchObject({ retiredFor: 'never answered', waiting: 2 })
  })

  it('revives it as if it were new, ready at once', async () => {
    const { frontier, lease } = await leasedOne(make, newRequests(1))
    await frontier.release([{ lease, rest: { readyAt: 1e9, memory: {} } }])
    await frontier.retire('a.example', 'closed', Infinity)
    await frontier.change({ kind: 'revive', hostKey: 'a.example' })
    expect(pathsOf((await leaseOne(frontier, { now: 5 })).requests)).toEqual(['/1'])
    expect(await hostOf(frontier, 'a.example')).not.toHaveProperty('retiredFor')
  })

  it('lets its holder finish what is under way', async () => {
    const { frontier } = await openedWith(make, newRequests(2))
    const lease = await leaseOne(frontier, { n: 1 })
    await frontier.retire('a.example', 'closed', Infinity)
    expect(await frontier.refill(lease, 9, 0)).toEqual({ requests: [] })
    expect(await frontier.commit([unitOf(lease, lease.requests[0])])).toMatchObject([{ status: 'committed' }])
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
    expect(await frontier.lease({ now: 1e12, hosts: 9, requestsPerHost: 9 })).toEqual({ leases: [], heldElsewhere: 0 })
  })

  it('of a host that was never met changes nothing', async () => {
    const { frontier } = await openedWith(make)
    await frontier.retire('a.example', 'closed', Infinity)
    await frontier.change({ kind: 'revive', hostKey: 'a.example' })
    expect(await frontier.reader.counts()).toMatchObject({ hosts: 0 })
  })
}
