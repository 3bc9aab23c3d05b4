// What the rough web promises: the same sites over real HTTP, real deaths, and servers that end with whoever started them.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { roughForty, shops, siteModel, type DeathStyle, type HostSpec } from '@avocet/simulator'
import { readServedLog, spawnRoughWeb, startRoughWeb, type RoughWeb } from '../rough-web/index.ts'
import { afterEach, describe, expect, it } from 'vitest'

/** What one GET came to: the answer, or the code of what went wrong, within 400 ms. */
async function visit(
  url: string,
  { agent, patienceMs = 400 }: { readonly agent?: Agent; readonly patienceMs?: number } = {},
): Promise<{ status?: number; headers?: IncomingMessage['headers']; body?: Buffer; error?: string }> {
  const signal = AbortSignal.timeout(patienceMs)
  const codeOf = (error: unknown): string => (signal.aborted ? 'too long' : String((error as NodeJS.ErrnoException).code))
  const request = get(url, { signal, ...(agent && { agent }) })
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const pieces: Buffer[] = []
    try {
      for await (const piece of response) pieces.push(piece as Buffer)
    } catch (error) {
      return { status: response.statusCode ?? 0, body: Buffer.concat(pieces), error: codeOf(error) }
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }
  } catch (error) {
    return { error: codeOf(error) }
  }
}

let web: RoughWeb | undefined
afterEach(async () => {
  await web?.close()
  web = undefined
})

async function serve(...hosts: Partial<HostSpec>[]): Promise<RoughWeb> {
  const quick: HostSpec[] = hosts.map((host, n) => ({
    name: `h${String(n)}.test`,
    pages: { kind: 'list', pages: 5 },
    latency: { law: 'fixed', ms: 1 },
    ...host,
  }))
  web = await startRoughWeb(siteModel({ seed: 'a', hosts: quick }))
  return web
}

describe('rough web', () => {
  it('serves the pages of the model, each host at an address of its own', async () => {
    const web = await serve({}, {})
    const first = web.urlOf('h0.test')
    const second = web.urlOf('h1.test')

    expect(first).toBe(`http://127.42.0.1:${String(web.port)}`)
    expect(second).toBe(`http://127.42.0.2:${String(web.port)}`)
    const { status, headers, body } = await visit(`${second}/item/3`)
    expect(status).toBe(200)
    expect(headers?.['content-type']).toBe('text/html; charset=utf-8')
    expect(new Uint8Array(body ?? [])).toEqual(web.model.page('h1.test', '/item/3')?.body)
    expect((await visit(`${first}/nowhere`)).status).toBe(404)
  })

  it('has links that lead to its own addresses', async () => {
    web = await startRoughWeb(shops(1))
    const page = web.model.page('shop-00.test', '/category/0')

    expect(new TextDecoder().decode(page?.body)).toContain(`href="${web.urlOf('shop-00.test')}/product/`)
    expect(web.model.seeds()).toEqual([`${web.urlOf('shop-00.test')}/`])
  })

  it('takes the time that the model says', async () => {
    const web = await serve({ latency: { law: 'fixed', ms: 120 } })
    const from = performance.now()

    await visit(`${web.urlOf('h0.test')}/item/1`)

    expect(performance.now() - from).toBeGreaterThanOrEqual(119)
  })

  it.each<[DeathStyle, object]>([
    ['refuse', { error: 'ECONNREFUSED' }],
    ['hang', { error: 'too long' }],
    ['blackhole', { error: 'too long' }],
    ['reset', { error: 'ECONNRESET' }],
    ['drip', { status: 200, error: 'too long', body: Buffer.alloc(0) }],
    ['truncate', { status: 200, error: 'ECONNRESET' }],
    ['endless', { status: 200, error: 'too long' }],
  ])('dies by %s', async (death, outcome) => {
    const web = await serve({ death })

    expect(await visit(`${web.urlOf('h0.test')}/item/1`)).toMatchObject(outcome)
  })

  it('sends half of a body that it truncates, and more than enough of an endless one', async () => {
    const web = await serve({ death: 'truncate' }, { death: 'endless' })
    const whole = web.model.page('h0.test', '/item/1')?.body.byteLength ?? 0

    expect((await visit(`${web.urlOf('h0.test')}/item/1`)).body).toHaveLength(Math.floor(whole / 2))
    expect((await visit(`${web.urlOf('h1.test')}/item/1`)).body?.length).toBeGreaterThan(100_000)
  })

  it('lets nobody connect to a black hole', async () => {
    const web = await serve({ death: 'blackhole' })
    const socket = connect({ host: '127.42.0.1', port: web.port })

    const connected = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
    ])
    socket.destroy()

    expect(connected).toBe(false)
  })

  it('has no address for a name that does not exist', async () => {
    const web = await serve({ death: 'dns-not-found' })

    expect(web.urlOf('h0.test')).toBe(`http://h0.test.invalid:${String(web.port)}`)
  })

  it('refuses what is above the capacity, and keeps what each host felt', async () => {
    const web = await serve({
      capacity: { law: 'bucket', perSecond: 0.1, burst: 2 },
      refusal: { status: 503, retryAfter: 'seconds', retryAfterSeconds: 7 },
    })
    const visits = []
    for (const n of [1, 2, 3]) visits.push(await visit(`${web.urlOf('h0.test')}/item/${String(n)}`))

    expect(visits.map(({ status }) => status)).toEqual([200, 200, 503])
    expect(visits[2]?.headers?.['retry-after']).toBe('7')
    await expect
      .poll(() => web.felt('h0.test'))
      .toMatchObject({ requests: 3, served: 2, refused: 1, inFlight: 0, maxInFlight: 1 })
    expect(web.felt('h0.test').log.map(({ path, status }) => `${path} ${String(status)}`)).toEqual([
      '/item/1 200',
      '/item/2 200',
      '/item/3 503',
    ])
  })

  it('bans, says its limits, and has a robots.txt, as the simulated web does', async () => {
    const web = await serve({
      ban: { requests: 2, windowSeconds: 60, banSeconds: 60 },
      capacity: { law: 'window', requests: 10, seconds: 3_600 },
      rateLimitFields: 'draft',
      robots: { body: 'User-agent: *\n' },
    })
    const visits = []
    for (const path of ['/robots.txt', '/item/1', '/item/2']) visits.push(await visit(web.urlOf('h0.test') + path))

    expect(visits.map(({ status }) => status)).toEqual([200, 200, 403])
    expect(String(Buffer.from(visits[0]?.body ?? []))).toBe('User-agent: *\n')
    expect(visits[1]?.headers?.['ratelimit']).toMatch(/^"default";r=8;t=\d+$/)
    await expect
      .poll(() => web.felt('h0.test'))
      .toMatchObject({ attempts: 3, served: 2, banned: 1, refused: 0, falseTimeouts: 0 })
  })

  it('resets where a certificate would be for somebody else', async () => {
    const web = await serve({ death: 'tls-certificate' })

    expect((await visit(`${web.urlOf('h0.test')}/item/1`)).error).toBe('ECONNRESET')
    expect(web.felt('h0.test').deadAttempts).toBe(1)
  })

  it('closes its port while it refuses, and opens it again', async () => {
    const web = await serve({ outages: [{ style: 'refuse', fromMs: 0, untilMs: 300 }] })
    const url = `${web.urlOf('h0.test')}/item/1`

    await expect.poll(() => visit(url), { interval: 10 }).toEqual({ error: 'ECONNREFUSED' })
    await expect.poll(async () => (await visit(url)).status, { interval: 20 }).toBe(200)
  })

  it('answers many requests on one connection', async () => {
    const web = await serve({})
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })

    const patient = { agent, patienceMs: 30_000 }
    const statuses = await Promise.all(Array.from({ length: 50 }, () => visit(`${web.urlOf('h0.test')}/item/1`, patient)))
    agent.destroy()

    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(web.felt('h0.test').maxInFlight).toBe(1)
  })

  it('opens and closes forty hosts', async () => {
    const web = await startRoughWeb(roughForty())
    const statuses = await Promise.all(
      [...Array(20).keys()].map((n) => visit(web.model.seeds(`well-${String(n).padStart(2, '0')}.test`)[0] ?? '')),
    )
    await web.close()

    expect(statuses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    // A connection that the client kept is reset, a new one is refused.
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain((await visit(`${web.urlOf('well-00.test')}/`)).error)
  })
})

