// What is said when a crawl is asked to end.
import { describe, expect, it } from 'vitest'
import { stoppingLine } from '../../src/text/orders-in-words.ts'

describe('the line of a crawl that was asked to end', () => {
  it('says what it waits for, for how long, how to leave now, and how to go on', () => {
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 30_000 })).toBe(
      'SIGINT: waiting for requests in flight, at most 30 s, 5.0 s for those that can be sent again; press again to stop now. Run the same command again to resume',
    )
    expect(stoppingLine({ signal: 'SIGTERM', drainMs: Infinity, isResumable: false })).toBe(
      'SIGTERM: waiting for requests in flight; press again to stop now',
    )
  })

  it('says how long it is once where the wait is no longer anyway', () => {
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 2_000 })).not.toMatch(/sent again/)
  })

  it('says which sinks it waits for once nothing is in flight', () => {
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 30_000, behind: 'items.jsonl 40 items' })).toMatch(
      /^SIGINT: waiting for sinks, items\.jsonl 40 items behind, at most 30 s in all; press again to stop now\./,
    )
  })
})
