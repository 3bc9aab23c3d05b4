// A link to a URL of a list is that seed.
import { describe, expect, it } from 'vitest'
import { ListedSeeds } from '../../src/discovery/listed-seeds.ts'
import { systemClock } from '../../src/ports/clock.ts'
import type { NewRequest } from '../../src/ports/request.ts'
import { LoopBudget } from '../../src/process/loop-budget.ts'
import { LateCodec } from '../../src/run/late-codec.ts'
import { DroppedParameters } from '../../src/url/dropped-parameters.ts'
import { canonicalUrl } from '../../src/url/canonicalize.ts'
import { fingerprintOf } from '../../src/url/fingerprint.ts'

const LISTED = 50_000
const codec = new LateCodec(() => Promise.reject(new Error('expected none')))

function linkTo(n: number, more: Partial<NewRequest> = {}): NewRequest {
  const url = `http://shop.test/p?n=${n}&a=1`
  const fingerprint = fingerprintOf({ method: 'GET', canonicalUrl: canonicalUrl(url), handler: more.handler ?? 'start' })
  return { fingerprint, url, hostKey: 'shop.test', handler: 'start', depth: 3, priority: 9, parentId: 7, dataJson: '1', ...more }
}

async function listed(): Promise<ListedSeeds> {
  const loop = new LoopBudget(systemClock())
  const texts = Array.from({ length: LISTED }, (_, n) => `http://shop.test:80/p?a=1&n=${n}`)
  const seeds = new ListedSeeds([...texts, 'no URL'], { loop, codec, dropped: DroppedParameters.of() })
  await seeds.read()
  return seeds
}

describe('seeds of a list', () => {
  it('are known, each of 50,000, and no other URL is taken for one', async () => {
    const seeds = await listed()

    const taken = Array.from({ length: 2 * LISTED }, (_, n) => linkTo(n)).filter((link) => seeds.orSeed(link) !== link)

    expect(seeds.read()).toBeUndefined()
    expect(taken.length).toBe(LISTED)
  })

  it('have nothing of the link but its wish for a visit', async () => {
    const seeds = await listed()
    const { fingerprint, url, hostKey } = linkTo(5)

    const seed = { fingerprint, url, hostKey, handler: 'start', depth: 0, priority: 0 }
    expect(seeds.orSeed(linkTo(5))).toEqual(seed)
    expect(seeds.orSeed(linkTo(5, { again: 5, modifiedAt: 4 }))).toEqual({ ...seed, again: 5, modifiedAt: 4 })
  })

  it('are not meant by a link to another handler', async () => {
    const seeds = await listed()
    const link = linkTo(5, { handler: 'product' })

    expect(seeds.orSeed(link)).toBe(link)
  })
})
