// The hosts of a world, in a process of their own: `node bench/limits/server.ts L`. Says its port on a line, and what each host saw at the end.
//
// Time begins with the first request. Ends when its standard input does.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seeded } from '@avocet/simulator'
import type { Seen } from './judge.ts'
import { hostsOf, type LimitedHost, type WorldName } from './worlds.ts'

/** What is said at the end. */
export interface ServerReport {
  /** In the order of the world's hosts. */
  readonly seen: readonly Seen[]
  readonly cpuSeconds: number
}

const PAGE = '<!doctype html><title>A page</title><h1>A page</h1><p>It says no more than this.</p>'
const KEPT_SECONDS = 300

/** A host with its bucket. */
class Host {
  readonly spec: LimitedHost
  readonly good: number[] = zeros()
  readonly refused: number[] = zeros()
  readonly #chance: (n: number) => number
  #met = 0
  #tokens: number
  #filledAt: number

  constructor(spec: LimitedHost, now: number) {
    this.spec = spec
    this.#chance = seeded('limits', spec.address)
    this.#tokens = spec.burst
    this.#filledAt = now
  }

  meet(response: ServerResponse, now: number): void {
    const { rps, burst, latencyMs } = this.spec
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1_000) * rps)
    this.#filledAt = now
    const takes = this.#tokens >= 1
    if (takes) this.#tokens--
    setTimeout(() => this.#answer(response, takes), latencyMs * (0.5 + this.#chance(this.#met++)))
  }

  #answer(response: ServerResponse, takes: boolean): void {
    if (response.destroyed) return
    const second = Math.min(KEPT_SECONDS - 1, Math.floor((performance.now() - startedAt) / 1_000))
    const counts = takes ? this.good : this.refused
    counts[second] = (counts[second] ?? 0) + 1
    if (takes) {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': PAGE.length }).end(PAGE)
    } else {
      response.writeHead(429, { 'content-length': 0, ...(this.spec.saysRetryAfter ? { 'retry-after': '1' } : {}) }).end()
    }
  }
}

let startedAt = Number.NaN
const hosts = new Map(hostsOf(process.argv[2] as WorldName).map((spec) => [spec.address, new Host(spec, 0)]))
const server = createServer({ keepAlive: true, keepAliveTimeout: 60_000 }, (request, response) => {
  if (Number.isNaN(startedAt)) startedAt = performance.now()
  const host = hosts.get(request.socket.localAddress ?? '')
  if (host === undefined) response.writeHead(404).end()
  else host.meet(response, performance.now() - startedAt)
})
// One listener serves all of 127/8.
server.listen(0, '0.0.0.0', 4_096, () => console.log((server.address() as AddressInfo).port))
process.stdin.resume().once('end', () => {
  const { user, system } = process.cpuUsage()
  const seen = [...hosts.values()].map(({ good, refused }) => ({ good, refused }))
  const report: ServerReport = { seen, cpuSeconds: (user + system) / 1e6 }
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))
})

function zeros(): number[] {
  return Array.from({ length: KEPT_SECONDS }, () => 0)
}
