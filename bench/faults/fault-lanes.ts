// Has the faults of a plan befall a run, and notes what did: faults of the server one after the other, those of each process as they come.
import type { FaultPlan, Moment, ServerFault, WorkerFault } from './fault-plan.ts'
import { passed, type Ground } from './ground.ts'

/** A fault that befell. Epoch ms. */
export interface Befallen {
  readonly fault: WorkerFault | ServerFault
  readonly from: number
  readonly until: number
  /** Of a process: what it called itself. */
  readonly agent?: string
}

/** Ends when all have befallen. */
export async function befall({ workerFaults, serverFaults }: FaultPlan, ground: Ground): Promise<readonly Befallen[]> {
  const from = performance.now()
  const due = ({ atMs }: Moment<unknown>): Promise<void> => passed(Math.max(0, from + atMs - performance.now()))
  const befallen: Befallen[] = []
  const ofWorkers = workerFaults.map(async (moment) => {
    await due(moment)
    const one = await ofWorker(moment.fault, ground)
    if (one !== undefined) befallen.push(one)
  })
  const ofServer = async (): Promise<void> => {
    for (const moment of serverFaults) {
      await due(moment)
      befallen.push(await ofServerOrWay(moment.fault, ground))
    }
  }
  await Promise.all([...ofWorkers, ofServer()])
  return befallen.toSorted((a, b) => a.from - b.from)
}

/** Undefined where no process is. A process that is stopped is not stopped again, and may be killed. */
async function ofWorker(fault: WorkerFault, { workers }: Ground): Promise<Befallen | undefined> {
  const { place, kind, ms } = fault
  const agent = workers.agentAt(place)
  if (agent === undefined) return undefined
  const from = Date.now()
  if (kind === 'kill') {
    await workers.signal(place, 'SIGKILL')
    await passed(ms)
    workers.start(place)
    return { fault, agent, from, until: Date.now() }
  }
  await workers.signal(place, 'SIGSTOP')
  await passed(ms)
  if (workers.agentAt(place) === agent) await workers.signal(place, 'SIGCONT')
  return { fault, agent, from, until: Date.now() }
}

async function ofServerOrWay(fault: ServerFault, { server, proxy }: Ground): Promise<Befallen> {
  const { kind, ms } = fault
  const from = Date.now()
  if (kind === 'server killed') {
    await server.kill()
    await passed(ms)
    await server.start()
  } else if (kind === 'server frozen') {
    server.freeze()
    await passed(ms)
    server.resume()
  } else {
    proxy.network = kind === 'network silent' ? 'silent' : 'down'
    await passed(ms)
    proxy.network = 'up'
  }
  return { fault, from, until: Date.now() }
}
