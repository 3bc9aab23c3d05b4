// What a run stands on: a rough web with its log, a PostgreSQL server of its own, a proxy before it, and the processes.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readServedLog, spawnRoughWeb, type ServedRequest } from '@avocet/stress/rough-web'
import { startFaultProxy, startPostgres, type FaultProxy, type FaultRates, type OwnPostgres } from '@avocet/stress/postgres'
import { DELAY_MS, faultWorld, type FaultWorld } from './fault-world.ts'
import { Workers, type WorkersPlan } from './workers.ts'

/** What is put up. */
export interface GroundPlan {
  readonly seed: string
  readonly pages: number
  readonly scale: number
  readonly machines: WorkersPlan['machines']
  readonly rates: FaultRates
}

/** A ground, until it is disposed. */
export interface Ground extends AsyncDisposable {
  readonly world: FaultWorld
  readonly server: OwnPostgres
  readonly proxy: FaultProxy
  readonly workers: Workers
  /** Past the proxy. */
  readonly store: string
  /** Requests that have ended. */
  requests(): readonly ServedRequest[]
  /** Lines of the file of items. */
  items(): readonly string[]
  /** When the first request has ended. Throws if there is none within a minute. */
  begun(): Promise<void>
}

const BEGUN_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 10
const STALL_MS = 300

/** Puts it up, without any process yet. */
export async function makeGround({ seed, pages, scale, machines, rates }: GroundPlan): Promise<Ground> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'avocet-faults-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const log = join(folder, 'requests.jsonl')
  writeFileSync(log, '')
  const { model, delayMs } = faultWorld({ seed, pages, scale })
  const making = [startPostgres({ fsync: true }), spawnRoughWeb(model, { log })] as const
  stack.defer(async () => {
    const [server, web] = await Promise.allSettled(making)
    if (web.status === 'fulfilled') await web.value.close()
    if (server.status === 'fulfilled') await server.value.stop()
  })
  const [server, web] = await Promise.all(making)
  if (server.own === undefined) throw new Error('expected a PostgreSQL server of our own; unset AVOCET_TEST_POSTGRES')
  const proxy = await startFaultProxy(server.url, { seed, rates, stallMs: STALL_MS })
  stack.defer(() => proxy.close())
  const crawl = '?crawl=faults'
  const workers = new Workers({
    seeds: web.model.seeds(),
    store: `${proxy.url}${crawl}`,
    folder,
    scale,
    delayMs: DELAY_MS,
    machines,
  })
  stack.defer(() => workers.killAll())
  const all = stack.move()
  return {
    ...{ world: { model: web.model, delayMs }, server: server.own, proxy, workers, store: `${server.url}${crawl}` },
    requests: () => readServedLog(log),
    items: () => readFileSync(join(folder, 'items.jsonl'), 'utf8').split('\n').slice(0, -1),
    async begun() {
      const until = performance.now() + BEGUN_WITHIN_MS
      while (statSync(log).size === 0) {
        if (performance.now() > until || workers.areOver)
          throw new Error(`expected a request within a minute, got none: ${saidBy(workers)}`)
        await passed(LOOK_EVERY_MS)
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Ms of the machine. */
export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function saidBy({ ended }: Workers): string {
  return ended.map(({ agent, code, said }) => `${agent} ended with ${String(code)}: ${said}`).join('; ')
}
