// One run against one world: on real sockets with the server in another process, or on virtual time.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Plugin } from '@avocet/core'
import { simulatedWeb, siteModel, VirtualClock, type SimulatedWeb } from '@avocet/simulator'
import { limitsCrawl, pagesOf } from './crawl.ts'
import { judged, type Judgement, type Seen } from './judge.ts'
import type { ServerReport } from './server.ts'
import { hostsOf, WORLDS, type WorldName } from './worlds.ts'

/** What came of a run, and what it cost. */
export interface LimitsFigures extends Judgement {
  readonly givenUp: number
  /** CPU time of this process, and of the server's, to the time of the world. */
  readonly cpuRatio: number
  readonly serverCpuRatio: number
}

/** A way to run a world. */
export type RunLimits = (world: WorldName, plugins: readonly Plugin[], seconds?: number) => Promise<LimitsFigures>

/** On real sockets, in real time. */
export const runReal: RunLimits = async (world, plugins, seconds = WORLDS[world].seconds) => {
  const hosts = hostsOf(world)
  const server = spawnServer(world)
  const port = await server.nextLine()
  const { run, begun, givenUp } = limitsCrawl({ hosts, seconds }, plugins, {
    baseOf: ({ address }) => `http://${address}:${port}`,
  })
  const over = run.run()
  await Promise.race([begun, over])
  const from = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  const cpuRatio = cpuSince(from) / seconds
  const { seen, cpuSeconds } = await server.end()
  run.abort()
  await over
  return { ...judged({ world, hosts, seconds, seen }), givenUp: givenUp(), cpuRatio, serverCpuRatio: cpuSeconds / seconds }
}

/** On virtual time: what the law and the scheduler do when sockets and CPU are no matter. The same each time. */
export const runVirtual: RunLimits = async (world, plugins, seconds = WORLDS[world].seconds) => {
  const hosts = hostsOf(world)
  const clock = new VirtualClock()
  const model = siteModel({
    seed: 'limits',
    hosts: hosts.map((host) => ({
      name: host.address,
      pages: { kind: 'list', pages: pagesOf(host, seconds), textBytes: 100 },
      latency: { law: 'uniform', minMs: 0.5 * host.latencyMs, maxMs: 1.5 * host.latencyMs },
      capacity: { law: 'bucket', perSecond: host.rps, burst: host.burst },
      refusal: {
        status: 429,
        latencyMs: host.latencyMs,
        ...(host.saysRetryAfter && { retryAfter: 'seconds', retryAfterSeconds: 1 }),
      },
    })),
  })
  const fetcher = simulatedWeb(model, { clock })
  const { run, begun, givenUp } = limitsCrawl({ hosts, seconds }, plugins, {
    clock,
    fetcher,
    baseOf: ({ address }) => `http://${address}`,
  })
  const from = process.cpuUsage()
  const startedAt = await clock.run(async () => {
    const over = run.run()
    await begun
    const begunAt = clock.now()
    clock.at(begunAt + seconds * 1_000, () => run.abort())
    await over
    return begunAt
  })
  const seen = hosts.map(({ address }) => seenOf(fetcher, address, startedAt))
  return { ...judged({ world, hosts, seconds, seen }), givenUp: givenUp(), cpuRatio: cpuSince(from) / seconds, serverCpuRatio: 0 }
}

function seenOf(web: SimulatedWeb, host: string, startedAt: number): Seen {
  const good: number[] = []
  const refused: number[] = []
  for (const { status, endedAt } of web.felt(host).log) {
    if (endedAt === undefined || status === 0) continue
    const second = Math.floor((endedAt - startedAt) / 1_000)
    const counts = status === 200 ? good : refused
    counts[second] = (counts[second] ?? 0) + 1
  }
  return { good: Array.from(good, (n) => n ?? 0), refused: Array.from(refused, (n) => n ?? 0) }
}

function cpuSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1e6
}

function spawnServer(world: WorldName): { nextLine(): Promise<string>; end(): Promise<ServerReport> } {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  const script = fileURLToPath(new URL('server.ts', import.meta.url))
  const child = spawn(process.execPath, [...conditions, script, world], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  return {
    nextLine,
    async end() {
      child.stdin.end()
      return JSON.parse(await nextLine()) as ServerReport
    },
  }
}
