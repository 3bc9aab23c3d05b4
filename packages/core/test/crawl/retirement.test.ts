// When a host that was given up is asked again, and what its answer says.
import { describe, expect, it } from 'vitest'
import { probeIntervalMs, saysUp } from '../../src/scheduler/retirements.ts'
import type { FailureCode } from '../../src/values/errors.ts'
import { failure } from '../../src/ports/failure.ts'

const DAY = 24 * 3_600_000

describe('a probe', () => {
  it('comes after a day, doubling to a week', () => {
    expect([0, 1, 2, 3, 9].map((probes) => probeIntervalMs(probes) / DAY)).toEqual([1, 2, 4, 7, 7])
  })

  it.each<[FailureCode, boolean, boolean | undefined]>([
    ['AVO_CONNECT_TIMEOUT', false, false],
    ['AVO_DECODE_FAILED', true, true],
    ['AVO_BODY_TOO_LARGE', true, true],
    ['AVO_BODY_BUDGET', true, true],
    ['AVO_ADDRESS_REFUSED', false, undefined],
  ])('that failed with %s (sent: %o) says that the host is up: %o', (code, sent, up) => {
    expect(saysUp(failure(code, 'it failed', { sent }))).toBe(up)
  })
})
