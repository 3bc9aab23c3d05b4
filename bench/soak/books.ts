// Holds the store to its books: what is counted is there, nothing that exists is settled for good, and it grows with pages alone.
import type { Counts, FrontierReader, RequestRecord } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { momentOf, type Findings } from './findings.ts'
import type { PageLife } from './page-life.ts'

const PAGE = 1_000
/** Memory at rest of one host, as JSON. */
const MOST_MEMORY = 16_384
/** Requests that a shop has beyond its pages: where it says that it will be back soon, from both handlers. */
const OTHERS_A_SHOP = 2

/** Looks at a store that nobody is writing to at this moment. */
export class Books {
  readonly #pages: ReadonlyMap<string, PageLife>
  readonly #findings: Findings
  readonly #lost = new Set<string>()
  counts: Counts | undefined

  constructor(pages: ReadonlyMap<string, PageLife>, findings: Findings) {
    this.#pages = pages
    this.#findings = findings
  }

  async endOfDay(reader: FrontierReader, nowMs: number, status: CrawlStatus | undefined): Promise<void> {
    const counts = await reader.counts()
    this.counts = counts
    const { known, waiting, done, moved, failed, items } = counts
    const at = momentOf(nowMs)
    const tell = (about: string, example: string): void => this.#findings.add('books', about, `${at}: ${example}`)
    if (known !== waiting + done + moved + failed) tell('known = waiting + done + moved + failed', JSON.stringify(counts))
    if (status !== undefined) {
      const told = { known: status.known, waiting: status.waiting, settled: status.settled, items: status.items }
      const there = { known, waiting, settled: done + moved + failed, items }
      if (JSON.stringify(told) !== JSON.stringify(there))
        tell('the status says what the store says', `${JSON.stringify(told)} and ${JSON.stringify(there)}`)
    }
    await this.#requests(reader, nowMs, counts)
    await this.#hosts(reader, at)
  }

  async #requests(reader: FrontierReader, nowMs: number, counts: Counts): Promise<void> {
    let rows = 0
    let others = 0
    const seen = new Set<string>()
    for await (const record of requestsOf(reader)) {
      rows++
      const page = this.#pages.get(record.url)
      if (page === undefined) others++
      else this.#page(record, page, nowMs)
      // A page that two handlers lead to is two requests.
      const key = `${record.handler} ${record.url}`
      if (seen.has(key)) this.#findings.add('books', 'one request a URL and handler', key)
      seen.add(key)
    }
    if (rows !== counts.known)
      this.#findings.add('books', 'as many requests as are known', `${String(rows)} rows, ${String(counts.known)} known`)
    const shops = new Set([...this.#pages.values()].map(({ host }) => host)).size
    if (others > shops * OTHERS_A_SHOP)
      this.#findings.add('growth', 'requests of no page', `${String(others)} at ${String(shops)} shops`)
  }

  /** No page that exists is given up for good. */
  #page({ url, state, notBefore, reason, status }: RequestRecord, page: PageLife, nowMs: number): void {
    if (state === 'waiting' || notBefore !== undefined || nowMs >= page.untilMs || this.#lost.has(url)) return
    this.#lost.add(url)
    const why = reason ?? (status === undefined ? state : `status ${String(status)}`)
    this.#findings.add(
      'lost',
      `${state} for good: ${why}`,
      `${url}: seen ${momentOf(nowMs)}, last visit ${momentOf(page.servedMs)}`,
    )
  }

  async #hosts(reader: FrontierReader, at: string): Promise<void> {
    for (let afterHostKey = ''; ;) {
      const page = await reader.hosts({ afterHostKey, limit: PAGE })
      for (const { hostKey, memory } of page) {
        const bytes = Object.entries(memory).reduce((sum, [part, json]) => sum + part.length + json.length, 0)
        if (bytes > MOST_MEMORY)
          this.#findings.add('growth', 'memory of a host', `${hostKey}: ${String(bytes)} characters at ${at}`)
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      afterHostKey = last.hostKey
    }
  }
}

async function* requestsOf(reader: FrontierReader): AsyncGenerator<RequestRecord> {
  for (let afterId = 0; ;) {
    const page = await reader.requests({ afterId, limit: PAGE })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    afterId = last.id
  }
}
