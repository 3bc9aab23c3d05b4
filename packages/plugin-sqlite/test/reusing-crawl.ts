// A crawl that goes by the rules of HTTP caching, several times over one file of kept responses: what its server felt, and what handlers saw.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, unpaced, type CrawlConfig, type Page } from 'avocet'
import type { Fetcher, Outbound } from '@avocet/core/store'
import { responseCache } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { afterEach, beforeEach } from 'vitest'

const START = Date.UTC(2026, 2, 1, 12)
export const MINUTE_MS = 60_000
export const URL_OF_SHOP = 'http://shop.test/'

/** What the server answers. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The server; a test says what it answers. */
export const site: { folder: string; felt: string[]; answer: (outbound: Outbound) => Answer } = {
  folder: '',
  felt: [],
  answer: () => ({}),
}

/** Gives each test of a file a folder of its own. Files share this module, so each calls it. */
export function newFolders(): void {
  beforeEach(() => {
    site.folder = mkdtempSync(join(tmpdir(), 'avocet-reuse-'))
  })
  afterEach(() => rmSync(site.folder, { recursive: true }))
}

/** A server without a network: it answers within the call, and keeps a log. */
const fetcher: Fetcher = {
  fetch(outbound, receiver) {
    const { method, url, headers } = outbound
    const condition = headers['if-none-match'] ?? headers['if-modified-since']
    receiver.sent()
    site.felt.push([method, new URL(url).pathname, ...(condition === undefined ? [] : [condition])].join(' '))
    const { status = 200, headers: fields = {}, body = '' } = site.answer(outbound)
    const head = { status, headers: { 'content-type': 'text/html', ...fields } }
    receiver.headers(head)
    const bytes = Buffer.from(body)
    const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: true }
    receiver.done({ ...head, url, body: bytes, wireBytes: bytes.byteLength, timings })
    return () => {}
  },
  close: async () => {},
}

/** How to run. */
export interface Run extends Partial<CrawlConfig> {
  /** After the first run. */
  readonly afterMs?: number
  readonly rules?: 'http' | 'none'
  readonly seeds?: CrawlConfig['spider']['seeds']
}

/** Runs to its end; gives what the handler saw, and what the server felt in this run. */
export async function run({ afterMs = 0, rules = 'http', seeds = [URL_OF_SHOP], ...more }: Run = {}): Promise<{
  seen: string[]
  felt: string[]
}> {
  site.felt = []
  const seen: string[] = []
  const handler = (page: Page): [] => (
    seen.push(`${page.response.status} ${page.changed} ${Buffer.from(page.response.body).toString()}`),
    []
  )
  const clock = new VirtualClock({ startAt: START + afterMs })
  const spider = { name: 'shop', seeds, handlers: { start: handler } }
  const { plugins = [], ...others } = more
  const cache = responseCache(join(site.folder, 'shop.cache'), { rules })
  const config = {
    spider,
    policies: [unpaced()],
    patienceMs: 0,
    maxTimeMs: 1_000,
    ...others,
    clock,
    fetcher,
    plugins: [...plugins, cache],
  }
  await clock.run(() => crawl(config).run())
  return { seen, felt: site.felt }
}
