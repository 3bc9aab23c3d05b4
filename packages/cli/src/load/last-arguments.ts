// Whether a spider gets other arguments (`-a`) than a crawl last used: a short hash of each, kept in the memory of the crawl.
//
// Arguments are no part of a store's name, so items of both would be in one store, and in every output of it. A value may be a secret: 32 bits of its hash
// tell two values apart, and fit too many to give one away.
import { createHash } from 'node:crypto'
import { type Plugin, definePlugin } from '@avocet/core'
import { isSecretName } from '@avocet/core/store'
import { crawlIn, isFar, withCrawl, withoutCrawl } from '../store-kinds/store-address.ts'
import { besideStore } from './store-path.ts'

/** The arguments of a spider in a crawl. */
export interface LastArguments {
  /** Keeps the hashes, and compares them as the crawl opens. */
  readonly plugin: Plugin
  /** A line where some differ from the last run. Known once the plugin has opened. `store`: as messages call it; absent where only the configuration knows. */
  remark(store: string | undefined): readonly string[]
}

/** `args`: as they were typed, by name. */
export function lastArguments(args: Readonly<Record<string, string>>): LastArguments {
  const hashes = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, hashOf(value)]))
  const isSame = (last: { readonly hashes: Hashes }): boolean => differing(last.hashes, hashes).length === 0
  const run = lastRun({ name: 'spider-arguments', facts: { hashes }, isSame })
  return {
    plugin: run.plugin,
    remark(store) {
      const last = run.differing()
      return last === undefined ? [] : [remarkOn(differing(last.hashes, hashes), args, store)]
    },
  }
}

function remarkOn(changed: readonly string[], args: Readonly<Record<string, string>>, store: string | undefined): string {
  const them = `-a ${changed.join(', -a ')} ${changed.length === 1 ? 'differs' : 'differ'} from the last run`
  const way =
    store === undefined
      ? 'to keep them apart, use a store of its own'
      : `to crawl apart from it, add --store ${anotherStore(store, wordFor(changed, args))}; --fresh forgets the old items`
  return `${them}: items of both are in one store, and pages already crawled keep their items; ${way}`
}

/** `store`: as messages call it. */
function anotherStore(store: string, word: string): string {
  if (!isFar(store)) return besideStore(store, `-${word}.db`)
  return withCrawl(withoutCrawl(store), `${crawlIn(store) ?? 'crawl'}-${word}`)
}

/** A value that can be part of a file name and is nobody's secret. */
function wordFor(changed: readonly string[], args: Readonly<Record<string, string>>): string {
  const words = changed.filter((name) => !isSecretName(name)).map((name) => args[name] ?? '')
  return words.find((word) => SHORT_WORD.test(word)) ?? '2'
}

/** The arguments with an ellipsis in place of values that may be secrets, by their names. */
export function withoutSecretArguments(args: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, isSecretName(name) ? '…' : value]))
}

const SHORT_WORD = /^[A-Za-z0-9][\w-]{0,29}$/

type Hashes = Readonly<Record<string, string>>

function differing(before: Hashes, now: Hashes): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]).toSorted()
}

function hashOf(value: string): string {
  return createHash('sha1').update(value).digest('hex').slice(0, 8)
}

// What the last run of a crawl went by, such as the source of its spider, and whether this run goes by something else: kept in the memory of the crawl.
//
// Pages that were crawled keep their items, whatever this run would make of them. Nobody sees that in the items, so it is said. What is kept is that of the
// last run that had an answer: a run that finds nothing to do leaves it, so that the next one says it again.

/** What is compared from run to run. */
interface Compared<Facts> {
  /** Of the plugin, and of its part of the memory of the crawl. */
  readonly name: string
  /** Of this run: plain JSON. */
  readonly facts: Facts
  isSame(last: Facts, now: Facts): boolean
}

/** The last run of a crawl, as far as it is compared. */
interface LastRun<Facts> {
  /** Keeps the facts, and compares them as the crawl opens. */
  readonly plugin: Plugin
  /** Those of the last run, if they differ. Known once the plugin has opened. */
  differing(): Facts | undefined
}

/** Crawl memory. `facts` null: there was no run with an answer. `at`: epoch ms. */
interface Memory<Facts> {
  facts: Facts | null
  at: number
}

/** Compares them. */
export function lastRun<Facts extends object>({ name, facts, isSame }: Compared<Facts>): LastRun<Facts> {
  let differs: Facts | undefined
  const note = (memory: Memory<Facts>, now: number): void => void Object.assign(memory, { facts, at: Math.round(now) })
  const plugin = definePlugin<undefined, Memory<Facts>>({
    name,
    outsideEffects: false,
    crawlMemory: () => ({ facts: null, at: 0 }),
    merge: (a, b) => (a.at >= b.at ? a : b),
    open({ info, now }, memory) {
      if (info.settled === 0) note(memory, now)
      else if (memory.facts !== null && !isSame(memory.facts, facts)) differs = memory.facts
    },
    // Before the page is committed: what is learned behind the last commit is not written.
    onResponse({ now }, _host, memory) {
      if (memory.facts === null || !isSame(memory.facts, facts)) note(memory, now)
    },
  })
  return { plugin, differing: () => differs }
}
