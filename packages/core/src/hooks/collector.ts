// What plugins answer at one hook, joined: each collector of a hook is one of these, so that the guard around every tap can say who speaks, and who threw.
import type { HookName } from './hooks.ts'

/** Joins the answers of all plugins at one station. */
export abstract class Collector {
  /** Whose answer comes next; set by the guard around each tap. */
  speaker = 'core'

  /** Takes the throw of `plugin` in `hook` as its answer. */
  abstract threw(plugin: string, hook: HookName, error: unknown): void
}
