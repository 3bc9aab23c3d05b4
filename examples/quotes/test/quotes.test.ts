// The quotes spider finds every quote once on a simulated site.
import { describe, expect, it } from 'vitest'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import quotesSpider from '../spider.ts'
import { expectedItems, world } from './world.ts'

describe('the quotes spider', () => {
  it('finds every quote once on the simulated web', async () => {
    const spider = quotesSpider({ site: 'http://quotes.test/' })

    const { items, report } = await onSimulatedWeb(world, { spider })

    expect(items).toHaveLength(100)
    expect(items).toEqual(expectedItems(world))
    expect(report).toMatchObject({ ended: 'done', run: { pages: 10, items: 100, failed: 0 } })
  })
})
