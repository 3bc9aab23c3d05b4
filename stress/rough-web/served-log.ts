// The log of a rough web in a process of its own, as whoever started it reads it.
import { readFileSync } from 'node:fs'

/** One line of the log, as JSON. */
export interface ServedRequest {
  /** Epoch ms of its arrival. */
  readonly at: number
  /** Epoch ms at which its answer was sent, or the client left. */
  readonly endedAt: number
  readonly host: string
  readonly path: string
  /** 0 = left without an answer. */
  readonly status: number
  /** The client's user-agent; empty where it has none. */
  readonly agent: string
}

/** Requests that have ended, in the order in which they did. A line that is being written is left out. */
export function readServedLog(path: string): readonly ServedRequest[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as ServedRequest)
}
