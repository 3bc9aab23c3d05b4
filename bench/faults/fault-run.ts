// One run with faults: four processes crawl to the end, whatever befalls them, and the servers say how it was.
import { openPostgresReader } from '@avocet/plugin-postgres'
import type { ServedRequest } from '@avocet/stress/rough-web'
import { judged, type Judgement } from './fault-books.ts'
import { befall, type Befallen } from './fault-lanes.ts'
import type { FaultPlan } from './fault-plan.ts'
import { makeGround, type Ground } from './ground.ts'
import { Starvation } from './starvation.ts'

/** How it is run. */
export interface FaultRunWish {
  readonly plan: FaultPlan
  /** Of a host that is well. */
  readonly pages: number
  readonly scale: number
  /** What is wrong beside that, by the times that were promised. */
  readonly check?: (run: FaultRun) => readonly string[]
}

/** What came of it. */
export interface FaultRun extends Judgement {
  readonly plan: FaultPlan
  readonly befallen: readonly Befallen[]
  readonly seconds: number
  /** The longest that the machine kept a process waiting, ms. */
  readonly starvedMs: number
  /** Requests, as the servers saw them. */
  readonly served: readonly ServedRequest[]
  /** What a host wants between two starts, ms of the machine. */
  delayMs(host: string): number
}

/** At ten times the speed; a run takes some 8 s, and three times as long where five others work. */
const MOST_MS = 120_000
/** On a machine that keeps processes waiting for longer, what takes a second may take two. */
const SLOW_MS = 150

/** Runs it; once more if what is wrong may be the machine's fault. */
export async function faultRun(wish: FaultRunWish): Promise<FaultRun> {
  const run = await runOnce(wish)
  return run.wrong.length === 0 && run.unsure.length > 0 ? runOnce(wish) : run
}

async function runOnce({ plan, pages, scale, check = () => [] }: FaultRunWish): Promise<FaultRun> {
  const startedAt = performance.now()
  using starvation = new Starvation()
  await using ground = await makeGround({ seed: plan.seed, pages, scale, machines: plan.machines, rates: plan.rates })
  const { workers, proxy, world } = ground
  for (const place of plan.machines.keys()) workers.start(place)
  await ground.begun()
  const befallen = await befall(plan, ground)
  const mostMs = (MOST_MS * 10) / scale
  const isOver = await within(workers.allEnded(), mostMs)
  proxy.rates = {}
  const served = ground.requests()
  const counts = await countsOf(ground)
  const starvedMs = starvation.longestMs
  const judgement = judged({
    world,
    requests: served,
    items: ground.items(),
    counts,
    befallen,
    isOver,
    ended: workers.ended,
    scale,
    starvedMs,
  })
  const seconds = (performance.now() - startedAt) / 1_000
  const run = { ...judgement, plan, befallen, seconds, served, starvedMs, delayMs: world.delayMs }
  if (isOver) return withPrice(run, check(run))
  const late = `the crawl did not end within ${String(mostMs / 1_000)} s: ${(await waitingHosts(ground)).join('; ')}`
  return { ...run, wrong: [late, ...run.wrong] }
}

/** Prices are times: where processes were kept waiting, they may be the machine's. */
function withPrice(run: FaultRun, price: readonly string[]): FaultRun {
  if (run.starvedMs > SLOW_MS) return { ...run, unsure: [...run.unsure, ...price] }
  return { ...run, wrong: [...run.wrong, ...price] }
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
