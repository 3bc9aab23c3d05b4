// Links to a host that a process found before another one followed the seed's redirect to it, on virtual time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, link, spider, type Crawl } from 'avocet'
import type { Fetcher } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'

const PAGES = 20

/** A seed leads to www after three seconds; every page of b.test links to one of www. */
const site = spider({
  name: 'joined',
  seeds: ['http://a.test/', 'http://b.test/0'],
  handlers: {
    *start({ url }) {
      const n = Number(url.pathname.slice(1))
      if (url.hostname === 'b.test' && n < PAGES) yield* [link(`http://b.test/${n + 1}`), link(`http://www.a.test/of-b-${n}`)]
    },
  },
})

function web(clock: VirtualClock): Fetcher {
  const headers = { 'content-type': 'text/html' }
  return {
    fetch({ url }, receiver) {
      const isSeed = url === 'http://a.test/'
      const answer = isSeed ? { status: 301, headers: { location: 'http://www.a.test/0' } } : { status: 200, headers }
      receiver.sent()
      const firstByteMs = isSeed ? 3_000 : 100
      const wake = clock.at(clock.now() + firstByteMs, () => {
        receiver.headers(answer)
        receiver.done({
          url,
          ...answer,
          body: new Uint8Array(),
          wireBytes: 0,
          timings: { firstByteMs, bodyMs: 0, reusedSocket: false },
        })
      })
      return () => wake[Symbol.dispose]()
    },
    close: () => Promise.resolve(),
  }
}

/** Runs two crawls on one store, the second half a second after the first. Returns the paths of www that were settled. */
async function pagesOfWww(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-joined-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const fetcher = web(clock)
  const settled: string[] = []
  const made = (): Crawl => {
    const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const one = crawl({ policies: [], spider: site, frontier, drainMs: 0, randomSeed: 'joined', clock, fetcher })
    one.hooks.onSettled.tap('pages', ({ request, outcome }) => {
      if (request.hostKey === 'www.a.test' && outcome.kind === 'done') settled.push(new URL(request.url).pathname)
    })
    return one
  }
  const second = async (): Promise<void> => {
    await new Promise<void>((resolve) => clock.at(clock.now() + 500, resolve))
    await made().run()
  }
  await clock.run(Promise.all([made().run(), second()]))
  return settled
}

it('links to a host that were met before it joined are followed once it has', async () => {
  const pages = await pagesOfWww()

  const links = Array.from({ length: PAGES }, (_, n) => `/of-b-${n}`)
  expect(pages.filter((path) => path.startsWith('/of-b')).toSorted()).toEqual(links.toSorted())
})
