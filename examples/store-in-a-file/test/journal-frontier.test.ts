// Crawls that keep their state in a journal, and what a crash has cut off of it.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl } from 'avocet'
import { quotes, simulatedWeb, VirtualClock } from '@avocet/simulator'
import { expect, it, onTestFinished } from 'vitest'
import { journalFrontier } from '../journal-frontier.ts'
import titles from '../spider.ts'

it('goes on where the crawl before was, over a line that was cut off', async () => {
  const path = journalPath()
  const first = await crawlQuotes(path)
  appendFileSync(path, '["frontier","note",{"torn')

  const second = await crawlQuotes(path)

  expect(first).toEqual({ requests: 10, items: 10 })
  expect(second).toEqual({ requests: 0, items: 10 })
  expect(readFileSync(path, 'utf8')).not.toContain('torn')
})

it('refuses a file that is no journal, and leaves it as it is', async () => {
  const path = journalPath()
  writeFileSync(path, 'my notes')

  const opened = journalFrontier(path).open({ name: 'quotes', hostKeying: 'host' }, 0)

  await expect(opened).rejects.toMatchObject({ code: 'AVO_FRONTIER_SPEC' })
  expect(readFileSync(path, 'utf8')).toBe('my notes')
})

function journalPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-journal-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'crawl.jsonl')
}

/** Requests of this run, and items of all. */
async function crawlQuotes(path: string): Promise<{ requests: number; items: number }> {
  const clock = new VirtualClock()
  const model = quotes()
  const web = simulatedWeb(model, { clock })
  const spider = { ...titles, seeds: model.seeds() }
  const run = crawl({ spider, frontier: journalFrontier(path), policies: [], clock, fetcher: web })
  await clock.run(() => run.run())
  let items = 0
  for await (const _ of run.items()) items++
  return { requests: web.felt('quotes.test').requests, items }
}
