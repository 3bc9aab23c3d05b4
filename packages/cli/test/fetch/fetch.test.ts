// `avocet fetch`: one page as a crawl would ask for it, what is printed of it, and what keeps it from a handler.
import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { robotsRule } from '../../../dev/src/fetch/visit-report.ts'
import { problemOf } from '../../../dev/src/fetch/visit-outcome.ts'
import { explainLines } from '../../../dev/src/fetch/fetch.ts'
import { runCli, type CliRun } from '../run-cli.ts'

const ROBOTS = 'User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: picky\nDisallow: /\n'
const BYTES = Buffer.from([0x89, 0x50, 0x00, 0xff, 0x0a, 0x0d])

const asked: { readonly path: string; readonly headers: Readonly<Record<string, unknown>> }[] = []

/** Status, header fields and body by path. */
const ANSWERS: Readonly<Record<string, readonly [number, Readonly<Record<string, string>>, string | Buffer]>> = {
  '/robots.txt': [200, {}, ROBOTS],
  '/old': [301, { location: '/new' }, ''],
  '/gone': [404, { 'content-type': 'text/html' }, '<h1>gone</h1>'],
  '/busy': [429, { 'retry-after': '120' }, 'busy'],
  '/bytes': [200, { 'content-type': 'image/png' }, BYTES],
}

const answer: RequestListener = ({ url: path = '/', headers, socket }, response) => {
  asked.push({ path, headers })
  if (path === '/reset') {
    socket.destroy()
    return
  }
  const page = gzipSync(Buffer.from(`<title>caf\u00e9 ${path}</title>`, 'latin1'))
  const fields = { 'content-type': 'text/html; charset=iso-8859-1', 'content-encoding': 'gzip' }
  const [status, own, body] = ANSWERS[path] ?? [200, fields, page]
  if (body === page) response.setHeader('set-cookie', ['a=1', 'b=2'])
  response.writeHead(status, own).end(body)
}

let folder: string
let site: string
const server = createServer(answer)

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-fetch-'))
  asked.length = 0
})
afterEach(() => rm(folder, { recursive: true }))

function fetchPage(path: string, ...words: string[]): Promise<CliRun> {
  return runCli(['fetch', `${site}${path}`, ...words], { folder })
}

it('asks the name servers of the configuration', async () => {
  await writeFile(join(folder, 'avocet.config.ts'), `export default { nameServers: ['127.0.0.1:1'] }`)
  expect((await fetchPage('/a')).code).toBe(0)
  expect((await runCli(['fetch', 'http://shop.test/'], { folder })).stderr).toContain('ECONNREFUSED from 127.0.0.1:1')
})

describe('the body', () => {
  it('hides the secrets that were sent', async () => {
    const { stdout } = await fetchPage(
      '/',
      '--json',
      '--header',
      'Authorization: Bearer s3cret',
      '--header',
      'Accept-Language: de',
    )
    expect(stdout).not.toContain('s3cret')
    expect(JSON.parse(stdout)).toMatchObject({ sentHeaders: { authorization: '(hidden)', 'accept-language': 'de' } })
  })

  it('goes to standard output decoded from its coding and not from its charset, after robots.txt was requested', async () => {
    const { code, stdout, stderr } = await fetchPage('/page', '-o', 'page.html')

    expect((await readFile(join(folder, 'page.html'))).toString('latin1')).toBe('<title>café /page</title>')
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(asked.map(({ path }) => path)).toEqual(['/robots.txt', '/page'])
  })

  it('keeps every byte of what is no text', async () => {
    const document = JSON.parse((await fetchPage('/bytes', '--json')).stdout) as { bodyBase64: string }
    await fetchPage('/bytes', '-o', 'bytes.png')

    expect(Buffer.from(document.bodyBase64, 'base64')).toEqual(BYTES)
    expect(await readFile(join(folder, 'bytes.png'))).toEqual(BYTES)
  })

  it('comes after status line and header fields with --headers, each of several fields on a line', async () => {
    const { stdout } = await fetchPage('/gone', '--headers')
    const alone = await fetchPage('/page', '--headers', '-o', 'page.html')

    expect(stdout).toMatch(/^HTTP\/1\.1 404 Not Found\ncontent-type: text\/html\n[^<]*\n\n<h1>gone<\/h1>$/)
    expect(alone.stdout).toMatch(/^HTTP\/1\.1 200 OK\n(?:.*\n)*set-cookie: a=1\nset-cookie: b=2\n(?:.+\n)*$/)
  })
})

