// How many hosts a process should hold while others on the same store have none to work on.
import { join } from 'node:path'
import type { Frontier, HostLease } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newRequest, SPEC, unitOf } from '../../testkit/src/contracts/frontier/story.ts'
import { temporaryFolder } from './stores.ts'

const NOW = 100_000

/** Frontiers on one store, as of so many processes; `names` of hosts with a request each. */
async function sharing(processes: number, names: readonly string[]): Promise<readonly Frontier[]> {
  const folder = temporaryFolder()
  const frontiers = Array.from({ length: processes }, () => sqlite(join(folder.path, 'store.db')))
  onTestFinished(async () => {
    for (const frontier of frontiers) await frontier.close()
    folder.dispose()
  })
  for (const frontier of frontiers) await frontier.open(SPEC, 0)
  await frontiers[0]?.add(hostsOf(names))
  return frontiers
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `h${n}.example`)
const hostsOf = (names: readonly string[]): ReturnType<typeof newRequest>[] => names.map((name) => newRequest(`${name}/1`))

async function holds(frontier: Frontier | undefined, hosts: number): Promise<readonly HostLease[]> {
  const { leases } = (await frontier?.lease({ now: NOW, hosts, requestsPerHost: 4 })) ?? expect.fail('a frontier')
  expect(leases).toHaveLength(hosts)
  return leases
}

/** Finds nothing to lease, and says so where it is idle. */
async function findsNothing(frontier: Frontier | undefined, now = NOW, idle = true): Promise<void> {
  expect((await frontier?.lease({ now, hosts: 4, requestsPerHost: 4, idle }))?.leases).toEqual([])
}

describe('the share of a process', () => {
  it('is not limited while nobody else stands idle', async () => {
    const [one, two] = await sharing(2, numbered(12))
    await holds(one, 12)
    expect(one?.sharing?.share(1_000)).toBeUndefined()

    await findsNothing(two, NOW, false)
    expect(one?.sharing?.share(NOW)).toBeUndefined()
  })

  it.each([
    [12, 6],
    [11, 6],
    [1, 1],
  ])('of %i hosts is %i beside one that stands idle', async (hosts, share) => {
    const [one, two] = await sharing(2, numbered(hosts))
    await holds(one, hosts)
    await findsNothing(two)

    expect(one?.sharing?.share(NOW)).toBe(share)
    expect(two?.sharing?.share(NOW)).toBeUndefined()
  })

  it('is counted among those that stand idle alone: who is content keeps what it has', async () => {
    const [one, content, idle] = await sharing(3, numbered(12))
    await holds(one, 8)
    await holds(content, 4)
    await findsNothing(idle)

    expect(one?.sharing?.share(NOW)).toBe(4)
  })

  it('is a part of what is due and free, too', async () => {
    const [one, two] = await sharing(2, numbered(8))
    await holds(one, 8)
    await findsNothing(two)
    await one?.add(hostsOf(['new1.example', 'new2.example', 'new3.example', 'new4.example']))

    expect(one?.sharing?.share(NOW)).toBe(6)
  })

  it('counts no host that has nothing to do, or is given up', async () => {
    const [one, two] = await sharing(2, numbered(8))
    const [spent, given] = await holds(one, 8)
    if (spent === undefined || given === undefined) throw new Error('expected two hosts')
    await one?.commit([unitOf(spent, spent.requests[0])])
    await one?.retire(given.hostKey, 'never answered', Infinity, given)
    await findsNothing(two)

    expect(one?.sharing?.share(NOW)).toBe(3)
  })

  it('is one host at least', async () => {
    const [one, holder, idle] = await sharing(3, numbered(1))
    await holds(holder, 1)
    await findsNothing(idle)

    expect(one?.sharing?.share(NOW)).toBe(1)
  })

  it('is limited for three seconds after the other said so', async () => {
    const [one, two] = await sharing(2, numbered(12))
    await holds(one, 12)
    await findsNothing(two)

    expect([one?.sharing?.share(NOW + 3_000), one?.sharing?.share(NOW + 3_001)]).toEqual([6, undefined])
  })

  it('is limited for as long as the other says so, which it does once a second', async () => {
    const [one, two] = await sharing(2, numbered(12))
    await holds(one, 12)
    await findsNothing(two)
    one?.sharing?.changedElsewhere()

    await findsNothing(two, NOW + 999)
    expect(one?.sharing?.changedElsewhere()).toBe(false)
    await findsNothing(two, NOW + 1_000)
    expect(one?.sharing?.changedElsewhere()).toBe(true)
    expect(one?.sharing?.share(NOW + 4_000)).toBe(6)
  })
})
