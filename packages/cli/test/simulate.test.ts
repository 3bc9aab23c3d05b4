// `avocet simulate`: what is planned, what comes out, and that it comes out the same each time.
import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { activePlugins } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { siteModel, twelveHosts, type HostSpec, type SiteModel } from '@avocet/simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { simulateOptionsOf } from '../../dev/src/simulate/command.ts'
import { planSimulation, type SimulateOptions } from '../../dev/src/simulate/plan.ts'
import { simulationProgressLine, resultLines, worldOf } from '../../dev/src/simulate/simulate.ts'
import type { Result } from '../../dev/src/simulate/result.ts'
import { runSimulation } from '../../dev/src/simulate/run-simulation.ts'
import { crawlStatus } from './crawl/crawl-status.ts'
import { runCli } from './run-cli.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-simulate-'))
})
afterEach(() => rm(folder, { recursive: true }))

function file(name: string, text: string): Promise<void> {
  return writeFile(join(folder, name), text)
}

const options = (typed: object): SimulateOptions => simulateOptionsOf({ web: 'shops', ...typed })

async function simulated(model: SiteModel, { hours = 1, seed = 'a', plugins = polite() } = {}): Promise<Result> {
  const config = { ...(await planSimulation(options({}), model, { folder, stderr: process.stderr })), plugins }
  return runSimulation({ name: 'test', model, config, hours, seed }, () => undefined)
}

const bucket: HostSpec = {
  name: 'bucket.test',
  pages: { kind: 'list', pages: 120 },
  latency: { law: 'fixed', ms: 100 },
  capacity: { law: 'bucket', perSecond: 2, burst: 1 },
}

describe('a simulation', () => {
  it('gets every page of hosts that live, asks dead ones little, and parks no slot', async () => {
    const result = await simulated(twelveHosts())

    expect(result).toMatchObject({
      schema: 1,
      slots: 100,
      policies: ['robots', 'aimd', 'breaker', 'adaptive-timeout', 'retry'],
      ended: 'given-up',
      pages: 500,
      live: { waiting: 0, failed: 0 },
      refused: 0,
      banned: 0,
      deadHosts: 2,
      falseTimeouts: 0,
      slotSeconds: { refused: 0, banned: 0, parked: 0 },
      rates: null,
      problems: [],
    })
    expect(result.deadRequests).toBeLessThanOrEqual(6)
    expect(result.oracle?.times).toBeGreaterThanOrEqual(1)
  })

  it('compares the rate that was found with the one that the host serves', async () => {
    const { rates, refused, requests, refusedMost } = await simulated(siteModel({ seed: 'b', hosts: [bucket] }))

    expect(rates?.hosts).toBe(1)
    expect(rates?.median).toBeGreaterThan(0.5)
    expect(rates?.median).toBeLessThan(1.5)
    expect(refusedMost).toEqual([{ host: 'bucket.test', requests, refused }])
  })

  it('ends at its last hour, and then knows no end of the crawl', async () => {
    const result = await simulated(siteModel({ seed: 'c', hosts: [bucket] }), { hours: 0.005 })

    expect(result).toMatchObject({ ended: 'limit', elapsedMs: 18_000, makespanMs: null, oracle: null })
    expect(result.live.waiting).toBe(120 - result.pages)
  })

  it('comes out the same for the same seed, to the byte', async () => {
    const model = (): SiteModel =>
      siteModel({
        seed: 'd',
        hosts: [bucket, { ...bucket, name: 'flapping.test', flapping: { style: 'reset', periodMs: 8_000, downRatio: 0.3 } }],
      })
    const [first, again, other] = [await simulated(model()), await simulated(model()), await simulated(model(), { seed: 'b' })]

    expect(JSON.stringify(again)).toBe(JSON.stringify(first))
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(first))
  })
})

