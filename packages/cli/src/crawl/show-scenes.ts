// What a process shows to the supervisor of its crawl, four times a second.
import type { Crawl } from '@avocet/core'
import type { Clock } from '@avocet/core/store'
import type { HostStatus } from '@avocet/core/tools'
import type { ProcessMetrics } from '@avocet/metrics'
import type { FromWorker } from '../processes/process-messages.ts'
import type { CrawlWatcher } from '../view/crawl-watcher.ts'
import type { Scene } from '../view/scene.ts'

const SHOW_MS = 250
/** Scenes. */
const LIVE_EVERY = 4
/** Hosts that go along: those that the time that is left, and the lines of a stop, are worked out from. */
const MAX_HOSTS = 40

/** What is shown. */
interface Shown {
  readonly run: Pick<Crawl, 'hooks'>
  readonly watcher: Pick<CrawlWatcher, 'look'>
  readonly clock: Clock
  readonly metrics?: Pick<ProcessMetrics, 'counted' | 'live'>
  send(message: FromWorker): void
}

/** The showing, until it is stopped. */
export interface Showing {
  /** With so many hosts from now on. */
  look(room: number): void
  /** Hosts that metrics show by name from now on. */
  nameHosts(hostKeys: readonly string[]): void
  stop(): void
}

/** Shows from the opening on. */
export function showScenes({ run, watcher, clock, metrics, send }: Shown): Showing {
  let rows = 0
  let names: readonly string[] = []
  let timer: Disposable | undefined
  let hasShown = false
  let shows = 0
  // All counts are those of one moment. How its hosts are costs more, and is told once a second.
  const tell = (scene: Scene): void => {
    const counted = metrics?.counted()
    const live = shows++ % LIVE_EVERY === 0 ? metrics?.live(names, scene.glance.status) : undefined
    const told = counted && { counted, ...(live && { live }) }
    send({ kind: 'scene', scene: compact(scene), ...(told && { metrics: told }) })
  }
  const show = (): void => {
    const scene = watcher.look(rows)
    // What is known in all is known once it is open.
    if (scene.glance.status.phase !== 'opening') {
      hasShown = true
      tell(scene)
    }
    timer = clock.at(clock.now() + SHOW_MS, show)
  }
  run.hooks.open.tap({ name: 'supervisor', stage: Infinity }, ({ info }) => {
    send({ kind: 'opened', resumed: info.resumed })
    show()
  })
  return {
    look(room) {
      rows = room
    },
    nameHosts(hostKeys) {
      names = hostKeys
    },
    stop() {
      timer?.[Symbol.dispose]()
      shows = 0
      if (hasShown) tell(watcher.look(0))
    },
  }
}

/** Of hundreds of hosts, those that matter beyond the table. */
function compact({ glance, ...scene }: Scene): Scene {
  const { status } = glance
  const longest = (a: HostStatus, b: HostStatus): number =>
    (a.inFlightSince ?? Infinity) - (b.inFlightSince ?? Infinity) || b.waiting - a.waiting
  const hosts =
    status.phase === 'draining'
      ? status.hosts.filter(({ inFlight }) => inFlight > 0).toSorted(longest)
      : status.hosts.toSorted((a, b) => b.waiting - a.waiting)
  return { ...scene, glance: { ...glance, status: { ...status, hosts: hosts.slice(0, MAX_HOSTS) } } }
}
