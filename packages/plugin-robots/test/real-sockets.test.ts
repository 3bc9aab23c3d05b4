// A robots.txt of 100 MB over real sockets: what is read of it counts, the rest is not waited for.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { crawl, memoryFrontier, type CrawlReport } from 'avocet'
import { robots } from '@avocet/plugin-robots'
import { afterEach, describe, expect, it } from 'vitest'
import { pathSpider } from '../../../test/crawl/harness.ts'

const RULES = 'User-agent: *\nDisallow: /private/\n'
const MB = 2 ** 20

/** A site whose robots.txt is written by `write`; both pages are there. */
async function siteOf(write: (send: (chunk: Buffer) => boolean, end: () => void) => void, headers = {}): Promise<Site> {
  let sentBytes = 0
  const server = createServer((request, response) => {
    if (request.url !== '/robots.txt') {
      response.end('<p>ok')
      return
    }
    response.writeHead(200, { 'content-type': 'text/plain', ...headers })
    const send = (chunk: Buffer): boolean => {
      sentBytes += chunk.length
      return response.write(chunk)
    }
    response.on('drain', () => write(send, () => response.end()))
    write(send, () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentBytes: () => sentBytes,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}

interface Site {
  readonly origin: string
  sentBytes(): number
  close(): Promise<void>
}

describe('over real sockets', () => {
  let site: Site | undefined
  afterEach(() => site?.close())

  const crawled = (origin: string): Promise<CrawlReport> => {
    const spider = pathSpider([`${origin}/a`, `${origin}/private/b`])
    return crawl({ policies: [], spider, plugins: [robots()], delayMs: 1, frontier: memoryFrontier(), patienceMs: 100 }).run()
  }

  it('a robots.txt of 100 MB is read to 500 KiB', async () => {
    let written = 0
    const padding = Buffer.alloc(64 * 1024, '# 0123456789abc\n')
    site = await siteOf((send, end) => {
      if (written === 0) send(Buffer.from(RULES))
      while (written < 100 * MB) {
        written += padding.length
        if (!send(padding)) return
      }
      end()
    })
    const report = await crawled(site.origin)

    expect(report).toMatchObject({ ended: 'done', counts: { done: 1, failed: 1 }, failures: [{ reason: 'robots', count: 1 }] })
    expect(site.sentBytes()).toBeLessThan(20 * MB)
  })

  it('a bomb is not unpacked, and its URLs wait', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MB, 'a'))
    site = await siteOf(
      (send, end) => {
        send(bomb)
        end()
      },
      { 'content-encoding': 'gzip' },
    )
    const report = await crawled(site.origin)

    expect(report.counts).toMatchObject({ done: 0, failed: 0, waiting: 2 })
  })
})
