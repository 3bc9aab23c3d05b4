// The laws of hosts.
import { hostLaws } from '@avocet/core/store'
import { assert, integer, nat, option, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'

const { dueAtOf, probed, retired, revived } = hostLaws
const host = { readyAt: 40, retiredFor: null, probeAt: null }

describe('a host', () => {
  it('that is given up is probed at its moment, or in a later run', () => {
    expect({ ...host, ...retired('silent', 90) }).toEqual({ readyAt: 40, retiredFor: 'silent', probeAt: 90 })
    expect(retired('silent', Infinity)).toEqual({ retiredFor: 'silent', probeAt: null })
  })

  it('that is revived is ready at once, unless somebody holds it', () => {
    const gone = { ...host, ...retired('silent', 90) }

    expect([revived(gone, false), revived(gone, true)]).toEqual([{ ...host, readyAt: 0 }, host])
  })

  it('is probed sooner where its probe is set for that moment or later', () => {
    const [soon, late, never] = [90, 100, Infinity].map((at) => ({ ...host, ...retired('silent', at) }))
    const when = { from: 100, now: 50 }

    expect([soon, late, never].map((each) => each && probed(each, when).probeAt)).toEqual([90, 50, 50])
    expect(probed(host, when)).toBe(host)
  })

  it('is due at the first moment at which it is ready, its probe is, and something that waits is', () => {
    const hosts = record({
      readyAt: nat(9),
      probeAt: option(integer({ min: 0, max: 9 })),
      isRetired: nat(1),
      ready: nat(1),
      first: nat(9),
    })
    const isDue = property(hosts, ({ readyAt, probeAt, isRetired, ready, first }) => {
      const state = { readyAt, probeAt, retiredFor: isRetired === 1 ? 'silent' : null }
      const at = [...Array(10).keys(), Infinity].find(
        (now) => now >= readyAt && (isRetired === 0 || now >= (probeAt ?? Infinity)) && (ready > 0 || now >= first),
      )

      expect(dueAtOf(state, { ready, firstDelayedAt: () => first })).toBe(at)
    })
    assert(isDue)
  })
})
