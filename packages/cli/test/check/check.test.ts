// `avocet check`: whether a crawl would run, without crawling.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'

let folder: string
let site: SmallSite

beforeAll(async () => {
  site = await smallSite(10, 0, 'User-agent: *\nDisallow: /secret\n')
})
afterAll(() => site.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-check-'))
})
afterEach(() => rm(folder, { recursive: true }))

const file = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
const check = (...words: string[]): Promise<CliRun> => runCli(['check', ...words], { folder })

/** The lines, blanks folded. */
function lines({ stdout }: CliRun): readonly string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' '))
}

/** A spider with the seeds and handlers of this text, and a configuration that names it and a contact. */
async function project(seeds: string, handlers = '*start() {}', more = ''): Promise<void> {
  await file('quotes.ts', `export default { name: 'quotes', seeds: [${seeds}], handlers: { ${handlers} } }`)
  const config = `import spider from './quotes.ts'\nexport default { spider, userAgent: 'quotes (+https://quotes.example/bot)', ${more} }`
  await file('avocet.config.ts', config)
}

describe('avocet check', () => {
  it('says of a sound project that all is well, asks for robots.txt alone, and leaves nothing behind', async () => {
    await project(`'${site.url}'`)

    const run = await check()

    expect(lines(run)).toEqual([
      'ok config avocet.config.ts',
      'ok agent quotes (+https://quotes.example/bot)',
      'ok spider quotes, from avocet.config.ts',
      'ok seeds 1 looked at',
      expect.stringMatching(/^ok policies robots, rate \(aimd\), breaker, timeouts \(adaptive-timeout\), retry/),
      'ok store .avocet/quotes.db: can be made',
      expect.stringMatching(/^(ok|warn) disk .*free/),
      'ok robots 1 seed allowed',
    ])
    expect(run.code).toBe(0)
    expect(site.asked).toEqual([])
    expect((await readdir(folder)).toSorted()).toEqual(['avocet.config.ts', 'quotes.ts'])
  })

  it('accepts a rule for a handler of the spider, as a crawl does', async () => {
    const handlers = "*start(page) { yield* page.links({ handler: 'product' }) }, *product() {}"
    await project(`'${site.url}'`, handlers, "recrawl: [{ everyMs: 3_600_000, match: 'product' }]")

    const run = await check()

    expect(lines(run).at(-1)).toBe('ok robots 1 seed allowed')
    expect([run.code, run.stderr]).toEqual([0, ''])
  })

  it.each([[[]], [['quotes']], [['quotes.ts']], [['--config', 'avocet.config.ts']]])(
    'of %j runs no file but the configuration and the spider, whatever their texts say',
    async (words) => {
      await project(`'${site.url}'`)
      const text = "const text = `\nexport default spider({ name: 'quotes' })`\nexport default text"
      await file('tool.ts', `import { writeFileSync } from 'node:fs'\nwriteFileSync('${join(folder, 'ran')}', '')\n${text}`)

      const run = await check('--offline', ...words)

      expect(run.stdout).toMatch(/^ok {4}config/m)
      expect(await readdir(folder)).not.toContain('ran')
    },
  )

  it('warns of hosts that are dead while others can be crawled, and fails for them with --strict', async () => {
    await project(`'${site.url}', 'http://no-such-name.invalid/', 'http://127.0.0.1:39998/'`)

    const run = await check()
    const strict = await check('--strict')

    expect(run.stdout).toMatch(/^warn +robots +no-such-name\.invalid: .*AVO_DNS_NOT_FOUND/m)
    expect(run.stdout).toMatch(/^warn +robots +127\.0\.0\.1:39998: /m)
    expect(run.stdout).not.toContain('FAIL')
    expect([run.code, strict.code, strict.stderr]).toEqual([0, 4, '2 problems found\n'])
  })

  it('fails for a seed that robots.txt forbids and a name that does not resolve, with 4', async () => {
    await project(`'${site.url}secret/a', 'http://no-such-name.invalid/'`)

    const run = await check()

    expect(run.stdout).toMatch(/^FAIL +robots +no-such-name\.invalid: .*AVO_DNS_NOT_FOUND/m)
    expect(run.stdout).toContain(`robots.txt forbids the seed ${site.url}secret/a; take it out`)
    expect(run.stderr).toBe('2 problems found\n')
    expect(run.code).toBe(4)
    expect(site.asked).toEqual([])
  })

  it.each([
    [`nameServers: ['ns.example']`, 'expected nameServers to be IP addresses'],
    [`nameServers: ['192.0.2.53'], resolver: 'system'`, 'expected nameServers to be left out'],
    [`nameServers: ['192.0.2.53'], fetcher: { fetch() {}, close() {} }`, 'expected either a fetcher'],
  ])('fails for %s', async (more, problem) => {
    await project(`'${site.url}'`, '*start() {}', more)

    const run = await check()

    expect(run.stdout.replace(/\s+/g, ' ')).toContain(`FAIL config ${problem}`)
    expect(run.code).toBe(4)
  })

  it('fails for a sink of changes where the spider watches no items', async () => {
    await project(`'${site.url}'`, '*start() {}', "sinks: [{ name: 'prices', changes: true, write() {} }]")

    const run = await check('--offline')

    expect(run.stdout.replace(/\s+/g, ' ')).toContain('FAIL config expected spider quotes to watch items')
    expect([run.code, run.stderr]).toEqual([4, '1 problem found\n'])
  })

  it('resolves names as the crawl would', async () => {
    await project(`'http://shop.test/'`, '*start() {}', `nameServers: ['127.0.0.1:1']`)

    const run = await check()

    expect(run.stdout).toMatch(/^FAIL +robots +shop\.test: robots\.txt unreachable \(AVO_DNS_FAILED\)/m)
  })

  it('fails for a host whose robots.txt cannot be had: a crawl would wait for it', async () => {
    const gone = await smallSite(1)
    gone.close()
    const run = await check(gone.url)
    expect(run.stdout).toMatch(/^FAIL +robots +127\.0\.0\.1:\d+: robots\.txt unreachable \(AVO_CONNECT_REFUSED\)/m)
    expect(run.code).toBe(4)
  })

  it('names the plugin that may serve a host of this machine once a crawl opens, as the practice site of a new project does', async () => {
    const gone = await smallSite(1)
    gone.close()
    const site = `{ name: 'practice-site', open() {} }`
    await project(`'${gone.url}'`, '*start() {}', `plugins: [${site}, { name: 'alarm' }]`)
    const run = await check()
    expect(lines(run).join(' ')).toMatch(
      /warn robots 127\.0\.0\.1:\d+: nothing answers \(AVO_CONNECT_REFUSED\); a crawl opens practice-site first, which may serve it$/,
    )
    expect(run.code).toBe(0)
  })

  it('goes by the options of hosts, as the crawl would', async () => {
    await project(`'${site.url}secret/a'`, '*start() {}', "hosts: { '*': { ignoreRobots: true } }")
    expect(lines(await check())).toContain('ok robots 1 seed allowed')
  })

  it('reads no robots.txt of a host that is closed, and finds no fault in that', async () => {
    const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
    await project(`'${site.url}a'`, '*start() {}', `hosts: { '*': { between: ['${at(2)}', '${at(3)}'], timeZone: 'UTC' } }`)
    const run = await check()

    expect(lines(run).join(' ')).toMatch(/ok robots 127\.0\.0\.1:\d+: not looked at now; visited from \S+ to \S+ UTC$/)
    expect(run.code).toBe(0)
  })

  it('finds no fault in hosts that wait for their turn under a shared limit', async () => {
    const hosts = ['a', 'b'].map((name) => site.url.replace('127.0.0.1', `${name}.localhost`))
    const limits = "limits: [{ match: '*.localhost', maxRps: 0.01 }], hosts: { '*': { allowPrivate: true } }"
    await project(hosts.map((url) => `'${url}'`).join(', '), '*start() {}', limits)
    const run = await check()

    expect(lines(run).join(' ')).toMatch(
      /ok robots \w\.localhost:\d+: not looked at now; limits: \*\.localhost: its (?:pace|turn)/,
    )
    expect(run.code).toBe(0)
  })

  it('warns of intervals that are likely meant in seconds', async () => {
    await project(`'${site.url}'`, '*start() {}', 'recrawl: [{ everyMs: 3_600_000, match: /x/ }, { everyMs: 60 }]')

    expect(lines(await check('--offline')).filter((line) => line.includes('recrawl'))).toEqual([
      'warn config recrawl[1].everyMs: 60 ms between two visits of a page; a minute is 60_000',
    ])
  })

  it('names every wrong option of a configuration, and every wrong part of its spider, in one run', async () => {
    const spider = "{ name: 'a b', seeds: ['http://127.0.0.1:39999/'], handlers: { start: 3 }, scope: { maxDepth: -1 } }"
    await file('avocet.config.ts', `export default { concurrency: 0, conccurrency: 3, maxPages: 0.5, spider: ${spider} }`)
    const run = await check('--offline')

    expect(run.code).toBe(4)
    expect(run.stdout.match(/^FAIL .*/gm)).toHaveLength(6)
    const said = run.stdout.replace(/\s+/g, ' ')
    for (const part of [
      'concurrency to be',
      "'conccurrency'",
      'maxPages',
      'expected name',
      "handlers['start']",
      'scope.maxDepth',
    ])
      expect(said).toContain(part)
  })

  it.each([
    ['a configuration with an unknown key', 'export default { conccurrency: 3 }', /^FAIL +config .*did you mean 'concurrency'/m],
    [
      'a number out of range',
      "export default { concurrency: 0, spider: { name: 'x', seeds: ['http://127.0.0.1:39999/'], handlers: { *start() {} } } }",
      /^FAIL +config .*expected concurrency to be a whole number/m,
    ],
    [
      'a plugin with an unknown hook',
      "export default { plugins: [{ name: 'own', onRespons() {} }], spider: { name: 'x', seeds: ['http://127.0.0.1:39999/'], handlers: { *start() {} } } }",
      /^FAIL +plugins .*onRespons/m,
    ],
    ['no spider at all', 'export default {}', /^FAIL +spider +none; name one: /m],
    [
      'a spider without seeds',
      "export default { spider: { name: 'x', seeds: [], handlers: { *start() {} } } }",
      /^FAIL +seeds +spider x has no seeds/m,
    ],
  ])('fails for %s, in one line', async (_what, text, pattern) => {
    await file('avocet.config.ts', text)
    const run = await check('--offline')
    expect(run.stdout).toMatch(pattern)
    expect(run.code).toBe(4)
  })

  it.each([
    ["'http://127.0.0.1:6667/'", 'has port 6667, which belongs to another protocol than HTTP'],
    ["{ url: 'http://127.0.0.1:39999/', body: 3 }", 'expected body to be a text, got 3'],
    ["{ url: 'http://127.0.0.1:39999/', data: new Date() }", 'expected data to be plain data'],
    ["{ url: 'http://127.0.0.1:39999/', handler: 'none' }", 'names the handler none, which spider quotes does not have'],
    ['null', 'expected every seed to be an absolute http(s) URL, got null'],
  ])('fails for the seed %s, as the crawl does', async (seed, said) => {
    await project(seed)

    const [checked, crawled] = [await check('--offline'), await runCli(['crawl', '--yes'], { folder })]

    expect(lines(checked).find((line) => line.startsWith('FAIL'))).toMatch(/^FAIL seeds /)
    expect(lines(checked).join(' ')).toContain(said)
    expect(crawled.stderr).toContain(said)
    expect([checked.code, crawled.code]).toEqual([4, 3])
  })

  it.each([
    ['seeds() { return readFileSync("none.txt", "utf8").split("\\n") }', 'ENOENT'],
    ["async *seeds() { yield 'http://127.0.0.1:39999/'; throw new Error('no database') }", 'no database'],
  ])('fails for %s, as the crawl does', async (seeds, cause) => {
    await file(
      'lost.mjs',
      `import { readFileSync } from 'node:fs'\nexport default { name: 'lost', ${seeds}, handlers: { *start() {} } }`,
    )

    const [checked, crawled] = [await check('lost.mjs', '--offline'), await runCli(['crawl', 'lost.mjs', '--yes'], { folder })]

    expect(checked.stdout.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`FAIL seeds the seeds of spider lost threw: ${cause}.*AVO_SEED_INVALID`),
    )
    expect(crawled.stderr).toContain(`the seeds of spider lost threw: ${cause}`)
    expect([checked.code, crawled.code]).toEqual([4, 3])
  })

  it('warns of a user agent that names no contact', async () => {
    const run = await check('--offline', site.url, '--user-agent', 'me')
    expect(run.stdout).toMatch(/^warn +agent +'me' names no contact; add your name and a contact/m)
    expect(run.code).toBe(0)
  })

  it('fails for a store that is none, and warns of one that another process crawls', async () => {
    await file('text.db', 'a text')
    expect((await check('--offline', site.url, '--store', 'text.db')).stdout).toMatch(
      /^FAIL +store +text\.db: expected an Avocet store/m,
    )
    expect((await check('--offline', site.url, '--store', 'text.db/in.db')).stdout).toMatch(/^FAIL +store .*(ENOTDIR|EEXIST)/m)

    const frontier = sqlite(join(folder, 'held.db'))
    await frontier.open({ name: 'held', hostKeying: 'host' }, 0)
    const run = await check('--offline', site.url, '--store', 'held.db')
    await frontier.close()
    expect(run.stdout).toMatch(/^warn +store +held\.db: 0 known, 0 waiting; 1 process crawls it now/m)
    expect(run.code).toBe(0)
  })

  it('says whether the hosts of the store can keep the rounds, by their pages and the rates that were found', async () => {
    await project(`'${site.url}'`, "*start(page) { yield* page.links('a') }", 'recrawl: [{ everyMs: 3_600_000 }]')
    await runCli(['crawl', '--max-time', '3s'], { folder })

    const hourly = lines(await check('--offline'))
    const often = lines(await check('--offline', '--every', '1s'))

    expect(hourly).toContain('ok rounds every 1 h: 1 host can keep them at the rates that were found')
    expect(often.join('\n')).toMatch(/warn rounds \S+: 10 pages at .* take .*, and are to be visited every 1.0 s/)
  })

  it('fails for a store whose hosts are named in another way, as the crawl does', async () => {
    await project(`'${site.url}'`, '*start() {}', `hostKeying: 'domain'`)
    const frontier = sqlite(join(folder, 'held.db'))
    await frontier.open({ name: 'quotes', hostKeying: 'host' }, 0)
    await frontier.close()

    const run = await check('--offline', '--store', 'held.db')

    expect(run.stdout.replace(/\s+/g, ' ')).toMatch(
      /FAIL store held\.db: expected URLs by \S+ and hosts by host, got \S+ and domain; use the old options/,
    )
    expect(run.code).toBe(4)
  })

  it('prints one JSON document', async () => {
    const run = await check('--offline', site.url, '--json')
    expect(JSON.parse(run.stdout)).toMatchObject({
      schema: 1,
      ok: true,
      findings: [{ subject: 'config', state: 'ok' }, { subject: 'agent', state: 'warn' }, {}, {}, {}, {}, {}],
    })
    expect(run.stderr).toBe('')
  })
})