describe('what a crawl would do', () => {
  it('is done: the user agent, headers and options of the project', async () => {
    await writeFile(
      join(folder, 'avocet.config.ts'),
      "export default { userAgent: 'ours/2 (+https://example.org)', headers: { 'X-Key': '7' } }",
    )
    await fetchPage('/page')
    const named = await fetchPage('/page', '--user-agent', 'picky/1')

    expect(asked[1]?.headers).toMatchObject({ 'user-agent': 'ours/2 (+https://example.org)', 'x-key': '7' })
    expect(named.stderr).toMatch(/robots\.txt allows, got one that it does not \(Disallow: \/\)/)
  })

  it('is not to ask for what robots.txt does not allow: one line with the rule, and 6', async () => {
    const { code, stdout, stderr } = await fetchPage('/private/page')
    const own = await fetchPage('/private/page', '--ignore-robots')

    expect(stderr).toBe(
      'avocet: fetch: expected a page that robots.txt allows, got one that it does not (Disallow: /private); if the site is yours: --ignore-robots\n',
    )
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
    expect(own).toMatchObject({ code: 0, stderr: '' })
    expect(asked.map(({ path }) => path)).toEqual(['/robots.txt', '/private/page'])
  })

  it.each([
    ['/gone', 6, /got status 404; in a crawl: failed: retrying gives the same result/],
    ['/busy', 6, /got status 429; in a crawl: asked again in (?:2 min|1 min 5\d s)/],
    ['/reset', 6, /expected an answer, got AVO_CLOSED_EARLY: .*; in a crawl: asked again in /],
  ])('reports %s in one line, and the exit code is %i', async (path, code, line) => {
    const run = await fetchPage(path)

    expect(run.stderr).toMatch(line)
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run.code).toBe(code)
  })

  it('is not done twice: a person who looks at a page asks once', async () => {
    await fetchPage('/busy')

    expect(asked.map(({ path }) => path)).toEqual(['/robots.txt', '/busy'])
  })

  it('is reported when robots.txt cannot be had: nobody listens there', async () => {
    const run = await runCli(['fetch', 'http://127.42.9.9:48123/'], { folder })

    expect(run.stderr).toMatch(/expected http:\/\/127\.42\.9\.9:48123\/robots\.txt first, got AVO_CONNECT_REFUSED: .*again in /)
    expect(run.code).toBe(6)
  })
})

describe('the store of a crawl', () => {
  it('is gone by where one is named: what the crawl has learned of the host holds here too', async () => {
    await runCli(['crawl', `${site}/busy`, '--patience', '3s', '--store', 'busy.db'], { folder })
    asked.length = 0

    const held = await fetchPage('/page', '--store', 'busy.db')
    const missing = await fetchPage('/page', '--store', 'none.db')

    expect(held.stderr).toMatch(
      /got aimd: the host said until when to wait, for (?:2 min(?: \d+ s)?|1 min \d+ s); wait that long, or raise/,
    )
    expect(held.code).toBe(8)
    expect(missing.code).toBe(7)
    expect(asked).toEqual([])
  })
})

