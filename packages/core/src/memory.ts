// Plugins' memory between RAM and the frontier: restored when a host is leased, and of it only the changed parts written, as JSON text.
//
// A part is `[version, memory]` under the plugin's name. Memory is stringified when its host's turns are committed and compared with what the
// store has: no proxies, no dirty flags to forget, and what is not JSON is found out at once. Numbers must be finite: JSON would turn NaN and
// Infinity into null, and a rate that is null after a restart bursts.
import { messageOf } from './errors.ts'
import type { Turn } from './frontier.ts'
import type { MemoryParts } from './frontier-reader.ts'
import type { Json } from './json.ts'
import type { Plugin } from './plugin.ts'
import { BLOB_PREFIX, freshCoreMemory, type CoreHostMemory, type LiveHost } from './scheduler/live-host.ts'

/** What core keeps of the whole crawl. */
export interface CoreCrawlMemory {
  /** Hosts of seeds' sites that joined the scope because a seed redirected to them. */
  scopeHosts: string[]
}

const CORE = 'core'
const CORE_VERSION = 1
/** A plugin that remembers more of one host is not saved: memory is read and written with every visit. */
const MAX_PART_BYTES = 64 * 1024
/** A robots copy is at most 500 KiB by RFC 9309 §2.5. */
const MAX_BLOB_BYTES = 512 * 1024

/** Restores and saves the memory of all plugins of a crawl. */
export class Memories {
  readonly core: CoreCrawlMemory = { scopeHosts: [] }
  /** Crawl memory of each plugin, in the order of the plugins. */
  readonly crawl: unknown[] = []
  readonly #plugins: readonly Plugin[]
  readonly #problem: (message: string) => void
  readonly #savedCrawl = new Map<string, string>()

  constructor(plugins: readonly Plugin[], problem: (message: string) => void) {
    this.#plugins = plugins
    this.#problem = problem
  }

  /** Joins the crawl memories that all processes left. */
  openCrawl(memories: readonly MemoryParts[]): void {
    for (const parts of memories) {
      const core = this.#read<CoreCrawlMemory>(parts[CORE], CORE_VERSION)
      for (const host of core?.scopeHosts ?? []) if (!this.core.scopeHosts.includes(host)) this.core.scopeHosts.push(host)
    }
    for (const plugin of this.#plugins) {
      const left = memories
        .map((parts) => this.#restored(plugin, parts[plugin.name], 'crawl'))
        .filter((memory) => memory !== undefined)
      this.crawl.push(left.length === 0 ? plugin.crawlMemory?.() : left.reduce((a, b) => plugin.merge?.(a, b) ?? a))
    }
  }

  /** Memory of a host as it was left, or fresh. */
  restoreHost(parts: MemoryParts): { core: CoreHostMemory; memory: unknown[] } {
    const core = { ...freshCoreMemory(), ...this.#read<CoreHostMemory>(parts[CORE], CORE_VERSION) }
    const memory = this.#plugins.map((plugin) => this.#restored(plugin, parts[plugin.name], 'host') ?? plugin.hostMemory?.())
    return { core, memory }
  }

  /** Parts of a host's memory that the store does not have yet; remembers them as saved. Call when they are about to be committed. */
  changedHost(host: LiveHost): MemoryParts | undefined {
    const changed: Record<string, string> = {}
    this.#collect(changed, host.savedParts, CORE, CORE_VERSION, host.core)
    this.#plugins.forEach((plugin, index) => {
      if (plugin.hostMemory) this.#collect(changed, host.savedParts, plugin.name, plugin.version ?? 1, host.memory[index])
    })
    for (const [name, text] of host.keptBlobs) {
      if (text.length > MAX_BLOB_BYTES)
        this.#problem(`blob ${name} of ${host.key} has ${text.length} characters, the cap is ${MAX_BLOB_BYTES}: not saved`)
      else changed[BLOB_PREFIX + name] = text
      host.savedParts.set(BLOB_PREFIX + name, text)
    }
    host.keptBlobs.clear()
    return isEmpty(changed) ? undefined : changed
  }

  /** The same for the crawl memory of this process. */
  changedCrawl(): MemoryParts | undefined {
    const changed: Record<string, string> = {}
    if (this.core.scopeHosts.length > 0) this.#collect(changed, this.#savedCrawl, CORE, CORE_VERSION, this.core)
    this.#plugins.forEach((plugin, index) => {
      if (plugin.crawlMemory) this.#collect(changed, this.#savedCrawl, plugin.name, plugin.version ?? 1, this.crawl[index])
    })
    return isEmpty(changed) ? undefined : changed
  }

  /** Says that what `changedHost` and `changedCrawl` gave was not written after all: it is given again with the next turn. */
  notWritten(host: LiveHost, { memory = {}, crawlMemory = {} }: Pick<Turn, 'memory' | 'crawlMemory'>): void {
    for (const [name, text] of Object.entries(memory)) {
      host.savedParts.delete(name)
      if (name.startsWith(BLOB_PREFIX)) host.keptBlobs.set(name.slice(BLOB_PREFIX.length), text)
    }
    for (const name of Object.keys(crawlMemory)) this.#savedCrawl.delete(name)
  }

  #collect(changed: Record<string, string>, saved: Map<string, string>, part: string, version: number, memory: unknown): void {
    const text = this.#written(part, version, memory)
    if (text === undefined || saved.get(part) === text) return
    changed[part] = text
    saved.set(part, text)
  }

  #written(part: string, version: number, memory: unknown): string | undefined {
    try {
      const text = JSON.stringify([version, memory])
      // Only a text with a null in it can hide a NaN: look closer then, and only then.
      if (text.includes('null') && !isFinite(memory)) {
        this.#problem(`memory of ${part} holds a number that is not finite: not saved; store null or leave the field out instead`)
        return undefined
      }
      if (text.length > MAX_PART_BYTES) {
        this.#problem(
          `memory of ${part} has ${text.length} characters, the cap is ${MAX_PART_BYTES}: not saved; keep large texts with host.keepBlob`,
        )
        return undefined
      }
      return text
    } catch (error) {
      this.#problem(`memory of ${part} is not JSON (${messageOf(error)}): not saved`)
      return undefined
    }
  }

  #restored(plugin: Plugin, text: string | undefined, part: 'host' | 'crawl'): unknown {
    const version = plugin.version ?? 1
    const saved = parse(text)
    if (saved === undefined) return undefined
    if (saved[0] === version) return saved[1]
    return plugin.migrate?.(saved[1], saved[0], part)
  }

  #read<Memory>(text: string | undefined, version: number): Memory | undefined {
    const saved = parse(text)
    return saved?.[0] === version ? (saved[1] as Memory) : undefined
  }
}

function parse(text: string | undefined): [number, Json] | undefined {
  if (text === undefined || text === '') return undefined
  const saved: unknown = JSON.parse(text)
  return Array.isArray(saved) && typeof saved[0] === 'number' ? [saved[0], saved[1] as Json] : undefined
}

/** Whether all numbers in `memory` are finite. */
function isFinite(memory: unknown): boolean {
  if (typeof memory === 'number') return Number.isFinite(memory)
  if (typeof memory !== 'object' || memory === null) return true
  return Object.values(memory).every(isFinite)
}

function isEmpty(record: Record<string, string>): boolean {
  for (const _ in record) return false
  return true
}
