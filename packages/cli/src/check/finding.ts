// What `avocet check` found out about one subject, in one line.

/** `warn`: a crawl would run, but not as one should wish. `fail`: it would not run, or not find anything. */
export interface Finding {
  readonly subject:
    | 'config'
    | 'spider'
    | 'plugins'
    | 'agent'
    | 'handlers'
    | 'page'
    | 'store'
    | 'disk'
    | 'seeds'
    | 'dns'
    | 'robots'
  readonly state: 'ok' | 'warn' | 'fail'
  /** What is so and, unless it is well, what to do. */
  readonly said: string
}

/** Hosts and handlers that get a line of their own; the rest is counted. */
const MAX_LINES = 10

/** A line each, and one for all that are too many. */
export function lineEach(lines: readonly string[], of: Omit<Finding, 'said'>): readonly Finding[] {
  const rest = lines.length - MAX_LINES
  return [...lines.slice(0, MAX_LINES), ...(rest > 0 ? [`and ${rest} more like these`] : [])].map((said) => ({ ...of, said }))
}
