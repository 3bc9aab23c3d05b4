// Control-C and SIGTERM while hosts hang: how long the command still takes, and what the next run finds.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli, type CliRun } from '../run-cli.ts'

let folder: string
let servers: Server[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-leaving-'))
  servers = []
})
afterEach(async () => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  await rm(folder, { recursive: true })
})

/** Hosts without robots.txt whose only page comes when `hangs` no longer says so. */
async function hosts(count: number, hangs: { now: boolean }, asked: string[]): Promise<readonly string[]> {
  servers = Array.from({ length: count }, () =>
    createServer((request, response) => {
      if (request.url === '/robots.txt') return response.writeHead(404).end()
      asked.push(request.headers.host ?? '')
      return hangs.now ? undefined : response.writeHead(200, { 'content-type': 'text/html' }).end('<title>a page</title>')
    }),
  )
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  return servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

describe('leaving a crawl of four hosts that hang', () => {
  it('takes about five seconds by SIGINT, and the next run has each page once', async () => {
    const [hangs, asked] = [{ now: true }, [] as string[]]
    const seeds = await hosts(4, hangs, asked)
    let askedToLeaveAt = 0

    const left = await spawnCli(['crawl', ...seeds, '--yes'], {
      folder,
      meanwhile: (child) => {
        const look = setInterval(() => {
          if (asked.length < 4) return
          clearInterval(look)
          askedToLeaveAt = performance.now()
          child.kill('SIGINT')
        }, 10)
      },
    })
    const tookMs = performance.now() - askedToLeaveAt
    hangs.now = false
    const again: CliRun = await runCli(['crawl', ...seeds, '--yes', '-o', '-'], { folder })

    expect(left.code).toBe(130)
    expect(left.stderr).toContain(
      'SIGINT: waiting for requests in flight, at most 30 s, 5.0 s for those that can be sent again; press again to stop now',
    )
    expect([tookMs > 4_900, tookMs < 9_000]).toEqual([true, true])
    expect(left.stderr).not.toMatch(/failed +[1-9]/)
    expect(again.code).toBe(0)
    expect(again.stdout.match(/a page/g)).toHaveLength(4)
  })
})
