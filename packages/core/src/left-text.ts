// A text that a plugin kept beside the memory of the crawl, as a process left it in the store.

/** What one process wrote under the name of a text. */
export interface LeftText {
  readonly text: string
  /** The process is running: what it wrote stays its own. What a process wrote that is gone is dropped once this one writes a text of that name. */
  readonly isRunning: boolean
}
