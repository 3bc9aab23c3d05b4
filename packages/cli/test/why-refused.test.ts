// What `avocet why` says of a URL and a host that the store does not have, because links to them were not followed.
import { crawl, link, memoryFrontier, spider } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { knownHost } from '../src/store/known-url.ts'
import { answerOf } from '../src/why/answer.ts'
import { whyLines } from '../src/why/why.ts'

/** A page with links that are not followed. */
async function crawled(): Promise<Frontier> {
  const clock = new VirtualClock()
  const model = siteModel({ seed: 'why', hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 } }] })
  const frontier = memoryFrontier()
  const follows = spider({
    name: 'why',
    seeds: model.seeds(),
    scope: { deny: [/\/cart/] },
    handlers: {
      *start() {
        yield link('/cart')
        yield link('http://other.test/1')
        yield link('http://other.test/2')
      },
    },
  })
  await clock.run(() => crawl({ policies: [], spider: follows, frontier, clock, fetcher: simulatedWeb(model, { clock }) }).run())
  return frontier
}

async function why(url: string): Promise<string> {
  const { reader } = await crawled()
  const record = await knownHost(reader, 'shop.test')
  return whyLines(await answerOf({ reader, config: { policies: [] }, record, url, now: 0 })).join('\n')
}

describe('a URL that is not in the store', () => {
  it('is told with what became of links to its host', async () => {
    const said = await why('http://shop.test/cart')
    expect(said).toContain('not in the store  no page led to it, or what led to it was not followed')
    expect(said).toContain('links to its host not followed: 1 matched by scope.deny')
  })

  it('is told with the rule by which any crawl refuses it', async () => {
    const said = await why(`http://shop.test${'/a'.repeat(8)}`)
    expect(said).toContain('not in the store  it would be refused')
    expect(said).toContain('refused           to paths that repeat a segment (five times)')
  })
})

describe('a host that is not in the store', () => {
  it('is told with the rule by which links to it were not followed', async () => {
    const { reader } = await crawled()

    await expect(knownHost(reader, 'other.test')).rejects.toThrow(
      "got 'other.test'; links to it were not followed: 2 to hosts out of scope (scope.within, scope.hosts)",
    )
    await expect(knownHost(reader, 'shpo.test')).rejects.toThrow("did you mean 'shop.test'?")
  })
})
