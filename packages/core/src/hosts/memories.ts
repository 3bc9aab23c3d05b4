// Plugins' memory between RAM and the frontier: restored when a host is leased, and of it only the changed parts written, as JSON text.
//
// A part is `[version, memory]` under the plugin's name. Memory is stringified when its host's units are committed and compared with what the
// store has: no proxies, no dirty flags to forget. What would come back as something else (a Date as a text, a Map as nothing, NaN as null) is not
// saved: the host goes on with what was saved before. A method of a plugin that throws here costs its memory, never the crawl. Memory beyond the cap ends it:
// a plugin whose memory is lost at the next start would do its work twice.
import { AvocetError, messageOf } from '../values/errors.ts'
import type { CrawlTexts } from './crawl-texts.ts'
import type { CommitUnit } from '../ports/frontier.ts'
import { BLOB_PREFIX, type MemoryParts } from '../ports/frontier-reader.ts'
import type { Json } from '../values/json.ts'
import type { Plugin } from '../ports/plugin.ts'
import { movedBack, setBackMs } from '../values/setback.ts'
import { unlikeJson } from '../values/unlike-json.ts'
import { freshCoreMemory, type CoreHostMemory, joinCoreMemory, joinScopeHosts, type CoreCrawlMemory } from './core-memory.ts'
import type { LiveHost } from './live-host.ts'

const CORE = 'core'
const CORE_VERSION = 1
/** Of a plugin, at one host or in all: memory is read with every lease, and compared with every commit. */
const MAX_PART_BYTES = 64 * 1024
/** Of the crawl, joined of what several processes left: a plugin that bounds what it adds has room for it. */
const MAX_JOINED_BYTES = 56 * 1024

/** Receives what went wrong. */
export interface MemoryListener {
  /** A plugin remembers more than it may: the crawl is to end. */
  broken(error: AvocetError): void
  /** A plugin is to blame: it threw, or gave what it must not. */
  pluginError(message: string): void
}

/** Restores and saves the memory of all plugins of a crawl. */
export class Memories {
  readonly core: CoreCrawlMemory = { scopeHosts: [] }
  /** Crawl memory of each plugin, in the order of the plugins. */
  readonly crawl: unknown[] = []
  /** What plugins keep beside their memory of the crawl. Absent until the crawl is open. */
  texts: CrawlTexts | undefined
  readonly #plugins: readonly Plugin[]
  /** Name of the rate policy; of several the first by name, whatever their order. */
  readonly #rate: string | undefined
  readonly #listener: MemoryListener
  readonly #savedCrawl = new Map<string, string>()

  constructor(plugins: readonly Plugin[], listener: MemoryListener) {
    this.#plugins = plugins
    this.#rate = plugins.flatMap(({ name, policy }) => (policy === 'rate' ? [name] : [])).toSorted()[0]
    this.#listener = listener
  }

  /** Joins the crawl memories that all processes left; `backMs`: the clock that wrote them was ahead by so much. */
  openCrawl(memories: readonly MemoryParts[], backMs = 0): void {
    for (const parts of memories) {
      const core = this.#read<CoreCrawlMemory>(parts[CORE], CORE_VERSION)
      if (core !== undefined) joinCoreMemory(this.core, core)
    }
    for (const plugin of this.#plugins) {
      const left = memories
        .map((parts) => this.#restored(plugin, parts[plugin.name], backMs))
        .filter((memory) => memory !== undefined)
      const [first, ...others] = left
      const joined = others.reduce((a, b) => this.#joined(plugin, a, b), first)
      this.crawl.push(joined ?? this.#asked(plugin, 'crawlMemory', () => plugin.crawlMemory?.()))
    }
  }

  /** What two processes left; the first alone where that is too much: a crawl that ran can be resumed. */
  #joined(plugin: Plugin, a: unknown, b: unknown): unknown {
    const before = JSON.stringify(a)
    const both = this.#asked(plugin, 'merge', () => {
      const joined = plugin.merge?.(a, b) ?? a
      if (JSON.stringify(joined).length <= Math.max(MAX_JOINED_BYTES, before.length)) return joined
      const got = `memory of plugin ${plugin.name} that several processes left is more than ${MAX_JOINED_BYTES} characters joined`
      this.#listener.pluginError(`${got}: what is beyond is left out`)
      return undefined
    })
    return both ?? (JSON.parse(before) as unknown)
  }