describe('--explain', () => {
  it('lists policies of your own as what they decide, and says the same of robots.txt in each line', async () => {
    const rules = `{ name: 'my-rules', policy: 'robots', beforeRequest(o) { if (o.exchange.request.url.endsWith('/no')) o.drop('robots') } }`
    const pace = `{ name: 'my-pace', policy: 'rate', explain: () => ({ paceMs: 5 }) }`
    await writeFile(join(folder, 'avocet.config.ts'), `export default { plugins: [${rules}, ${pace}] }`)

    const allowed = await fetchPage('/page', '--explain')
    const forbidden = await fetchPage('/no', '--explain')

    expect(allowed.stderr).toMatch(/^ +robots\.txt +allowed$/m)
    expect(allowed.stderr).toMatch(/^ +rate +pace 5 ms$/m)
    expect(forbidden.stderr).toMatch(/^ +robots\.txt +not allowed$/m)
    expect(forbidden.stderr).toMatch(/^ +in a crawl +failed without a request: robots.txt does not allow it$/m)
  })

  it('says what each policy decided, the way of the request and its phases, and leaves the body out', async () => {
    const { code, stdout, stderr } = await fetchPage('/old', '--explain')

    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    for (const line of [
      /^ {2}robots\.txt +allowed$/m,
      /^ {2}robots +http.* \(state rules, last 200, .*, rules 2\)$/m,
      /^ {2}rate +law harm-budget, found .* \/s, /m,
      /^ {2}breaker +state closed/m,
      /^ {2}timeouts +law quantile/m,
      /^ {2}limits +connect .*, first byte .*, pause in the body .*, total .*$/m,
      /^ {2}requests +http:.*\/robots\.txt {2}200 {2}\(connect .*, first byte .*, body .*\)$/m,
      /^ +http:.*\/old {2}301 to \/new {2}\(kept connection, /m,
      /^ +http:.*\/new {2}200 /m,
      /^ {2}answer +200, text\/html, windows-1252, \d+ B on the wire \(gzip\), 24 B decoded$/m,
      /^ {2}in a crawl +handed to its handler$/m,
    ]) {
      expect(stderr).toMatch(line)
    }
  })

  it('says which plugin holds the next request, for how long, and why', () => {
    const holds = [
      { by: 'aimd', why: 'its pace', until: 1_900 },
      { by: 'operator', why: 'paused', until: null },
    ]
    const lines = explainLines(
      {
        url: 'http://a.test/',
        finalUrl: 'http://a.test/',
        outcome: 'page',
        next: 'handed to its handler',
        hops: [],
        holds,
        policyOf: {},
        policies: {},
      },
      1_000,
    )

    expect(lines).toEqual([
      'http://a.test/',
      '  robots.txt  not obeyed: no policy for robots.txt',
      '  held by     aimd for 900 ms: its pace',
      '  held by     operator: paused',
      '  in a crawl  handed to its handler',
    ])
  })

  it('gives the same as one document with --json', async () => {
    const { stdout, stderr } = await fetchPage('/private/open', '--explain', '--json')

    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      outcome: 'page',
      robots: { allowed: true, rule: 'Allow: /private/open' },
      hops: [
        { for: 'plugin', status: 200 },
        { for: 'page', status: 200 },
      ],
      charset: 'windows-1252',
      policies: { breaker: { state: 'closed' } },
    })
    expect(JSON.parse(stdout)).not.toHaveProperty('body')
    expect(stderr).toBe('')
  })
})

describe('what is wrong', () => {
  it.each([
    [['shop.example'], 3, "did you mean 'https://shop.example'? (AVO_SEED_INVALID)"],
    [['http://a.test/', '--explian'], 2, "(did you mean '--explain'?)"],
    [['http://a.test/', '--json', '--headers'], 2, 'got --headers and --json'],
    [['http://a.test/', '--config', 'no.ts'], 3, 'expected a file at'],
  ])('with %j is said in one line, and the exit code is %i', async (words, code, line) => {
    const run = await runCli(['fetch', ...words], { folder })

    expect(run.stderr).toContain(line)
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(run.code).toBe(code)
  })
})

describe('the rule that decides', () => {
  const memory = {
    '#robots http://a.test':
      'User-agent: *\nDisallow: /\nAllow: /b*c$\nDisallow: /shop\nAllow: /shop\nDisallow: /*.pdf$\nSitemap: http://a.test/s',
  }

  it.each([
    ['http://a.test/x', 'Disallow: /'],
    ['http://a.test/b/d/c', 'Allow: /b*c$'],
    ['http://a.test/b/d/c/', 'Disallow: /'],
    ['http://a.test/shop/1', 'Allow: /shop'],
    ['http://a.test/shop.pdf', 'Disallow: /*.pdf$'],
    ['https://a.test/x', undefined],
  ])('of %s is %s', (url, line) => {
    expect(robotsRule(memory, url)?.line).toBe(line)
  })
})

describe('a page whose turn comes late', () => {
  it('says who holds it, why and for how long', () => {
    const held = { kind: 'held', by: 'robots', why: 'Crawl-delay of 90 s', until: 90_000 } as const

    expect(problemOf(held, { now: 0 })).toBe(
      'expected its turn within the patience, got robots: Crawl-delay of 90 s, for 1 min 30 s; wait that long, or raise --patience',
    )
  })
})

describe('the help', () => {
  it.each(['fetch', 'parse', 'shell'])('of %s begins with an example and fits one screen', async (command) => {
    const { stdout } = await runCli([command, '--help'], { folder })
    const lines = stdout.trimEnd().split('\n')

    expect(lines[0]).toMatch(new RegExp(`^avocet ${command} https://shop\\.example/`))
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
  })
})
