// One life: does its work as the command does it, with its own exit codes, and dies where the job says.
//
// A crawl runs on virtual time, which goes on from one life to the next, so that politeness over a kill can be judged to the millisecond.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { AvocetError, link, spider, type RunnableConfig, type Spider } from 'avocet'
import { systemClock, type Clock, type Fingerprint, type NewRequest } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { retry } from '@avocet/plugin-retry'
import { robots } from '@avocet/plugin-robots'
import { superviseCrawl } from '../../packages/cli/src/crawl/supervise-crawl.ts'
import { retryPages } from '../../packages/cli/src/failed/retry-or-drop.ts'
import { exitCodeOfError, exitCodeOfReport } from '../../packages/cli/src/exit-code.ts'
import { RunOutputs } from '../../packages/cli/src/export/run-outputs.ts'
import { placeIn, type Place } from '../../packages/project/src/place/place.ts'
import { VirtualClock } from '../../packages/simulator/src/virtual-clock.ts'
import { FailPoints } from './fail-points.ts'
import type { Job, Trace } from './job.ts'
import { BEGINNING, DELAY_MS } from './rules.ts'
import { SCHEMA } from './schema.ts'
import { NOTE, SEEDS, tinyWeb } from './web.ts'

/** From one visit of a page to the next. */
const ROUND_MS = 20_000
/** The last write of a store waits for a lock for 30 s, on the machine's clock, while virtual time stands still. */
const LONGEST_WAIT_MS = 40_000
/** Locks are waited for on the machine's clock. */
const LOCK_PATIENCE_MS = 40
/** More than the index of known URLs takes before it is merged. */
const MANY = 32_000
/** In rows of so many. */
const ROW = 400
const ROWS = 16

/** How a life ended that was not killed. */
export interface Lived {
  /** `null`: it was cut. */
  readonly code: number | null
  readonly error: string
  readonly trace: Trace
}

/** The handler fails on this page, each time. */
const BROKEN = 'http://h1.test/6'

/** A life that can be watched. */
export class Life {
  readonly job: Job
  readonly points: FailPoints
  readonly #path: string
  readonly #virtual: VirtualClock
  readonly #clock: Clock
  readonly #place: Place
  #error = ''

