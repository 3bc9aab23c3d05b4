// What is said when a crawl is asked to end.
import { describe, expect, it } from 'vitest'
import { stoppingLine } from '../../src/text/orders-in-words.ts'

describe('the line of a crawl that was asked to end', () => {
  it('says what it waits for, for how long, how to leave now, and how to go on', () => {
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 30_000 })).toBe(
      'SIGINT: waiting for requests in flight, at most 30 s, 2.0 s where the server sends nothing; press again to stop now. Run the same command again to resume',
    )
    expect(stoppingLine({ signal: 'SIGTERM', drainMs: Infinity, isResumable: false })).toBe(
      'SIGTERM: waiting for requests in flight; press again to stop now',
    )
  })

  it('leaves silent servers out where all of them must be waited for, or the wait is no longer anyway', () => {
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 30_000, awaited: 1, inFlight: 3 })).toMatch(
      /2\.0 s where the server sends nothing \(except 1 request that a stop must wait for\);/,
    )
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 30_000, awaited: 3, inFlight: 3 })).not.toMatch(/sends nothing/)
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 2_000 })).not.toMatch(/sends nothing/)
  })

  it('says which sinks it waits for once nothing is in flight', () => {
    expect(stoppingLine({ signal: 'SIGINT', drainMs: 30_000, behind: 'items.jsonl 40 items' })).toMatch(
      /^SIGINT: waiting for sinks, items\.jsonl 40 items behind, at most 30 s in all; press again to stop now\./,
    )
  })
})