  /** What other processes wrote meanwhile; returns the hosts that joined the scope there, and not here. */
  heard(memories: readonly MemoryParts[]): readonly string[] {
    return memories.flatMap((parts) => joinScopeHosts(this.core, this.#read<CoreCrawlMemory>(parts[CORE], CORE_VERSION) ?? {}))
  }

  /**
   * Memory of a host as it was left, or fresh. Where the clock that last wrote was ahead of `now` (epoch ms; absent: it was not), its moments are moved back
   * so that the last that happened is now.
   * What policies had learned before they were ordered to forget it (`forgottenAt`, epoch ms) is left out.
   */
  restoreHost(parts: MemoryParts, now: number = Infinity, forgottenAt = 0): { core: CoreHostMemory; memory: unknown[] } {
    const left = { ...freshCoreMemory(), ...this.#read<CoreHostMemory>(parts[CORE], CORE_VERSION) }
    // What is taken back is no visit, but it was the wrong clock that the plugins heard it by.
    const { lastStartAt, lastSentAt = 0, lastEndAt, takenBackAt = 0 } = left
    const backMs = setBackMs(Math.max(lastStartAt, lastSentAt, lastEndAt, takenBackAt), now)
    const core = backMs > 0 ? movedBack(left, backMs) : left
    // Orders keep their moments: one that was carried out is not carried out again.
    if (left.forgottenAt !== undefined) core.forgottenAt = left.forgottenAt
    const memory = this.#plugins.map(
      (plugin) =>
        this.#restored(plugin, parts[plugin.name], backMs) ?? this.#asked(plugin, 'hostMemory', () => plugin.hostMemory?.()),
    )
    if (this.#rate !== undefined) core.rate = this.#rate
    return forgottenAt > (core.forgottenAt ?? 0) ? this.forgotten({ core, memory }, forgottenAt) : { core, memory }
  }

  /** Memory of a host in which the policies begin anew; when it was asked, and what it asked for, stays. `at`: of the order, epoch ms. */
  forgotten({ core, memory }: Pick<LiveHost, 'core' | 'memory'>, at: number): { core: CoreHostMemory; memory: unknown[] } {
    core.forgottenAt = at
    core.consecutiveFailures = 0
    for (const name of ['failedFor', 'forbidden', 'probes', 'refusals'] as const) delete core[name]
    const isLearned = ({ policy, hostMemory }: Plugin): boolean => policy !== undefined && hostMemory !== undefined
    return {
      core,
      memory: this.#plugins.map((plugin, index) =>
        isLearned(plugin)
          ? this.#asked(plugin, 'forgetHost', () => plugin.forgetHost?.(memory[index]) ?? plugin.hostMemory?.())
          : memory[index],
      ),
    }
  }

  /**
   * Parts of a host's memory that the store does not have yet; remembers them as saved. Call when they are about to be committed.
   */
  changedHost(host: LiveHost, isGivenBack = false): MemoryParts | undefined {
    if (isGivenBack) this.#askLate(host)
    const changed: Record<string, string> = {}
    this.#collect(changed, host.savedParts, CORE, CORE_VERSION, host.core)
    this.#plugins.forEach(({ name, version = 1, hostMemory }, index) => {
      if (hostMemory) this.#collect(changed, host.savedParts, name, version, host.memory[index])
    })
    for (const [name, text] of host.keptBlobs) {
      changed[BLOB_PREFIX + name] = text
      host.savedParts.set(BLOB_PREFIX + name, text)
    }
    host.keptBlobs.clear()
    return isEmpty(changed) ? undefined : changed
  }

