// What `avocet check` found out about one subject, in one line.

/** What is looked at. */
type Subject =
  | 'config'
  | 'spider'
  | 'plugins'
  | 'policies'
  | 'agent'
  | 'login'
  | 'sinks'
  | 'store'
  | 'rounds'
  | 'disk'
  | 'seeds'
  | 'dns'
  | 'robots'

/** `warn`: a crawl would run, but not as one should wish, such as without two of its twelve hosts. `fail`: it would not run, or not find anything. */
export interface Finding {
  readonly subject: Subject
  readonly state: 'ok' | 'warn' | 'fail'
  /** What is so and, unless it is well, what to do. */
  readonly said: string
}

/** One line. */
export function finding(subject: Subject, state: Finding['state'], said: string): Finding {
  return { subject, state, said }
}

/** Hosts that get a line of their own; the rest is counted. */
const MAX_LINES = 10

/** A line each, and one for all that are too many. */
export function findings(subject: Subject, state: Finding['state'], lines: readonly string[]): readonly Finding[] {
  const rest = lines.length - MAX_LINES
  const all = [...lines.slice(0, MAX_LINES), ...(rest > 0 ? [`and ${rest} more like these`] : [])]
  return all.map((said) => finding(subject, state, said))
}
