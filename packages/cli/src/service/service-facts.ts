// What a service manager has to know of a crawl.

/** Paths are absolute. */
export interface ServiceFacts {
  /** Of the spider. */
  readonly name: string
  readonly folder: string
  readonly user: string
  readonly node: string
  /** The module that `node` runs. */
  readonly program: string
  /** Of the command, `crawl` first. */
  readonly words: readonly string[]
  /** How long a stop may take. */
  readonly stopMs: number
  /** Folders that it writes to. */
  readonly writes: readonly string[]
}

/** Exit codes that come again at once: somebody has to do something first. */
export const NOT_MENDED_BY_A_RESTART = [2, 3, 6, 11, 69] as const

/**
 * How long to wait before a restart, in seconds. Each run begins with a probe of the hosts that were given up: with a short one, a site that is down would be
 * asked again and again.
 */
export const RESTART_S = 900

/** In which a crawl has to open its store, in seconds: another process may have it for that long. */
export const START_S = 900

/** A process that says nothing for so long hangs, in seconds. A handler may take a minute. */
export const WATCHDOG_S = 300

// What a crawl can be printed for.

/** The first word behind `avocet service print`, where it is not what to crawl. */
export const SERVICE_KINDS = ['systemd', 'pm2'] as const

/** Whether it may be meant as one of them: no URL, and no path. */
export function isBareWord(text: string): boolean {
  return /^[\w-]+$/.test(text)
}