describe('rough web in another process', () => {
  it('serves, logs each request, and ends when its standard input does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-test-'))
    const log = join(folder, 'requests.ndjson')
    const web = await spawnRoughWeb(shops(2), { log })

    const { status, body } = await visit(`${web.urlOf('shop-01.test')}/product/A-00003`)
    await fetch(`${web.urlOf('shop-00.test')}/nowhere`, { headers: { 'user-agent': 'who asks' } })
    await web.close()

    expect(status).toBe(200)
    expect(new Uint8Array(body ?? [])).toEqual(web.model.page('shop-01.test', '/product/A-00003')?.body)
    const logged = readServedLog(log)
    rmSync(folder, { recursive: true })
    const moments = { at: expect.any(Number) as unknown, endedAt: expect.any(Number) as unknown }
    expect(logged).toEqual([
      { ...moments, host: 'shop-01.test', path: '/product/A-00003', status: 200, agent: '' },
      { ...moments, host: 'shop-00.test', path: '/nowhere', status: 404, agent: 'who asks' },
    ])
    expect(() => process.kill(web.pid, 0)).toThrow(/ESRCH/)
  })

  it('ends when the process that started it is killed', async () => {
    const starter = spawn(
      process.execPath,
      [
        '--conditions=@avocet/source',
        '--input-type=module',
        '--eval',
        "import { quotes } from '@avocet/simulator'\nimport { spawnRoughWeb } from '@avocet/stress/rough-web'\nconsole.log((await spawnRoughWeb(quotes())).pid)",
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: import.meta.dirname },
    )
    const [pid] = (await once(starter.stdout, 'data')) as [Buffer]
    expect(() => process.kill(Number(pid), 0)).not.toThrow()

    starter.kill('SIGKILL')

    await expect.poll(() => existsSync(`/proc/${String(Number(pid))}/exe`), { timeout: 5_000 }).toBe(false)
  })

  it('goes on where its standard input is no pipe, as in a background job of a script', async () => {
    const command = join(import.meta.dirname, '../rough-web/serve.ts')
    const words = ['--conditions=@avocet/source', command, '--world', 'quotes']
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const { hosts } = JSON.parse(line.toString()) as { hosts: { base: string; seeds: string[] }[] }

      const { status } = await fetch(hosts[0]?.seeds[0] ?? '')

      expect(status).toBe(200)
      expect(child.exitCode).toBe(null)
    } finally {
      child.kill('SIGTERM')
    }
  })

  it('says what it expects when it is called wrongly', () => {
    const command = join(import.meta.dirname, '../rough-web/serve.ts')

    const { status, stderr } = spawnSync(process.execPath, ['--conditions=@avocet/source', command, '--world', 'nowhere'], {
      encoding: 'utf8',
    })

    expect(status).toBe(2)
    expect(stderr).toMatch(/^rough web: expected --world twelve-hosts\|rough-forty\|.+ or --spec FILE, got --world nowhere\n$/)
  })
})
