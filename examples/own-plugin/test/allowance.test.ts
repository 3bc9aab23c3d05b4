// The plugin holds a host to its allowance, hour after hour, and passes the contract of all plugins; the spider beside it finds every title.
import { pluginContract } from '@avocet/testkit/contracts'
import { siteModel } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { onSimulatedWeb } from '../../check/on-simulated-web.ts'
import { allowance } from '../allowance.ts'
import titles from '../spider.ts'
import { expectedItems, world } from './world.ts'

const HOUR_MS = 3_600_000

pluginContract('allowance', () => allowance({ bytesPerHour: 5_000 }))

describe('the allowance', () => {
  it('holds a host that has given its bytes until the hour is over', async () => {
    // Each page is larger than the allowance, so each hour has one.
    const pages = siteModel({
      seed: 'hours',
      hosts: [{ name: 'site.test', pages: { kind: 'list', pages: 4, textBytes: 2_000 } }],
    })
    const spider = { ...titles({}), seeds: pages.seeds() }

    const { report, elapsedMs } = await onSimulatedWeb(pages, {
      spider,
      plugins: [allowance({ bytesPerHour: 1_000 })],
      patienceMs: HOUR_MS,
    })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 4 } })
    expect(Math.floor(elapsedMs / HOUR_MS)).toBe(3)
  })

  it('leaves a host alone that stays below it', async () => {
    const { report, elapsedMs } = await onSimulatedWeb(world, {
      spider: titles({ site: 'http://site.test/' }),
      plugins: [allowance({ bytesPerHour: 10_000_000 })],
    })

    expect(report.ended).toBe('done')
    expect(elapsedMs).toBeLessThan(60_000)
  })
})

describe('the titles spider', () => {
  it('finds every page once on the simulated web', async () => {
    const { items } = await onSimulatedWeb(world, { spider: titles({ site: 'http://site.test/' }) })

    expect(items).toHaveLength(30)
    expect(new Set(items)).toEqual(new Set(expectedItems(world)))
  })
})
