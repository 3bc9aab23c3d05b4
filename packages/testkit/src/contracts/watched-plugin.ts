// A plugin with an inspector around it: behaves as the plugin does, and notes each promise that it breaks.
//
// Promises of one plugin alone: `admit` writes nothing, memory is plain JSON within its cap, and each booking it is told of ends exactly once.
import type { Plugin } from '@avocet/core'
import type { Exchange } from '@avocet/core/plugin'
import { unlikeJson } from '@avocet/core/tools'

/** Most that a plugin may remember of one host, or of the crawl, as JSON: core does not save more. */
const MAX_MEMORY_CHARACTERS = 64 * 1024

/** What was noted of one plugin in one crawl. */
export class Inspection {
  /** Each broken promise once. */
  readonly findings: Set<string> = new Set()
  /** Memory of each host as JSON, as the plugin was first handed it. */
  readonly firstMemory: Map<string, string> = new Map()
  readonly #open = new Map<string, string>()

  /** Bookings that have not ended, by host and number. */
  get open(): readonly string[] {
    return [...this.#open].map(([booking, url]) => `${booking} (${url})`)
  }

  booked({ host, seq, request }: Exchange): void {
    const booking = `${host.key} ${String(seq)}`
    if (this.#open.has(booking)) this.findings.add(`booking ${booking} was made twice`)
    this.#open.set(booking, request.url)
  }

  ended({ host, seq }: Exchange, how: string): void {
    const booking = `${host.key} ${String(seq)}`
    if (!this.#open.delete(booking)) this.findings.add(`booking ${booking} ended by ${how}, but was not open`)
  }

  /** Looks at the memory after a hook. */
  memory(hook: string, host: unknown, crawl: unknown): void {
    for (const [part, memory] of [
      ['hostMemory', host],
      ['crawlMemory', crawl],
    ] as const) {
      const flaw = unlikeJson(memory)
      if (flaw !== undefined) this.findings.add(`after ${hook}, ${part} is not plain JSON: ${flaw}`)
      const characters = written(memory).length
      if (characters > MAX_MEMORY_CHARACTERS) {
        this.findings.add(`after ${hook}, ${part} is larger than ${String(MAX_MEMORY_CHARACTERS)} characters of JSON`)
      }
    }
  }
}

/** `plugin`, watched. */
export function watched(plugin: Plugin, inspection: Inspection): Plugin {
  return {
    ...plugin,
    admit(ask, host, crawl) {
      const before = written([host, crawl])
      if (!inspection.firstMemory.has(ask.host.key)) inspection.firstMemory.set(ask.host.key, written(host))
      plugin.admit?.(ask, host, crawl)
      const after = written([host, crawl])
      if (after !== before)
        inspection.findings.add(`admit must write nothing, yet memory went from ${short(before)} to ${short(after)}`)
    },
    onAdmit(exchange, host, crawl) {
      inspection.booked(exchange)
      plugin.onAdmit?.(exchange, host, crawl)
      inspection.memory('onAdmit', host, crawl)
    },
    async beforeRequest(outgoing, host, crawl) {
      await plugin.beforeRequest?.(outgoing, host, crawl)
      inspection.memory('beforeRequest', host, crawl)
    },
    onUnsent(exchange, host, crawl) {
      inspection.ended(exchange, 'onUnsent')
      plugin.onUnsent?.(exchange, host, crawl)
      inspection.memory('onUnsent', host, crawl)
    },
    onResponse(answer, host, crawl) {
      inspection.ended(answer.exchange, 'onResponse')
      plugin.onResponse?.(answer, host, crawl)
      inspection.memory('onResponse', host, crawl)
    },
    onError(failed, host, crawl) {
      inspection.ended(failed.exchange, 'onError')
      plugin.onError?.(failed, host, crawl)
      inspection.memory('onError', host, crawl)
    },
    onSettled(settled, crawl) {
      plugin.onSettled?.(settled, crawl)
      inspection.memory('onSettled', undefined, crawl)
    },
  }
}

/** JSON text; of what JSON cannot carry, a text that says so. */
function written(memory: unknown): string {
  try {
    return JSON.stringify(memory) ?? 'undefined'
  } catch {
    return 'not JSON'
  }
}

function short(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}
