// One run against one world on real sockets: starts the server, crawls for the time of the world, and says what came of it.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { crawl, memoryFrontier, spider, type Plugin } from '@avocet/core'
import type { ServerReport } from './server.ts'
import { hostsOf, WORLDS, type LimitedHost, type WorldName } from './worlds.ts'

/** What is reported of a host. */
export interface HostFigures extends LimitedHost {
  readonly good: number
  readonly refused: number
  /** Good pages to what the rate allows in the time. */
  readonly usefulShare: number
  readonly lateUsefulShare: number
}

/** What came of a run. Ratios in [0, 1] but for bursts. */
export interface LimitsFigures {
  readonly world: WorldName
  readonly capacityRps: number
  readonly seconds: number
  readonly usefulShare: number
  readonly refusedRatio: number
  /** From second 20 on: without the cold start. */
  readonly lateUsefulShare: number
  readonly lateRefusedRatio: number
  readonly meanHostUsefulShare: number
  readonly worstRefused: number
  readonly givenUp: number
  /** CPU time of this process, and of the server's, to wall time. */
  readonly cpuRatio: number
  readonly serverCpuRatio: number
  readonly hosts: readonly HostFigures[]
}

const LATE_FROM = 20
const CONCURRENCY = 200

/** Crawls `world` with `plugins`. */
export async function runLimits(
  world: WorldName,
  plugins: readonly Plugin[],
  seconds: number = WORLDS[world].seconds,
): Promise<LimitsFigures> {
  const hosts = hostsOf(world)
  const server = spawnServer(world)
  const port = await server.nextLine()
  const run = crawl({
    spider: spider({ name: 'limits', seeds: () => pages(hosts, { port, seconds }), handlers: { *start() {} } }),
    plugins,
    frontier: memoryFrontier(),
    concurrency: CONCURRENCY,
    allowPrivate: true,
  })
  let givenUp = 0
  run.hooks.onSettled.tap('limits', ({ outcome }) => void (givenUp += outcome.kind === 'failed' ? 1 : 0))
  // The clock of the world begins with the first request, not with the reading of a hundred thousand seeds.
  const begun = Promise.withResolvers<void>()
  run.hooks.onAdmit.tap('limits', () => begun.resolve())
  const over = run.run()
  await Promise.race([begun.promise, over])
  const from = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  const { user, system } = process.cpuUsage(from)
  const report = await server.end()
  run.abort()
  await over
  return { ...judged({ world, hosts, seconds }, report), givenUp, cpuRatio: (user + system) / 1e6 / seconds }
}

/** Pages of all hosts, twice as many as each can give in the time, mixed in proportion. */
function* pages(hosts: readonly LimitedHost[], { port, seconds }: { port: string; seconds: number }): Generator<string> {
  const ROUNDS = 200
  for (let round = 0; round < ROUNDS; round++) {
    for (const { address, rps, burst } of hosts) {
      const total = 2 * (rps * seconds + burst)
      const to = Math.floor((total * (round + 1)) / ROUNDS)
      for (let n = Math.floor((total * round) / ROUNDS); n < to; n++) yield `http://${address}:${port}/page/${String(n)}`
    }
  }
}

function judged(
  { world, hosts, seconds }: { readonly world: WorldName; readonly hosts: readonly LimitedHost[]; readonly seconds: number },
  report: ServerReport,
): Omit<LimitsFigures, 'givenUp' | 'cpuRatio'> {
  const figures = hosts.map((host, n): HostFigures & { lateGood: number; lateRefused: number } => {
    const { good = [], refused = [] } = report.seen[n] ?? {}
    const lateGood = sum(good.slice(LATE_FROM, seconds))
    return {
      ...host,
      good: sum(good.slice(0, seconds)),
      refused: sum(refused.slice(0, seconds)),
      usefulShare: sum(good.slice(0, seconds)) / (host.rps * seconds),
      lateUsefulShare: lateGood / (host.rps * (seconds - LATE_FROM)),
      lateGood,
      lateRefused: sum(refused.slice(LATE_FROM, seconds)),
    }
  })
  const all = (pick: (host: (typeof figures)[number]) => number): number => sum(figures.map(pick))
  const capacityRps = all(({ rps }) => rps)
  return {
    world,
    capacityRps,
    seconds,
    usefulShare: all(({ good }) => good) / (capacityRps * seconds),
    refusedRatio: all(({ refused }) => refused) / all(({ good, refused }) => good + refused),
    lateUsefulShare: all(({ lateGood }) => lateGood) / (capacityRps * (seconds - LATE_FROM)),
    lateRefusedRatio: all(({ lateRefused }) => lateRefused) / all(({ lateGood, lateRefused }) => lateGood + lateRefused),
    meanHostUsefulShare: all(({ usefulShare }) => usefulShare) / hosts.length,
    worstRefused: Math.max(...figures.map(({ refused }) => refused)),
    serverCpuRatio: report.cpuSeconds / seconds,
    hosts: figures.map(({ lateGood: _good, lateRefused: _refused, ...host }) => host),
  }
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
