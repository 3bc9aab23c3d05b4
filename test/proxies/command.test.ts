// `avocet crawl` through proxies, over real sockets: what is said, what the proxy sees, how the run ends, and that no password is told or kept.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestProxy, type TestProxy, type TestProxyOptions } from '@avocet/stress/hostile'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from '../../packages/cli/test/run-cli.ts'

const QUICK = ['--rate', 'none', '--ignore-robots', '--max-time', '20s']
const CREDENTIALS = { username: 'me', password: 'hush-hush' }

async function site(): Promise<{ readonly url: string; readonly port: number }> {
  const server = http.createServer((_request, answer) => void answer.end('<title>page</title>')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://shop.example:${port}/`, port }
}

async function proxyTo(port: number, options: Partial<TestProxyOptions> = {}): Promise<TestProxy> {
  const proxy = await startTestProxy({ kind: 'http', route: () => ({ hostname: '127.0.0.1', port }), ...options })
  onTestFinished(() => proxy.close())
  return proxy
}

const withCredentials = (url: string): string => url.replace('://', `://${CREDENTIALS.username}:${CREDENTIALS.password}@`)

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-proxy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('--proxy', () => {
  it('sends every request through it, says so, and tells and keeps no password', async () => {
    const { url, port } = await site()
    const proxy = await proxyTo(port, { credentials: CREDENTIALS })
    const folder = emptyFolder()

    const ran = await runCli(
      ['crawl', url, '-O', 'out.jsonl', '--proxy', withCredentials(proxy.url), '--cache', '--json', ...QUICK],
      { folder },
    )

    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(`proxies: all hosts through ${proxy.url}; by --proxy`)
    expect(proxy.seen.targets).toEqual([url])
    expect(ran.stderr + ran.stdout).not.toContain('hush')
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect(readFileSync(join(entry.parentPath, entry.name)).includes('hush')).toBe(false)
  })

  it('that answers 407 is one clear line, and the requests stay', async () => {
    const { url, port } = await site()
    const proxy = await proxyTo(port, { credentials: CREDENTIALS })

    const ran = await runCli(['crawl', url, '--proxy', proxy.url, ...QUICK, '--patience', '1s', '--max-time', '3s'], {
      folder: emptyFolder(),
    })

    expect([5, 8]).toContain(ran.code)
    const lines = ran.stderr.split('\n').filter((line) => line.includes('problem: ') && line.includes('407'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(
      `expected proxy ${proxy.url} to need no credentials, got 407 Proxy Authentication Required; write the user name`,
    )
    expect(ran.stderr).toMatch(/1 (?:request )?waiting/)
  })

  it.each(['proxy.example:8080', 'ftp://me:hush-hush@proxy.example', 'http://me:hush-hush@proxy.example/path'])(
    'may not be %s',
    async (wrong) => {
      const ran = await runCli(['crawl', 'http://shop.example/', '--proxy', wrong], { folder: emptyFolder() })

      expect(ran.code).toBe(2)
      expect(ran.stderr).toMatch(/^avocet: --proxy: expected a proxy URL such as .*, got .*AVO_USAGE/)
      expect(ran.stderr).not.toContain('hush')
    },
  )

  it('goes before the configuration, which goes before the environment; direct is none', { timeout: 90_000 }, async () => {
    const { url, port } = await site()
    const [typed, configured, environment] = [await proxyTo(port), await proxyTo(port), await proxyTo(port)]
    const env = { http_proxy: environment.url }
    const folder = emptyFolder()
    const seenBy = (): readonly number[] => [typed, configured, environment].map(({ seen }) => seen.targets.length)

    const first = await runCli(['crawl', url, ...QUICK], { folder, env })
    expect(seenBy()).toEqual([0, 0, 1])
    expect(first.stderr).toContain(
      `through ${environment.url}; directly: localhost, *.localhost, 127.0.0.1, [::1]; by http_proxy`,
    )

    writeFileSync(
      join(folder, 'avocet.config.ts'),
      `export default { proxy: { 'shop.example': '${withCredentials(configured.url)}' } }`,
    )
    await runCli(['crawl', url, '--fresh', '--yes', ...QUICK], { folder, env })
    expect(seenBy()).toEqual([0, 1, 1])
    const config = await runCli(['check', '--values'], { folder, env })
    expect(config.stdout).toContain(configured.url)
    expect(config.stdout).not.toContain('hush')

    await runCli(['crawl', url, '--fresh', '--yes', '--proxy', typed.url, ...QUICK], { folder, env })
    expect(seenBy()).toEqual([1, 1, 1])

    await runCli(['crawl', url, '--fresh', '--yes', '--proxy', 'direct', ...QUICK, '--max-time', '1s'], { folder, env })
    expect(seenBy()).toEqual([1, 1, 1])
  })
})

describe('other commands', () => {
  it('fetch goes through the same proxy', async () => {
    const { url, port } = await site()
    const proxy = await proxyTo(port)

    const ran = await runCli(['fetch', url, '--proxy', proxy.url, '--ignore-robots'], { folder: emptyFolder() })

    expect(ran.code).toBe(0)
    expect(proxy.seen.targets).toContain(url)
  })

  it('check goes through a proxy of one scheme alone, which looks names up', async () => {
    const { url, port } = await site()
    const proxy = await proxyTo(port)

    const ran = await runCli(['check', url], { folder: emptyFolder(), env: { http_proxy: proxy.url } })

    expect(proxy.seen.targets).toEqual([`${url}robots.txt`])
    expect(ran.stdout).toMatch(/^ok +robots +1 seed allowed$/m)
    expect(ran.code).toBe(0)
  })
})
