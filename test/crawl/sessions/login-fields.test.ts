// Header fields that a login sends: the server has them, and nobody else.
import { crawl, definePlugin, link, memoryFrontier, spider } from 'avocet'
import { responseCache } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fetcherOf, formPage } from './member-site.ts'

const API = 'https://api.members.test'

it.each([200, 307])('are in no event, and no plugin or cache has them, where it answers %d', async (status) => {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-fields-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const cache = join(folder, 'members.cache')
  const shown: string[] = []
  const felt: unknown[] = []
  const clock = new VirtualClock()
  const fetcher = fetcherOf(clock, ({ url, method, headers }) => {
    if (method === 'POST') felt.push([headers['x-api-key'], headers['content-type'], headers['authorization']])
    const isFirst = method === 'POST' && felt.length === 1
    const echo = { 'x-echo': headers['x-api-key'] ?? 'none' }
    if (isFirst && status === 307) return { status, headers: { ...echo, location: `${url}/again` }, body: '' }
    return { ...formPage('hello'), headers: { 'content-type': 'text/html', ...echo } }
  })
  const watch = definePlugin({
    name: 'watch',
    onTrace: (event) => void shown.push(event.kind === 'begun' ? JSON.stringify(event) : event.kind),
    beforeRequest: ({ exchange, given }) => void shown.push(JSON.stringify([exchange.request, given])),
  })
  const members = spider({
    name: 'members',
    seeds: [`${API}/`],
    login: {
      url: `${API}/login`,
      submit: () =>
        link('/session', {
          method: 'POST',
          headers: { 'X-Api-Key': 'KEY-5512', 'content-type': 'application/json', authorization: 'Bearer TOKEN-77' },
          body: '{}',
        }),
      isLoggedOut: () => false,
    },
    handlers: { start: () => [] },
  })
  const plugins = [watch, responseCache(cache)]
  const config = {
    spider: members,
    policies: [],
    plugins,
    hosts: { '*': { delayMs: 0 } },
    frontier: memoryFrontier(),
    clock,
    fetcher,
  }

  const report = await clock.run(() => crawl(config).run())

  expect(felt).toEqual(Array(status === 307 ? 2 : 1).fill(['KEY-5512', 'application/json', 'Bearer TOKEN-77']))
  expect(JSON.stringify([shown, report])).toContain('"x-api-key":"__secret__"'.replaceAll('"', String.raw`\"`))
  expect(JSON.stringify([shown, report]) + readFileSync(cache, 'latin1')).not.toMatch(/KEY-5512|TOKEN-77/)
})
