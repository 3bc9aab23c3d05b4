// Carries out `avocet pause`, `resume`, `stop`, `host …` and `add`: writes the order into the store, where every process of the crawl hears of it.
import type { Control } from '@avocet/core/tools'
import { existingStore, nameFrom } from '../load/store-path.ts'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { readStore } from '../store/open-store.ts'
import { commandName } from '../text/command-line.ts'
import { orderIn } from './order-in.ts'
import { orderInWords } from './order-in-words.ts'

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
  const { folder, stdout } = place
  const path = await existingStore(place, store)
  let givenAt = 0
  const { control, running, isOrdered } = await orderIn(path, (now) => orderOf(typed, (givenAt = now)), place)
  if (json) return writeDocument(stdout, { schema: 1, control, processes: running, ordered: isOrdered })
  const name = nameFrom(folder, path)
  if (!isOrdered) return print(stdout, [`nothing to stop: no process crawls ${name}`])
  const hint = control.kind === 'pause' ? `; ${commandName()} resume continues the crawl` : await unknownHost(path, control)
  await print(stdout, [`${orderInWords(control, givenAt)}${hint}`, whenLine(control, running, name)])
}

function orderOf(typed: TypedControl, now: number): Control {
  if (typed.kind !== 'pause-host') return typed
  const { kind, hostKey, forMs } = typed
  return { kind, hostKey, ...(forMs !== undefined && { until: Math.floor(now + forMs) }) }
}

/** A host that the store does not know may be a misspelled one. */
async function unknownHost(path: string, control: Control): Promise<string> {
  if (!('hostKey' in control) || (await readStore(path, (reader) => reader.host(control.hostKey))) !== undefined) return ''
  return ` (the store does not know this host yet; ${commandName()} hosts lists those that it knows)`
}

function whenLine({ kind }: Control, running: number, store: string): string {
  if (running === 0) return `no process crawls ${store} now: the next run follows`
  const [who, verb] = running === 1 ? ['the process that crawls', 's'] : [`the ${running} processes that crawl`, '']
  return kind === 'stop' ? `${who} ${store} end${verb}` : `${who} ${store} follow${verb} within a second`
}
