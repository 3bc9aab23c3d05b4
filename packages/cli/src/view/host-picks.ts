// Which hosts the table shows, and what each row says: in turn the first of each kind that matters, each once, until there is no more room.
//
// Chosen anew every two seconds only: a table whose lines change places four times a second cannot be read.
import type { CrawlStatus, Explanation } from '@avocet/core/tools'
import { foundRpsOf } from '@avocet/project/plan'
import { given } from '@avocet/project/options'
import { byName } from '../text/by-name.ts'
import { HOST_CONDITIONS } from '../text/left-undone.ts'
import type { HostNow } from './pace.ts'
import type { HostRow, Scene } from './scene.ts'

const CHOOSE_MS = 2_000

/** What is known of one host. */
export interface HostLook extends Pick<HostRow, 'state' | 'why'> {
  readonly status: HostNow
  /** What each plugin knows of it. All of them are asked: for a host that is shown. */
  readonly values: () => Explanation['values']
  /** Of the crawl. */
  readonly phase: CrawlStatus['phase']
}

/** Keeps the choice between frames. */
export class HostPicks {
  #chosen: readonly string[] = []
  #chosenAt = -Infinity

  /** At most `room` rows. Hosts with nothing to do are left out, and their places filled at once. */
  pick(
    views: ReadonlyMap<string, HostLook>,
    { room, now }: { readonly room: number; readonly now: number },
  ): Pick<Scene, 'rows' | 'workingHosts'> {
    const working = [...views.values()].filter(isAtWork)
    // Who asks for none leaves the choice of others alone.
    if (room === 0) return { rows: [], workingHosts: working.length }
    const shown = this.#shown(views)
    if (now - this.#chosenAt >= CHOOSE_MS || shown.length !== Math.min(room, working.length)) {
      this.#chosen = choose(working, room)
      this.#chosenAt = now
    }
    return { rows: this.#shown(views).map((view) => rowOf(view, now)), workingHosts: working.length }
  }

  #shown(views: ReadonlyMap<string, HostLook>): readonly HostLook[] {
    return this.#chosen.flatMap((hostKey) => views.get(hostKey) ?? []).filter(isAtWork)
  }
}

/** A crawl that drains begins nothing more: what waits is no work of this run. */
function isAtWork({ status, phase }: HostLook): boolean {
  return status.inFlight > 0 || (status.waiting > 0 && phase !== 'draining')
}

/** Keys of the chosen hosts, in the order of the table. */
function choose(views: readonly HostLook[], room: number): readonly string[] {
  const chosen: HostLook[] = []
  const queues = HOST_CONDITIONS.map((state) => views.filter((view) => view.state === state).sort(busiestFirst))
  for (let n = 0; chosen.length < Math.min(room, views.length); n++)
    chosen.push(...queues.flatMap((queue) => queue[n] ?? []).slice(0, room - chosen.length))
  const rank = ({ state }: HostLook): number => HOST_CONDITIONS.indexOf(state)
  return chosen.sort((a, b) => rank(a) - rank(b) || byName(a.status, b.status)).map(({ status }) => status.hostKey)
}

function busiestFirst({ status: a }: HostLook, { status: b }: HostLook): number {
  return b.inFlight - a.inFlight || b.waiting - a.waiting || byName(a, b)
}

function rowOf({ status, state, why, values }: HostLook, now: number): HostRow {
  const { hostKey, waiting, hold, proven } = status
  return {
    ...{ hostKey, state, why, waiting },
    // Of a host that never answered well nothing was found yet.
    ...(proven && given('foundRps', foundRpsOf(values()))),
    ...(hold && hold.until > now && { hold }),
  }
}
