// Names whose name server never answers, beside names of healthy hosts: real sockets, and a name server on loopback.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exchange, fetcherOf, ok, says } from '../web.ts'
import { dnsStub } from './dns-stub.ts'

const HOME = { addresses: ['127.0.0.1'] }

/** What a fetch of `host` comes to in a process whose threads are all taken. */
async function fetchedWithoutThreads(host: string, nameServers: readonly string[]): Promise<string> {
  const { port } = new URL(await says(ok('x')))
  const folder = mkdtempSync(join(tmpdir(), 'avocet-fifo-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'fifo')])
  const script = fileURLToPath(new URL('../fixtures/full-pool.ts', import.meta.url))
  const args = [script, `http://${host}:${port}/`, join(folder, 'fifo'), ...nameServers]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 })
  return stdout.trim()
}

describe('names', () => {
  it('are resolved while every thread of the process is blocked', async () => {
    const { server } = await dnsStub(({ type }) => (type === 'A' ? HOME : { addresses: [] }))
    expect(await fetchedWithoutThreads('localhost', [])).toBe('200')
    expect(await fetchedWithoutThreads('shop.test', [server])).toBe('200')
  })

  it('that nobody answers for, 5 % of 190, cost no healthy host a page', { timeout: 30_000 }, async () => {
    const site = await says(ok('x'), 'keep')
    const { port } = new URL(site)
    const { server } = await dnsStub(({ name, type }) => {
      if (name.startsWith('dead')) return 'silence'
      return type === 'A' ? HOME : { addresses: [] }
    })
    const fetcher = fetcherOf({ nameServers: [server] })
    const names = Array.from({ length: 190 }, (_, n) => `${n % 20 === 0 ? 'dead' : 'shop'}${n}.test`)

    const startedAt = performance.now()
    const ends = await Promise.all(
      names.map(async (name) => {
        const { response, failure } = await exchange(fetcher, `http://${name}:${port}/`)
        return { name, what: failure?.code ?? response?.status, phase: failure?.phase, afterMs: performance.now() - startedAt }
      }),
    )

    const dead = ends.filter(({ name }) => name.startsWith('dead'))
    const healthy = ends.filter(({ name }) => name.startsWith('shop'))
    expect(dead).toHaveLength(10)
    expect(new Set(healthy.map(({ what }) => what))).toEqual(new Set([200]))
    expect(new Set(dead.map(({ what, phase }) => `${what} ${phase}`))).toEqual(new Set(['AVO_DNS_FAILED dns']))
    // The connect limit is 15 s: what ended them was the bound of the look-up.
    expect(Math.max(...dead.map(({ afterMs }) => afterMs))).toBeLessThan(12_000)
    expect(Math.max(...healthy.map(({ afterMs }) => afterMs))).toBeLessThan(3_000)
  })
})