  #askLate(host: LiveHost): void {
    for (const [name, ask] of host.lateBlobs)
      try {
        const text = ask()
        if (text !== undefined) host.keepBlob(name, text)
      } catch (error) {
        this.#listener.pluginError(`what is kept of ${host.key} as ${name} could not be had: ${messageOf(error)}`)
      }
  }

  /** The same for the crawl memory of this process. */
  changedCrawl(): MemoryParts | undefined {
    const changed: Record<string, string> = { ...this.texts?.changed() }
    const { scopeHosts, ...others } = this.core
    if (scopeHosts.length > 0 || !isEmpty(others)) this.#collect(changed, this.#savedCrawl, CORE, CORE_VERSION, this.core)
    this.#plugins.forEach(({ name, version = 1, crawlMemory }, index) => {
      if (crawlMemory) this.#collect(changed, this.#savedCrawl, name, version, this.crawl[index])
    })
    return isEmpty(changed) ? undefined : changed
  }

  /** Says that what `changedHost` and `changedCrawl` gave was not written after all: it is given again with the next unit. */
  notWritten(host: LiveHost, { memory = {}, crawlMemory = {} }: Pick<CommitUnit, 'memory' | 'crawlMemory'>): void {
    for (const [name, text] of Object.entries(memory)) {
      host.savedParts.delete(name)
      if (name.startsWith(BLOB_PREFIX)) host.keptBlobs.set(name.slice(BLOB_PREFIX.length), text)
    }
    for (const name of Object.keys(crawlMemory)) this.#savedCrawl.delete(name)
  }

  #collect(changed: Record<string, string>, saved: Map<string, string>, part: string, version: number, memory: unknown): void {
    const text = this.#textOf(part, version, memory)
    if (text === undefined || saved.get(part) === text) return
    // Instances of classes leave no trace in the text: the first memory is looked at in any case.
    const flaw = !saved.has(part) || hasTraces(text) ? unlikeJson(memory) : undefined
    if (flaw !== undefined) return this.#notJson(part, `holds what JSON cannot carry (${flaw})`)
    changed[part] = text
    saved.set(part, text)
  }

  #textOf(part: string, version: number, memory: unknown): string | undefined {
    try {
      const text = JSON.stringify([version, memory])
      if (text.length <= MAX_PART_BYTES || part === CORE) return text
      const got = `expected at most ${MAX_PART_BYTES} characters of memory of plugin ${part}, got ${text.length}`
      const message = `${got}; keep what grows with the items as texts of the host, with host.keepBlob`
      this.#listener.broken(new AvocetError('AVO_PLUGIN_INVALID', message))
    } catch (error) {
      this.#notJson(part, `is not JSON (${messageOf(error).split('\n', 1)[0]})`)
    }
    return undefined
  }

  #notJson(part: string, what: string): void {
    this.#listener.pluginError(`memory of ${part} ${what}: not saved; keep plain JSON in it, moments as epoch ms`)
  }

  #restored(plugin: Plugin, text: string | undefined, backMs: number): unknown {
    const memory = this.#read(text, plugin.version ?? 1)
    return backMs === 0 || memory === undefined ? memory : movedBack(memory, backMs)
  }

  /** What a method of a plugin gives; undefined when it throws. */
  #asked({ name }: Plugin, method: string, ask: () => unknown): unknown {
    try {
      return ask()
    } catch (error) {
      this.#listener.pluginError(`plugin ${name} threw in ${method}: ${messageOf(error)}`)
      return undefined
    }
  }

  #read<Memory>(text: string | undefined, version: number): Memory | undefined {
    const saved = parse(text)
    return saved?.[0] === version ? (saved[1] as Memory) : undefined
  }
}

function parse(text: string | undefined): [number, Json] | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const saved: unknown = JSON.parse(text)
    return Array.isArray(saved) && typeof saved[0] === 'number' ? [saved[0], saved[1] as Json] : undefined
  } catch {
    return undefined
  }
}

/** Whether `text` has what JSON writes of NaN, of a Map or Set, or of a Date. */
function hasTraces(text: string): boolean {
  return text.includes('null') || text.includes('{}') || text.includes('Z"')
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false
  return true
}
