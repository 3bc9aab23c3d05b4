// The store is removed while a crawl runs: real processes on a real file.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'
import { smallSite } from '../small-site.ts'

it('a crawl whose store is removed stops within seconds, with 7, one error, the items it has, and no advice to go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-removed-'))
  const site = await smallSite(1_000, 100)
  onTestFinished(async () => {
    site.close()
    await rm(folder, { recursive: true })
  })
  let removedAt = Infinity
  const watch = setInterval(() => {
    if (site.asked.length < 20 || removedAt < Infinity) return
    removedAt = performance.now()
    void Promise.all(['', '-wal', '-shm'].map((end) => rm(join(folder, `crawl.db${end}`), { force: true })))
  }, 5)
  const words = [
    'crawl',
    site.url,
    '--rate',
    'fixed',
    '--delay',
    '0',
    '--max-per-host',
    '4',
    '--store',
    'crawl.db',
    '-O',
    'out.jsonl',
    '--json',
  ]
  const run = await runCli(words, { folder })
  clearInterval(watch)

  expect(performance.now() - removedAt).toBeLessThan(8_000)
  expect(run.code).toBe(7)
  expect(run.stderr.match(/^avocet: /gm)).toHaveLength(1)
  expect(run.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /expected the store that was opened, got nothing there.*\(AVO_FRONTIER_MISSING\)/,
  )
  expect(run.stderr).not.toContain('run the same command again')
  const report = JSON.parse(run.stdout) as { counts: { items: number } }
  expect(report.counts.items).toBeGreaterThanOrEqual(10)
  expect((await readFile(join(folder, 'out.jsonl'), 'utf8')).trimEnd().split('\n')).toHaveLength(report.counts.items)
})
