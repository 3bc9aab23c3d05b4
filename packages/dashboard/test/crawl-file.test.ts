// A crawl as one file: what is in it, and how large it is.
import { inflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { systemClock } from '@avocet/core/store'
import { crawlFile, type CrawlSource } from '@avocet/dashboard'
import { NotedSteering, stillShelf } from './still-crawl.ts'

async function sourceOf(hosts: number): Promise<CrawlSource> {
  const shelf = stillShelf({ hosts, steering: new NotedSteering(), clock: systemClock() })
  const shown = await shelf.crawl('still')
  if (shown === undefined) throw new Error('no crawl')
  return shown.source
}

interface Content {
  readonly first: object
  readonly views: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

function contentOf(html: string | undefined): Content {
  const [, packed = ''] = /<script type="text\/plain" id="file">([^<]*)</.exec(html ?? '') ?? []
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as Content
}

it('has every host in its table, and a view of its own for as many as are wanted', async () => {
  const { first, views } = contentOf(await crawlFile({ crawl: 'still', source: await sourceOf(150), hosts: 3 }))

  expect(first).toEqual({ view: 'now', crawl: 'still', key: '' })
  expect(Object.keys(views).filter((name) => name.startsWith('host '))).toHaveLength(3)
  expect(views['hosts ']).toMatchObject({ hosts: { total: 150 }, offers: [] })
  expect((views['hosts ']?.['hosts'] as { readonly keys: readonly string[] } | undefined)?.keys).toHaveLength(150)
})

it('of 800 hosts is at most 300 kB, and loads nothing', async () => {
  const html = (await crawlFile({ crawl: 'still', source: await sourceOf(800) })) ?? ''

  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(300_000)
  expect(html).toContain("default-src 'none'")
  expect(html.replace(/<script type="module">[^]*/, '')).not.toMatch(/<link rel="stylesheet"|\bsrc=|@import|url\((?!data:)/)
})

it('for the owner of a host has that host alone', async () => {
  const source = await sourceOf(3)
  const { first, views } = contentOf(await crawlFile({ crawl: 'still', source, host: 'host-1.example' }))

  expect(first).toEqual({ view: 'politeness', crawl: 'still', key: 'host-1.example' })
  expect(Object.keys(views)).toEqual(['politeness host-1.example'])
  expect(await crawlFile({ crawl: 'still', source: { ...source, politeness: async () => undefined }, host: 'x' })).toBeUndefined()
})
