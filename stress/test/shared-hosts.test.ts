// What the log of a rough web says of clients that share its hosts.
import type { ServedRequest } from '../rough-web/index.ts'
import { sharedHosts } from '@avocet/stress/hosts'
import { describe, expect, it } from 'vitest'

function request(agent: string, [at, endedAt]: readonly [number, number], rest: Partial<ServedRequest> = {}): ServedRequest {
  return { at, endedAt, agent, host: 'a.test', path: `/${String(at)}`, status: 200, ...rest }
}

describe('hosts that clients share', () => {
  it('hear two at once where an exchange begins within one of another client', () => {
    const [a, b, c] = [request('A', [100, 150]), request('B', [140, 160]), request('A', [155, 170])]

    const { overlaps } = sharedHosts([b, c, a])

    expect(overlaps.map(({ first, second, gapMs }) => [first.agent, second.agent, gapMs])).toEqual([
      ['A', 'B', 40],
      ['B', 'A', 15],
    ])
  })

  it('do not where one client has two in flight, where the first has just ended, and at two hosts', () => {
    const own = [request('A', [100, 150]), request('A', [120, 130])]
    const later = request('B', [150, 160])
    const elsewhere = request('B', [110, 120], { host: 'b.test' })

    expect(sharedHosts([...own, later, elsewhere]).overlaps).toEqual([])
  })

  it('hear requests one after the other, each so long after the one before, of any client', () => {
    const all = [request('A', [100, 110]), request('B', [400, 410]), request('A', [650, 660])]

    const { inARow } = sharedHosts([...all, request('A', [0, 9], { host: 'b.test' })])

    expect(inARow.map(({ first, second, gapMs }) => [first.agent, second.agent, gapMs])).toEqual([
      ['A', 'B', 300],
      ['B', 'A', 250],
    ])
  })

  it('see a page repeated only after they had served it', () => {
    const path = '/page'
    const failed = request('A', [100, 150], { path, status: 500 })
    const left = request('A', [200, 250], { path, status: 0 })
    const served = request('A', [300, 350], { path })
    const again = request('B', [400, 450], { path })

    expect(sharedHosts([failed, left, served, again]).repeated).toEqual([again])
  })
})
