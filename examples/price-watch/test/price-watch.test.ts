// The price-watch spider finds every offer once, and is gentle: on simulated shops, and through the command line on real sockets.
import { describe, expect, it } from 'vitest'
import { byCommand } from '../../check/by-command.ts'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import priceWatch from '../spider.ts'
import { commandWords, expectedItems, world } from './world.ts'

const shops = 'http://north.test/,http://east.test/,http://south.test/'

describe('the price-watch spider', () => {
  it('finds the price of every product of every shop once', async () => {
    const { items } = await onSimulatedWeb(world, { spider: priceWatch({ shops }) })

    expect(items).toHaveLength(120)
    expect(new Set(items)).toEqual(new Set(expectedItems(world)))
  })

  it('asks for 53 pages a shop, one at a time and a second apart: neither the login nor a list that is only sorted otherwise', async () => {
    const { web, report, elapsedMs } = await onSimulatedWeb(world, { spider: priceWatch({ shops }) })

    // The front page, 6 categories of 2 pages each, 40 products.
    expect(report.run).toMatchObject({ pages: 3 * 53, requests: 3 * 53, failed: 0 })
    expect(web.felt('north.test').maxInFlight).toBe(1)
    // All shops at once, each with 52 pauses of a second.
    expect(Math.round(elapsedMs / 1_000)).toBe(52)
  })

  it('finds the same through the command line on the rough web, its configuration and store included', async () => {
    const result = await byCommand({ world, commandWords, expectedItems })

    expect(result).toEqual({ exitCode: 0, found: 120, differences: [] })
  })
})
