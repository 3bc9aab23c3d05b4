// What a page is asked for with when it is visited again.
import type { Request, Response } from '@avocet/core'
import type { Outcome } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { CONDITION_REFUSED, Conditions, conditionsOf, validatorsAfter } from '../../src/run/conditional.ts'

const earlier = { visits: 1, dueAt: 500, skipped: 0 }
const request = { id: 7, url: 'https://shop.test/all', handler: 'product', method: 'GET', earlier } as unknown as Request
const response = { status: 200, headers: { etag: '"a"' }, body: new Uint8Array() } as unknown as Response

describe('a page that failed or moved', () => {
  const again = { at: 600, skipped: 0 }
  const failed: Outcome = { kind: 'failed', reason: 'http-500', again }

  it('is asked for with what was known of it', () => {
    const known = { etag: '"a"', lastModified: 'Sun, 29 Nov 2026 20:00:00 GMT', bodyHash: 'f00' }
    const after = new Conditions().after({ ...request, earlier: { ...earlier, ...known } }, failed)
    expect(after).toEqual({ ...failed, again: { ...again, ...known } })
  })

  it('is asked for with a condition again where that was refused: it failed without as well', () => {
    expect(new Conditions().after({ ...request, earlier: { ...earlier, etag: '' } }, failed)).toEqual(failed)
  })

  it('is left as it is without another visit', () => {
    const last: Outcome = { kind: 'failed', reason: 'http-404', gone: true }
    expect(new Conditions().after(request, last)).toBe(last)
  })
})

describe('a condition that was refused', () => {
  const known = { ...earlier, etag: '"a"', lastModified: 'Sun, 29 Nov 2026 20:00:00 GMT' }
  const leased = { id: 7, url: request.url, earlier: known } as unknown as Parameters<Conditions['withoutRefused']>[0]

  it('is left out once the request is handed out again, and kept as refused', () => {
    const conditions = new Conditions()
    expect(conditions.withoutRefused(leased)).toBe(leased)
    conditions.after(request, { kind: 'retry', at: 9, counted: true, reason: CONDITION_REFUSED })
    const bare = conditions.withoutRefused(leased)
    expect(bare.earlier).toEqual({ ...earlier, etag: '' })
    const asked = { ...request, ...(bare.earlier && { earlier: bare.earlier }) }
    expect(conditionsOf(asked)).toEqual({})
    expect(validatorsAfter(asked, response)).toMatchObject({ etag: '' })
    expect(conditions.withoutRefused(leased)).toBe(leased)
  })
})
