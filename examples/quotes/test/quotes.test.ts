// The quotes spider finds every quote once: on a simulated site, and through the command line on real sockets.
import { describe, expect, it } from 'vitest'
import { byCommand } from '../../check/by-command.ts'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import quotesSpider from '../spider.ts'
import { commandWords, expectedItems, world } from './world.ts'

describe('the quotes spider', () => {
  it('finds every quote once on the simulated web', async () => {
    const spider = quotesSpider({ site: 'http://quotes.test/' })

    const { items, report } = await onSimulatedWeb(world, { spider })

    expect(items).toHaveLength(100)
    expect(items).toEqual(expectedItems(world))
    expect(report).toMatchObject({ ended: 'done', run: { pages: 10, items: 100, failed: 0 } })
  })

  it('finds the same through the command line on the rough web', async () => {
    const result = await byCommand({ world, commandWords, expectedItems })

    expect(result).toEqual({ exitCode: 0, found: 100, differences: [] })
  })
})
