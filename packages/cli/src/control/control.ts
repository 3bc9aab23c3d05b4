// Carries out `avocet pause`, `resume`, `stop`, `host …` and `add`: writes the order into the store, where every process of the crawl hears of it.
import { controlCrawl, type Control } from '@avocet/core/tools'
import type { Frontier } from '@avocet/core/store'
import { existingStore, nameFrom } from '../load/store-path.ts'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { openedAsItIs } from '../store/open-store.ts'
import { commandName } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatCountOf, formatDuration } from '../text/quantity.ts'
import { limitsInWords } from './limits-in-words.ts'

/** An order as it was typed: a pause of a host has a length, which counts from when it is given. */
type TypedControl =
  | Exclude<Control, { readonly kind: 'pause-host' }>
  | { readonly kind: 'pause-host'; readonly hostKey: string; readonly forMs?: number }

/** What was typed. */
export interface ControlWish {
  readonly control: TypedControl
  readonly store?: string
  readonly json: boolean
}

/** Exit code 0 once the order is in the store. Throws AVO_FRONTIER_…, AVO_USAGE. */
export async function controlCommand({ control: typed, store, json }: ControlWish, place: Place): Promise<void> {
  const { folder, stdout, clock } = place
  const path = await existingStore(place, store)
  const { frontier, info } = await openedAsItIs(path, clock.now(), place)
  try {
    const now = clock.now() + (info.aheadMs ?? 0)
    const control = orderOf(typed, now)
    const running = Math.max(0, (await frontier.reader.info()).liveProcesses - 1)
    // It ends those that run: without one it would say something of no run.
    const isVain = control.kind === 'stop' && running === 0
    if (!isVain) await controlCrawl(frontier, { crawlMemories: info.crawlMemories, now }, control)
    if (json) return await writeDocument(stdout, { schema: 1, control, processes: running, ordered: !isVain })
    const name = nameFrom(folder, path)
    if (isVain) return await print(stdout, [`nothing to stop: no process crawls ${name}`])
    await print(stdout, [`${inWords(typed)}${await hint(frontier, control)}`, whenLine(control, running, name)])
  } finally {
    await frontier.close()
  }
}

function orderOf(typed: TypedControl, now: number): Control {
  if (typed.kind !== 'pause-host') return typed
  const { kind, hostKey, forMs } = typed
  return { kind, hostKey, ...(forMs !== undefined && { until: Math.floor(now + forMs) }) }
}

function inWords(control: TypedControl): string {
  if (control.kind === 'pause') return `paused; ${commandName()} resume continues the crawl`
  if (control.kind === 'resume') return 'resumed'
  if (control.kind === 'stop') return control.now === true ? 'stopping now' : 'stopping'
  if (control.kind === 'add') return `${formatCountOf(control.seeds.length, 'URL')} added`
  const host = printable(control.hostKey)
  if (control.kind === 'pause-host')
    return control.forMs === undefined
      ? `${host}: paused until it is resumed`
      : `${host}: paused for ${formatDuration(control.forMs)}`
  if (control.kind === 'resume-host') return `${host}: resumed`
  if (control.kind === 'forget-host') return `${host}: what was learned of it is discarded`
  return `${host}: ${limitsInWords(control.limits)}`
}

/** A host that the store does not know may be a misspelled one. */
async function hint({ reader }: Frontier, control: Control): Promise<string> {
  if (!('hostKey' in control) || (await reader.host(control.hostKey)) !== undefined) return ''
  return ` (the store does not know this host yet; ${commandName()} hosts lists those that it knows)`
}

function whenLine({ kind }: Control, running: number, store: string): string {
  if (running === 0) return `no process crawls ${store} now: the next run follows`
  const who = running === 1 ? 'the process that crawls' : `the ${running} processes that crawl`
  return kind === 'stop'
    ? `${who} ${store} ${running === 1 ? 'ends' : 'end'}`
    : `${who} ${store} ${running === 1 ? 'follows' : 'follow'} within a second`
}
