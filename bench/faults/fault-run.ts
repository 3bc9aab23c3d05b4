// One run with faults: four processes crawl to the end, whatever befalls them, and the servers say how it was.
import { openPostgresReader } from '@avocet/plugin-postgres'
import type { ServedRequest } from '@avocet/simulator/rough-web'
import { judged, type Judgement } from './fault-books.ts'
import { befall, type Befallen } from './fault-lanes.ts'
import type { FaultPlan } from './fault-plan.ts'
import { makeGround, type Ground } from './ground.ts'

/** How it is run. */
export interface FaultRunWish {
  readonly plan: FaultPlan
  /** Of a host that is well. */
  readonly pages: number
  readonly scale: number
}

/** What came of it. */
export interface FaultRun extends Judgement {
  readonly plan: FaultPlan
  readonly befallen: readonly Befallen[]
  readonly seconds: number
  /** Requests, as the servers saw them. */
  readonly served: readonly ServedRequest[]
  /** What a host wants between two starts, ms of the machine. */
  delayMs(host: string): number
}

/** At ten times the speed; a run takes some 15 s. */
const MOST_MS = 60_000

/** Runs it. */
export async function faultRun({ plan, pages, scale }: FaultRunWish): Promise<FaultRun> {
  const startedAt = performance.now()
  await using ground = await makeGround({ seed: plan.seed, pages, scale, machines: plan.machines, rates: plan.rates })
  const { workers, proxy, world } = ground
  for (const place of plan.machines.keys()) workers.start(place)
  await ground.begun()
  const befallen = await befall(plan, ground)
  const isOver = await within(workers.allEnded(), (MOST_MS * 10) / scale)
  proxy.rates = {}
  const served = ground.requests()
  const counts = await countsOf(ground)
  const items = isOver ? ground.items() : []
  const judgement = judged({ world, requests: served, items, counts, befallen, ended: workers.ended, scale })
  const late = isOver
    ? []
    : [`the crawl did not end within ${String(MOST_MS / 1_000)} s: ${(await waitingHosts(ground)).join('; ')}`]
  const seconds = (performance.now() - startedAt) / 1_000
  return { ...judgement, wrong: [...late, ...judgement.wrong], ...{ plan, befallen, seconds, served }, delayMs: world.delayMs }
}

async function countsOf({ store }: Ground): Promise<{ waiting: number; failed: number; items: number }> {
  const reader = await openPostgresReader(store)
  try {
    return await reader.counts()
  } finally {
    await reader.close()
  }
}

/** Whether it ended within so many ms of the machine. */
async function within(work: Promise<void>, ms: number): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  try {
    return await Promise.race([work.then(() => true), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** Hosts that still have something waiting, for who looks into it. */
async function waitingHosts({ store }: Ground): Promise<readonly string[]> {
  const reader = await openPostgresReader(store)
  try {
    const hosts = (await reader.hosts({ limit: 100 })).filter(({ waiting }) => waiting > 0)
    return hosts.map(
      (host) => `${host.hostKey}: ${String(host.waiting)} wait, ${host.held ? 'held' : 'free'}, ready at ${String(host.readyAt)}`,
    )
  } finally {
    await reader.close()
  }
}