  constructor(job: Job) {
    this.job = job
    this.#path = join(job.folder, 'store', 'crawl.db')
    this.#virtual = new VirtualClock({ startAt: job.startAt, stuckAfterMs: LONGEST_WAIT_MS })
    this.#clock = job.work === 'share' ? systemClock() : this.#virtual
    this.points = new FailPoints(job, () => this.#clock.now())
    this.#place = { ...placeIn(process, []), folder: job.folder, clock: this.#clock, paint: (_tone, text) => text }
  }

  hold(): Disposable {
    return this.#clock.hold('a file')
  }

  /** Lives it out. */
  async live(): Promise<Lived> {
    const code = await Promise.race([this.#exitCode(), this.points.died.then(() => null)])
    return { code, error: this.#error, trace: this.points.trace }
  }

  async #exitCode(): Promise<number> {
    try {
      return await this.#work()
    } catch (error) {
      this.#error += inspect(error)
      return error instanceof AvocetError ? exitCodeOfError(error.code) : 1
    }
  }

  async #work(): Promise<number> {
    switch (this.job.work) {
      case 'crawl':
      case 'again':
      case 'asked':
        // Once it is cut, its time stands still for ever.
        return this.#virtual.run(() => Promise.race([this.#crawled(), this.points.died.then(() => 0)]))
      case 'share':
        return this.#crawled()
      case 'retry':
        await retryPages(
          { action: 'retry', store: this.#path, json: false, limit: 10, classes: ['permanent', 'host-dead'] },
          this.#place,
        )
        break
      case 'rejects':
        await this.#refused()
        break
      case 'many':
        await this.#added([requests(0, MANY)])
        break
      case 'index':
        await this.#added(Array.from({ length: ROWS }, (_, row) => requests(MANY + row * ROW, ROW)))
        break
    }
    return 0
  }

  async #crawled(): Promise<number> {
    const frontier = sqlite(this.#path, { lockPatienceMs: this.job.work === 'share' ? 5_000 : LOCK_PATIENCE_MS })
    const outputs = this.job.exports ? ['items.jsonl', 'items.csv'].map((name) => ({ path: name, mode: 'append' }) as const) : []
    const opened = await RunOutputs.open(outputs, {
      folder: this.job.folder,
      stdout: process.stdout,
      clock: systemClock(),
      storePath: this.#path,
      say: () => {},
    })
    try {
      const { report, signal, outputError } = await superviseCrawl({
        config: { ...this.#config(), frontier },
        frontier,
        outputs: opened,
        resumable: true,
        place: this.#place,
      })
      if (report.error ?? outputError) this.#error += inspect(report.error ?? outputError)
      return outputError && !report.error
        ? exitCodeOfError(outputError.code)
        : exitCodeOfReport(report, { signal, failOver: 0.5 })
    } finally {
      await opened.close()
    }
  }

  #config(): RunnableConfig {
    const again = this.job.work === 'again'
    return {
      spider: this.#pages(),
      clock: this.#clock,
      fetcher: tinyWeb(this.job, this.#clock, this.points),
      policies: [retry(), robots()],
      plugins: [this.#stations()],
      delayMs: this.job.work === 'share' ? 0 : DELAY_MS,
      randomSeed: 'torture',
      storePatienceMs: this.job.work === 'share' ? 2_000 : 5 * 60_000,
      patienceMs: 5 * 60_000,
      ...(again && { recrawl: [{ everyMs: ROUND_MS }], maxTimeMs: Math.max(1, BEGINNING + 2.95 * ROUND_MS - this.job.startAt) }),
    }
  }

  /** Points between the writes: where a page is in the life of a URL. */
  #stations(): NonNullable<RunnableConfig['plugins']>[number] {
    const { points } = this
    return {
      name: 'stations',
      seesRequired: true,
      // A document that is kept as a record, as a file is.
      handlers: { note: { records: true, handle: (page) => [{ url: page.url.href }] } },
      open: (session) => session.add({ url: NOTE, handler: 'stations/note' }),
      onAdmit: () => void points.before('claimed'),
      onResponse: () => void points.before('answered'),
      onItem(item) {
        points.before('item yielded')
        return item
      },
      onSettled: () => void points.before('settled'),
      close: () => void points.before('closing'),
    }
  }

  #pages(): Spider<{ url: string; visit: number }> {
    const { points } = this
    const again = this.job.work === 'asked'
    return spider({
      name: 'torture',
      seeds: SEEDS.map((url) => ({ url, again })),
      items: { schema: SCHEMA, key: 'url', watch: ['visit'], goneAfterVisits: 2 },
      handlers: {
        *start(page) {
          points.before('handler begun')
          if (page.url.href === BROKEN) throw new TypeError('the page has no price')
          // Another item at the second visit, so that the first one is gone at the third.
          const isOther = page.changed === 'changed'
          yield { url: isOther ? `${page.url.href}#later` : page.url.href, visit: 0 }
          for (const { url } of page.links())
            yield url.endsWith('/3') ? link(url, { handler: 'third', data: { three: true }, again }) : link(url, { again })
          points.before('handler ended')
        },
        *third(page) {
          yield { url: page.url.href, visit: 0 }
          yield { url: `${page.url.href}#refused`, visit: 0 }
          yield { url: `${page.url.href}#second`, visit: 0 }
          for (const { url } of page.links()) yield link(url, { again })
        },
      },
    })
  }

  /** Requests that are found in rows of a thousand, as pages with many links bring them. */
  async #added(rows: readonly (readonly NewRequest[])[]): Promise<void> {
    const frontier = sqlite(this.#path, { lockPatienceMs: LOCK_PATIENCE_MS })
    await frontier.open({ name: 'torture', hostKeying: 'host' }, this.job.startAt)
    for (const row of rows) await frontier.add(row)
    await frontier.close()
  }

  /** A sink refuses an item, and gets it again. */
  async #refused(): Promise<void> {
    const frontier = sqlite(this.#path, { lockPatienceMs: LOCK_PATIENCE_MS })
    await frontier.open({ name: 'torture', hostKeying: 'host' }, this.job.startAt)
    try {
      const { reader } = frontier
      const [item] = await reader.items({ afterSeq: 0, limit: 1 })
      if (item === undefined) return
      const { requestId, visit = 0, ordinal } = item
      await frontier.rejects.setAside([{ source: 'pg', requestId, visit, ordinal, reason: 'too long', at: 1 }])
      const refused = await reader.rejects({ source: 'pg', limit: 9 })
      await frontier.rejects.forget(refused.map(({ id }) => id))
    } finally {
      await frontier.close()
    }
  }
}

function requests(from: number, count: number): NewRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index
    const url = `http://many.test/${String(n)}`
    const fingerprint = hash('sha1', url, 'binary').slice(0, 16) as Fingerprint
    return { fingerprint, hostKey: 'many.test', url, handler: 'start', depth: 0, priority: 0 }
  })
}
