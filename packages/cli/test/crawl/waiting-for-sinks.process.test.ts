// Control-C while only a sink is waited for, and the end of a run whose sink is behind.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli, spawnCli } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-waiting-'))
  site = await smallSite(2)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

async function sinkThat(write: string, drainMs: number, items = ''): Promise<void> {
  const spider = `{ name: 'shop', ${items} seeds: ['${site.url}'], handlers: { *start(page) { yield { url: page.url.href }; yield* page.links() } } }`
  await writeFile(
    join(folder, 'avocet.config.mjs'),
    `export default { drainMs: ${drainMs}, spider: ${spider}, sinks: [{ name: 'hook', write: ${write} }] }`,
  )
}

it('says which sink is waited for, and ends at the second press', { timeout: 60_000 }, async () => {
  await sinkThat(`() => new Promise((resolve) => setTimeout(resolve, 60_000))`, 20_000)
  let presses = 0

  const { code, stderr } = await spawnCli(['crawl', '--rate', 'none'], {
    folder,
    meanwhile: (child) => {
      const look = setInterval(() => {
        if (site.asked.length < 2) return
        if (++presses === 8 || presses === 11) child.kill('SIGINT')
        if (presses > 11) clearInterval(look)
      }, 250)
    },
  })

  expect(stderr).toContain('SIGINT: waiting for sinks, hook (2 items) behind, at most 20 s in all; press again to stop now')
  expect(stderr).not.toContain('requests in flight')
  expect(code).toBe(7)
})

it('ends a run whose sink is behind with a line that names it, and says once why', { timeout: 60_000 }, async () => {
  await sinkThat(`() => { throw new Error('the table is missing') }`, 2_000)

  const { code, stderr } = await runCli(['crawl', '--rate', 'none'], { folder })

  expect(code).toBe(7)
  expect(stderr).toContain(
    '\navocet: behind at the end: hook (2 items); run the same command again to write what is left; no page is requested again for that (AVO_SINK_BEHIND)\n',
  )
  const report = stderr.slice(stderr.indexOf('shop finished'))
  expect(report.split('the table is missing')).toHaveLength(2)
})

it('names the sink that is behind also where the exit code is that of something else', { timeout: 60_000 }, async () => {
  const validate = `(item) => item.url.endsWith('/') ? { issues: [{ message: 'no product' }] } : { value: item }`
  await sinkThat(
    `() => { throw new Error('down') }`,
    2_000,
    `items: { '~standard': { version: 1, vendor: 'mine', validate: ${validate} } },`,
  )

  const { code, stderr } = await runCli(['crawl', '--rate', 'none'], { folder })

  expect(code).toBe(11)
  expect(stderr).toContain('the schema refused 1 of 2 items')
  expect(stderr).toContain('\navocet: behind at the end: hook (1 item); run the same command again to write what is left')
})

it('does not send anybody to --fresh, which forgets the items, for what a sink lacks', { timeout: 60_000 }, async () => {
  await sinkThat(`() => { throw new Error('down') }`, 1_000)

  const { stderr } = await runCli(['crawl', '--rate', 'none', '--fresh'], { folder })

  expect(stderr).toContain(
    '\navocet: behind at the end: hook (2 items); run the same command again without --fresh to write what is left',
  )
})