describe('its lines', () => {
  it('fit a screen, and leave out what there is nothing to say of', async () => {
    const lines = resultLines(await simulated(twelveHosts()))

    expect(lines[0]).toBe('test, seed a, 100 slots: robots, aimd, breaker, adaptive-timeout, retry')
    expect(lines.map((line) => line.slice(2, 17).trim()).slice(1)).toEqual([
      'pages',
      'last page',
      'requests',
      'slot time',
      'false timeouts',
      'dead hosts',
      'bans',
    ])
    expect(lines[2]).toMatch(/^ {2}last page +after .* s, \d+\.\d\d times the .* of a client that knows all limits$/)
  })

  it('write shares as every report does, and no decimals of one that needs none', async () => {
    const text = resultLines(await simulated(twelveHosts())).join('\n')

    expect(text.match(/[\d.]+ %/g)?.filter((share) => !/^(?:0|0\.\d\d|\d\.\d|\d{2,}) %$/.test(share))).toEqual([])
  })

  it('say meanwhile how far it is', () => {
    const status = crawlStatus()
    expect(simulationProgressLine({ elapsedMs: 4_800_000, status }, 1_000)).toBe(
      '1 h 20 min: 1,204 pages, 1,230 requests per second, 4,800 × real time',
    )
  })
})

describe('what is simulated', () => {
  const model = siteModel({ seed: 'plan', hosts: [bucket] })

  it('is a spider that follows every link, from the seeds of the web, under polite()', async () => {
    const { spider, policies, plugins } = await planSimulation(options({}), model, { folder, stderr: process.stderr })

    expect(spider.name).toBe('simulation')
    expect(spider.seeds).toEqual(model.seeds())
    expect(activePlugins({ policies, plugins })).toHaveLength(6)
  })

  it("is one's own spider: with its own seeds when they lie in the web, else with those of the web", async () => {
    await file('in.ts', "export default { name: 'in', seeds: ['http://bucket.test/p/1'], handlers: { *start() {} } }")
    await file(
      'out.ts',
      "export default ({ n }) => ({ name: n, seeds: function* () { yield { url: 'https://shop.example/' } }, handlers: { *start() {} } })",
    )

    expect((await planSimulation(options({ target: 'in.ts' }), model, { folder, stderr: process.stderr })).spider.seeds).toEqual([
      'http://bucket.test/p/1',
    ])
    const { spider } = await planSimulation(options({ target: 'out.ts', a: 'n=x' }), model, { folder, stderr: process.stderr })
    expect([spider.name, spider.seeds]).toEqual(['x', model.seeds()])
  })

  it('is a configuration: the nearest, or the one that is named, with its plugins', async () => {
    await file('avocet.config.ts', 'export default { concurrency: 7 }')
    await file('other.ts', "export default { plugins: [{ name: 'own' }], concurrency: 8 }")

    expect(await planSimulation(options({}), model, { folder, stderr: process.stderr })).toMatchObject({ concurrency: 7 })
    expect(await planSimulation(options({ concurrency: '9' }), model, { folder, stderr: process.stderr })).toMatchObject({
      concurrency: 9,
    })
    expect(await planSimulation(options({ target: 'other.ts' }), model, { folder, stderr: process.stderr })).toMatchObject({
      concurrency: 8,
      plugins: [{ name: 'own' }, { name: 'journal' }],
    })
  })

  it('is a web by its name, or in a file', async () => {
    await file('web.json', JSON.stringify({ seed: 'f', hosts: [bucket] }))
    await file('broken.json', '{ "seed": 7 }')

    expect((await worldOf('twelve-hosts', folder)).hosts).toHaveLength(12)
    expect((await worldOf('web.json', folder)).hosts).toEqual([bucket])
    await expect(worldOf('broken.json', folder)).rejects.toMatchObject({ code: 'AVO_CONFIG_INVALID' })
    await expect(worldOf('none.json', folder)).rejects.toMatchObject({ code: 'AVO_USAGE' })
    await expect(worldOf('eight-hundert', folder)).rejects.toThrow("got 'eight-hundert' (did you mean 'eight-hundred'?)")
  })
})

