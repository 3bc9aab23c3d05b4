// Carries out `avocet pause`, `resume`, `stop`, `host …` and `add`: writes the order into the store, where every process of the crawl hears of it.
import { hostKeyOf, type FrontierReader } from '@avocet/core/store'
import { atRest } from '@avocet/at-rest'
import { type Control } from '@avocet/core/tools'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { existingStore, nameFrom } from '@avocet/project/store'
import { writeDocument, print, type Place, commandLine } from '@avocet/project/place'
import { printable, formatCountOf } from '@avocet/project/text'
import { knownHost } from '../store/known-host.ts'
import { orderIn, stopped } from './order-in.ts'
import { orderInWords } from '../text/order-in-words.ts'

/** An order as it was typed: a pause of a host has a length, which counts from when it is given. Of a host its name in URLs. */
type TypedControl =
  | Exclude<Control, { readonly kind: 'pause-host' }>
  | { readonly kind: 'pause-host'; readonly hostKey: string; readonly forMs?: number }

type AddedSeeds = Extract<Control, { readonly kind: 'add' }>['seeds']

/** What was typed. */
export interface ControlWish {
  readonly control: TypedControl
  readonly store?: string
  /** Also for a host that the store does not know yet. */
  readonly ahead?: boolean
  readonly json: boolean
}

/** Exit code 0 once the order is in the store, and carried out if it is a stop. Throws AVO_USAGE, also for a host the store does not know, AVO_FRONTIER_…. */
export async function controlCommand(wish: ControlWish, place: Place): Promise<void> {
  const { folder, stdout } = place
  const { store, json, ahead = false } = wish
  const path = await existingStore(place, store)
  let givenAt = 0
  let hasSecrets = false
  let knownBefore = 0
  let unmetHandler: string | undefined
  let otherHandler: string | undefined
  const { control, processes, isOrdered } = await orderIn(
    path,
    async ({ now, hostKeying, reader }) => {
      givenAt = now
      const order = orderOf(wish.control, now)
      if (order.kind === 'add') {
        const seeds = withoutSecretsOf((await atRest(reader)).secretParameters, order.seeds)
        ;({ known: knownBefore, otherHandler } = await knownOf(reader, seeds))
        unmetHandler = await unmetHandlerOf(reader, seeds)
        hasSecrets = seeds.some(({ url }, index) => url !== order.seeds[index]?.url)
        return { ...order, seeds }
      }
      if (!('hostKey' in order)) return order
      const hostKey = hostKeyOf(`http://${order.hostKey}/`, hostKeying)
      if (!ahead) await knownHost(reader, hostKey, { wanted: 'host: expected a host' })
      return { ...order, hostKey }
    },
    place,
  )
  const known = control.kind === 'add' ? { known: knownBefore } : {}
  const running = processes.length
  if (control.kind === 'stop') await stopped(path, processes, place)
  if (json) return writeDocument(stdout, { schema: 1, control, processes: running, ordered: isOrdered, ...known })
  const name = nameFrom(folder, path)
  if (!isOrdered) return print(stdout, [`nothing to stop: no process crawls ${name}`])
  const again = commandLine(['resume', ...(store === undefined ? [] : [store])])
  const hint = control.kind === 'pause' ? `; ${again} continues the crawl` : ''
  const lines = [`${orderInWords(control, givenAt)}${hint}`, whenLine(control, running, name)]
  await print(stdout, [
    ...lines,
    ...(knownBefore > 0 ? [knownLine(knownBefore)] : []),
    ...(otherHandler === undefined ? [] : [otherHandlerLine(otherHandler)]),
    ...(unmetHandler === undefined ? [] : [unmetLine(unmetHandler)]),
    ...(hasSecrets ? ['values of secret parameters are in no store: a seed of the crawl has to supply them'] : []),
  ])
}

function orderOf(typed: TypedControl, now: number): Control {
  if (typed.kind !== 'pause-host') return typed
  const { kind, hostKey, forMs } = typed
  return { kind, hostKey, ...(forMs !== undefined && { until: Math.floor(now + forMs) }) }
}

/** What the store knows of seeds. */
interface KnownSeeds {
  /** So many it has with the same handler. */
  readonly known: number
  /** A handler that it has others with: each handler of a URL is a page of its own. */
  readonly otherHandler: string | undefined
}

async function knownOf(reader: FrontierReader, seeds: AddedSeeds): Promise<KnownSeeds> {
  let known = 0
  const crawl = await atRest(reader)
  let otherHandler: string | undefined
  for (const { url, handler: name = 'start' } of seeds) {
    const { requests } = await crawl.requestsOf(url)
    if (requests.some(({ handler }) => handler === name)) known++
    else otherHandler ??= requests[0]?.handler
  }
  return { known, otherHandler }
}

function otherHandlerLine(handler: string): string {
  return `the store has a URL of these with the handler ${printable(handler)}; it is requested for both handlers from now on`
}

/** The spider is not loaded for an order: what the store has never met may be mistyped, or new. All seeds of a command have one handler. */
async function unmetHandlerOf(reader: FrontierReader, [seed]: AddedSeeds): Promise<string | undefined> {
  const handler = seed?.handler
  if (handler === undefined) return undefined
  return (await reader.requests({ handler, limit: 1 })).length === 0 ? handler : undefined
}

function unmetLine(handler: string): string {
  return `no page of the store has the handler ${printable(handler)}: the URL waits until a run has a handler of that name`
}

function knownLine(known: number): string {
  return `${formatCountOf(known, 'URL')} ${known === 1 ? 'is' : 'are'} already known, and not added again`
}

/** They are printed, too. */
function withoutSecretsOf(names: readonly string[], seeds: AddedSeeds): AddedSeeds {
  return seeds.map((seed) => ({ ...seed, url: withoutCredentials(seed.url, names) }))
}

function whenLine({ kind }: Control, running: number, store: string): string {
  if (running === 0) return `no process crawls ${store} now: the next run follows`
  if (kind === 'stop') return `${formatCountOf(running, 'process', 'processes')} of ${store} ended`
  const [who, s] = running === 1 ? ['the process that', 's'] : [`the ${running} processes that`, '']
  return `${who} crawl${s} ${store} follow${s} within a second`
}
