// Carries out `avocet pause`, `resume`, `stop`, `host …`, `accept` and `add`: writes the order into the store, where every process of the crawl hears of it.
import { atRest, Orders } from '@avocet/at-rest'
import { AvocetError } from '@avocet/core'
import { hostKeyOf, sleepUntil, type CrawlingProcess, type FrontierReader } from '@avocet/core/store'
import type { Control } from '@avocet/core/tools'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { commandLine, commandName, print, say, writeDocument, type Place } from '@avocet/project/place'
import { besideCrawl, existingStore, nameFrom, readStore, shownName, type HostKeying } from '@avocet/project/store'
import type { NamedStore } from '@avocet/project/store'
import { formatCountOf, printable } from '@avocet/project/text'
import { knownHost } from '../store/known-host.ts'
import { orderInWords } from '../text/orders-in-words.ts'

/** An order as it was typed: a pause of a host has a length, which counts from when it is given. Of a host its name in URLs. */
type TypedControl =
  | Exclude<Control, { readonly kind: 'pause-host' }>
  | { readonly kind: 'pause-host'; readonly hostKey: string; readonly forMs?: number }

type AddedSeeds = Extract<Control, { readonly kind: 'add' }>['seeds']

/** What was typed. */
export interface ControlWish extends NamedStore {
  readonly control: TypedControl
  /** Also for a host that the store does not know yet. */
  readonly ahead?: boolean
  readonly json: boolean
}

/** Exit code 0 once the order is in the store, and carried out if it is a stop. Throws AVO_USAGE, also for a host the store does not know, AVO_FRONTIER_…. */
export async function controlCommand(wish: ControlWish, place: Place): Promise<void> {
  const { folder, stdout } = place
  const { store, configPath, json, ahead = false } = wish
  const path = await existingStore(place, store, configPath)
  let givenAt = 0
  let hasSecrets = false
  let knownBefore = 0
  let unmetHandler: string | undefined
  let otherHandler: string | undefined
  const { control, processes, isOrdered, held } = await orderIn(
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
  const given = control.kind === 'accept-held' ? { ...control, items: held } : control
  if (json) return writeDocument(stdout, { schema: 1, control: given, processes: running, ordered: isOrdered, ...known })
  const name = nameFrom(folder, path)
  if (!isOrdered) return print(stdout, [`nothing to stop: no process crawls ${name}`])
  const again = commandLine(['resume', ...(store === undefined ? [] : [store])])
  const hint = control.kind === 'pause' ? `; ${again} continues the crawl` : ''
  const lines = [`${orderInWords(given, givenAt)}${hint}`, whenLine(control, running, name)]
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

// Gives an order to a crawl by its store: every process that has it open hears of it.

/** Twice as long as a stop waits by default for requests in flight, and then for outputs; and as long as a process may be silent before it is buried. */
const OBEYED_MS = 90_000
const LOOK_MS = 250

/** What became of an order. */
interface GivenOrder {
  readonly control: Control
  /** Those that crawled when it was given. One that was signing in then obeys as well. */
  readonly processes: readonly CrawlingProcess[]
  /** False for what would end a run where none is: it says nothing of the next one. */
  readonly isOrdered: boolean
  /** Held items that were settled. */
  readonly held: number
}

/** An order, made once the store is open. `now`: epoch ms of the crawl's time. */
type OrderMaker = (at: {
  readonly now: number
  readonly hostKeying: HostKeying
  readonly reader: FrontierReader
}) => Control | Promise<Control>

/** Writes the order that `make` makes into the store at `path`. Throws AVO_USAGE, AVO_FRONTIER_…. */
export async function orderIn(path: string, make: OrderMaker, place: Pick<Place, 'clock' | 'stderr'>): Promise<GivenOrder> {
  const processes = await crawlingIn(path)
  return besideCrawl(path, place, async ({ frontier, hostKeying, now }) => {
    const control = await make({ now, hostKeying, reader: frontier.reader })
    const isOrdered = control.kind !== 'stop' || processes.length > 0
    const { hiddenUrl } = control.kind === 'add' ? await import('@avocet/plugin-secrets') : {}
    const held = isOrdered ? await Orders.give(frontier, control, now, hiddenUrl) : 0
    return { control, processes, isOrdered, held }
  })
}

/** Waits until all of them have stopped. Throws AVO_FRONTIER_BUSY, with the names of those that have not within 90 s. */
async function stopped(
  path: string,
  processes: readonly CrawlingProcess[],
  { clock, stderr }: Pick<Place, 'clock' | 'stderr'>,
): Promise<void> {
  const names = new Set(processes.map(nameOf))
  if (names.size > 0) say(stderr, `waiting for the end of ${[...names].join(', ')}`)
  const giveUpAt = clock.now() + OBEYED_MS
  for (;;) {
    const left = (await crawlingIn(path)).map(nameOf).filter((name) => names.has(name))
    if (left.length === 0) return
    if (clock.now() >= giveUpAt)
      throw new AvocetError(
        'AVO_FRONTIER_BUSY',
        `expected all processes that crawl ${shownName(path)} to have stopped within 90 s, and these have not: ${left.join(', ')}; the order holds, and ${commandName()} status shows who still crawls`,
      )
    await sleepUntil(clock, clock.now() + LOOK_MS)
  }
}

async function crawlingIn(path: string): Promise<readonly CrawlingProcess[]> {
  return (await readStore(path, (reader) => reader.info())).processes ?? []
}

function nameOf({ machine, pid }: CrawlingProcess): string {
  return `process ${pid}${machine === undefined ? '' : ` on ${printable(machine)}`}`
}