describe('avocet simulate', () => {
  it('looks no name up, whatever the configuration says of name servers', async () => {
    await file('avocet.config.ts', `export default { nameServers: ['127.0.0.1:1'] }`)
    expect((await runCli(['simulate', '--web', 'quotes', '--json'], { folder })).code).toBe(0)
  })

  it('runs no plugin that has effects outside the crawl, or may have, and says which and what to write', async () => {
    const saves = (name: string, key: string): string =>
      `{ name: '${name}', ${key} onItem(item) { appendFileSync(new URL('${name}.txt', import.meta.url), 'x'); return item } }`
    await file(
      'avocet.config.mjs',
      `import { appendFileSync } from 'node:fs'
      const spider = { name: 's', seeds: ['https://shop.example/'], handlers: { *start(page) { yield { url: page.url.href } } } }
      const opens = { name: 'opens', open() { appendFileSync(new URL('opens.txt', import.meta.url), 'x') }, close() { appendFileSync(new URL('opens.txt', import.meta.url), 'x') } }
      const alerts = { name: 'alerts', outsideEffects: true, onDiscover() { appendFileSync(new URL('alerts.txt', import.meta.url), 'x') } }
      const rule = { name: 'rule', onDiscover() {} }
      export default { spider, plugins: [${saves('silent', '')}, ${saves('pure', 'outsideEffects: false,')}, opens, alerts, rule] }`,
    )
    const config = ['--config', 'avocet.config.mjs']

    const { code, stdout, stderr } = await runCli(['simulate', '--web', 'quotes', '--json', ...config], { folder })

    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      'left out of the simulation: silent, opens, alerts, rule; if a plugin does nothing outside the crawl, write outsideEffects: false in it',
    ])
    expect((JSON.parse(stdout) as Result).leftOut).toEqual(['silent', 'opens', 'alerts', 'rule'])
    expect(readdirSync(folder).filter((name) => name.endsWith('.txt'))).toEqual(['pure.txt'])
  })

  it('prints the result to stdout and its speed to stderr, and --json the same bytes twice', async () => {
    const shown = await runCli(['simulate', '--web', 'quotes'], { folder })
    const [first, again] = [
      await runCli(['simulate', '--web', 'quotes', '--json'], { folder }),
      await runCli(['simulate', '--web', 'quotes', '--json'], { folder }),
    ]

    expect(shown.stdout).toMatch(/^quotes, seed avocet, 100 slots: .*\n {2}pages +10 \(/)
    expect(shown.stderr).toMatch(/^simulated 11 requests in .*\n$/)
    expect(JSON.parse(first.stdout)).toMatchObject({ schema: 1, web: 'quotes', pages: 10 })
    expect(again.stdout).toBe(first.stdout)
    expect([shown, first, again].map(({ code }) => code)).toEqual([0, 0, 0])
  })

  it('names the webs with --list', async () => {
    const { stdout, code } = await runCli(['simulate', '--list'], { folder })
    expect(stdout).toContain('twelve-hosts')
    expect(stdout).toMatch(/^eight-hundred +800 hosts, about 16,000 pages, .* dead$/m)
    expect(code).toBe(0)
  })

  it.each([
    [['--web', 'nowhere-at-all'], 2, "--web: expected the name of a web or a .json file, got 'nowhere-at-all'"],
    [[], 2, 'simulate: expected --web NAME, got none'],
    [['--web', 'quotes', '--hours', 'all'], 2, "--hours: expected a number above 0 such as 0.5 or 20, got 'all'"],
    [['--web', 'quotes', 'no-spider.ts'], 3, 'no-spider.ts, found none; check the path (AVO_SPIDER_LOAD)'],
  ])('answers %j in one line', async (words, code, message) => {
    const run = await runCli(['simulate', ...words], { folder })
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toContain(message)
  })
})
