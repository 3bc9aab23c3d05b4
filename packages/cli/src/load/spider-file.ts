// Loads the spider that a file exports, with the arguments of `-a key=value`.
import { AvocetError, type Scope, type Seed, type Spider } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { didYouMean } from '@avocet/core/tools'
import { loadModule } from './load-module.ts'

/**
 * The spider that the file at `path` (absolute) exports by default, or that its exported function makes of `args`.
 *
 * @throws AVO_SPIDER_LOAD when the file cannot be loaded, AVO_SPIDER_INVALID when what it exports is no spider.
 */
export async function loadSpider(path: string, args: Readonly<Record<string, string>>): Promise<Spider> {
  const exported = await loadModule(path, 'AVO_SPIDER_LOAD')
  if (typeof exported === 'function') return checkSpider(await make(exported as SpiderMaker, path, args), path)
  const given = Object.keys(args)
  if (given.length > 0) {
    throw new AvocetError(
      'AVO_SPIDER_INVALID',
      `${path}: got -a ${given.join(', -a ')}, but the spider takes no arguments; declare them: export default spiderWith({ ${given[0] ?? 'name'}: 'text' }, (args) => spider({ … }))`,
    )
  }
  return checkSpider(exported, path)
}

/** The seeds of a spider one by one, also where a function makes them, which may have no end. */
export async function* spiderSeedsOf({ seeds: given }: Spider): AsyncGenerator<Seed> {
  const seeds: Iterable<string | Seed> | AsyncIterable<string | Seed> = typeof given === 'function' ? given() : given
  for await (const seed of seeds) yield typeof seed === 'string' ? { url: seed } : seed
}

type SpiderMaker = (args: Readonly<Record<string, string>>) => unknown

async function make(maker: SpiderMaker, path: string, args: Readonly<Record<string, string>>): Promise<unknown> {
  try {
    return await maker(args)
  } catch (error) {
    if (error instanceof AvocetError && error.code === 'AVO_USAGE') throw new AvocetError('AVO_USAGE', `${path}: ${error.message}`)
    throw new AvocetError('AVO_SPIDER_LOAD', `${path}: the function that makes the spider threw: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

// Whether a value is a spider, before anything is made under its name: its shape, its name, its scope, and nothing unknown in it.
//
// Core checks the same spider once more when the crawl is made, for any caller. Here is what only a file that somebody typed needs:
// where the mistake is, and what was probably meant.

const SPIDER_KEYS = { name: 0, seeds: 0, scope: 0, accepts: 0, handlers: 0, unchanged: 0 } satisfies Record<keyof Spider, 0>
const SEED_KEYS = { url: 0, handler: 0, priority: 0, data: 0, method: 0, headers: 0, body: 0, identity: 0 } satisfies Record<
  keyof Seed,
  0
>
const SCOPE_KEYS = { within: 0, hosts: 0, blockedHosts: 0, maxDepth: 0, allow: 0, deny: 0 } satisfies Record<keyof Scope, 0>
const WITHIN = ['seed-hosts', 'seed-domains', 'any']

/** Names become file names: no way out of the folder, and no hidden file. */
const NAME = /^[\w-][\w.-]{0,99}$/

/**
 * The value itself, if it is a spider.
 *
 * @param from where it comes from, for the message.
 * @throws AVO_SPIDER_INVALID.
 */
export function checkSpider(value: unknown, from: string): Spider {
  const wrong = (what: string): AvocetError => new AvocetError('AVO_SPIDER_INVALID', `${from}: ${what}`)
  if (!isRecord(value)) throw wrong(`expected a spider, spider({ name, seeds, handlers }), got ${kindOf(value)}`)
  const unknown = unknownKey(value, SPIDER_KEYS)
  if (unknown !== undefined) throw wrong(`a spider has no '${unknown}'${didYouMean(unknown, Object.keys(SPIDER_KEYS))}`)
  const { name, seeds, scope, accepts, handlers } = value
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw wrong(`expected name of letters, digits, '-', '_' and '.', got ${kindOf(name)}`)
  }
  if (accepts !== undefined && typeof accepts !== 'function')
    throw wrong(`expected accepts to be a function, got ${kindOf(accepts)}`)
  if (value['unchanged'] !== undefined && typeof value['unchanged'] !== 'function')
    throw wrong(`expected unchanged to be a function of a page, got ${kindOf(value['unchanged'])}`)
  checkHandlers(handlers, wrong)
  checkScope(scope, wrong)
  checkSeeds(seeds, wrong)
  return value as unknown as Spider
}

type Wrong = (what: string) => AvocetError

function checkHandlers(handlers: unknown, wrong: Wrong): void {
  if (!isRecord(handlers)) throw wrong(`expected handlers: { *start(page) { … } }, got ${kindOf(handlers)}`)
  for (const [name, handler] of Object.entries(handlers)) {
    if (typeof handler !== 'function') throw wrong(`expected handler '${name}' to be a function, got ${kindOf(handler)}`)
  }
  if (handlers['start'] === undefined) {
    const names = Object.keys(handlers)
    throw wrong(`expected a handler 'start' for the seeds, found ${names.length === 0 ? 'none' : names.join(', ')}`)
  }
}

function checkScope(scope: unknown, wrong: Wrong): void {
  if (scope === undefined) return
  if (!isRecord(scope)) throw wrong(`expected scope to be an object, got ${kindOf(scope)}`)
  const unknown = unknownKey(scope, SCOPE_KEYS)
  if (unknown !== undefined) throw wrong(`scope has no '${unknown}'${didYouMean(unknown, Object.keys(SCOPE_KEYS))}`)
  const { within, maxDepth } = scope
  if (within !== undefined && !WITHIN.includes(within as string)) {
    throw wrong(`expected scope.within to be ${WITHIN.join(', ')}, got ${kindOf(within)}`)
  }
  if (maxDepth !== undefined && !(typeof maxDepth === 'number' && maxDepth >= 0)) {
    throw wrong(`expected scope.maxDepth to be a number from 0, got ${kindOf(maxDepth)}`)
  }
  for (const list of ['allow', 'deny', 'hosts', 'blockedHosts'] as const) {
    if (scope[list] !== undefined && !Array.isArray(scope[list]))
      throw wrong(`expected scope.${list} to be an array, got ${kindOf(scope[list])}`)
  }
}

function checkSeeds(seeds: unknown, wrong: Wrong): void {
  if (typeof seeds === 'function') return
  if (!Array.isArray(seeds))
    throw wrong(`expected seeds to be an array of URLs or a function that gives them, got ${kindOf(seeds)}`)
  for (const seed of seeds as readonly unknown[]) {
    const unknown = isRecord(seed) ? unknownKey(seed, SEED_KEYS) : undefined
    if (unknown !== undefined) throw wrong(`a seed has no '${unknown}'${didYouMean(unknown, Object.keys(SEED_KEYS))}`)
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unknownKey(value: Readonly<Record<string, unknown>>, known: object): string | undefined {
  return Object.keys(value).find((key) => !Object.hasOwn(known, key))
}

/** How a message calls a value: short, and never its contents but for short texts and numbers. */
function kindOf(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 80 ? `${value.slice(0, 80)}…` : value}'`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined || value === null) return value === null ? 'null' : 'nothing'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'function' ? 'a function' : `an ${typeof value}`
}
