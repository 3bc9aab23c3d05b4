// What a process tells the supervisor of its crawl, four times a second: its status without hosts, and what it has counted for metrics.
import type { Crawl } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import type { ProcessMetrics } from '@avocet/metrics'
import type { FromWorker } from '../processes/process-messages.ts'

const BEAT_MS = 250
/** Beats. */
const LIVE_EVERY = 4

/** What is told of. */
interface Told {
  readonly run: Pick<Crawl, 'hooks' | 'status'>
  readonly clock: Clock
  readonly metrics?: Pick<ProcessMetrics, 'counted' | 'live'>
  /** A sink as a person knows it. */
  sinkName(name: string): string
  send(message: FromWorker): void
}

/** The beats, until they are stopped. */
export interface Beats {
  stop(): void
}

/** Tells from the opening on. */
export function tellBeats({ run, clock, metrics, sinkName, send }: Told): Beats {
  let opened: FromWorker | undefined
  let timer: Disposable | undefined
  let beats = 0
  const beat = (): void => {
    const { sinks, ...status } = run.status()
    // What is known in all is known once it is open.
    if (status.phase === 'opening') return
    if (opened !== undefined) send(opened)
    opened = undefined
    const named = sinks?.map((sink) => ({ ...sink, name: sinkName(sink.name) }))
    // All counts are those of one moment. How the process is costs more, and is told once a second.
    const counted = metrics?.counted()
    const live = beats++ % LIVE_EVERY === 0 ? metrics?.live() : undefined
    send({
      kind: 'beat',
      status: { ...status, hosts: [], ...(named && { sinks: named }) },
      ...(counted && { metrics: { counted, ...(live && { live }) } }),
    })
  }
  const tick = (): void => {
    beat()
    // Others wait until it has opened.
    timer = clock.at(clock.now() + (opened === undefined ? BEAT_MS : BEAT_MS / 10), tick)
  }
  run.hooks.open.tap({ name: 'supervisor', stage: Infinity }, ({ info }) => {
    // Said once the run is in the store: the processes that open it then join that run.
    opened = { kind: 'opened', resumed: info.resumed }
    tick()
  })
  // Before the first request at the latest: its handler may hang.
  run.hooks.beforeRequest.tap('supervisor', () => {
    if (opened !== undefined) beat()
  })
  return {
    stop() {
      timer?.[Symbol.dispose]()
      if (opened !== undefined) send(opened)
      // One that could not begin has nothing to tell.
      if (beats === 0) return
      beats = 0
      beat()
    },
  }
}
