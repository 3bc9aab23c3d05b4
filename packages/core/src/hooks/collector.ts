// What plugins answer at one hook, joined: each collector of a hook is one of these, so that the guard around every tap can say who speaks, and who threw.
import type { Called } from './hooks.ts'
import type { Discovery } from '../ports/plugin.ts'

/** Joins the answers of all plugins at one station. */
export abstract class Collector {
  /** Whose answer comes next; set by the guard around each tap. */
  speaker = 'core'

  /** Takes the throw of `plugin` in `hook` as its answer. */
  abstract threw(plugin: string, hook: Called, error: unknown): void
}

// What a plugin sees of a URL that was found, and how it refuses it.

/** The collector behind `onDiscover`; what was found is assigned to it. */
export class DiscoveryCollector extends Collector implements Pick<Discovery, 'refuse'> {
  readonly reasons: string[] = []
  /** Who refused it, of several the first by name; undefined while nobody did. */
  refusedBy: string | undefined

  refuse(reason: string): void {
    this.#name(this.speaker)
    this.reasons.push(reason)
  }

  threw(plugin: string): void {
    this.#name(plugin)
    this.reasons.push('plugin-threw')
  }

  #name(who: string): void {
    if (this.refusedBy === undefined || who < this.refusedBy) this.refusedBy = who
  }
}
