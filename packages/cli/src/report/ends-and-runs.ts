// Two tables that the page of a crawl and that of one host share: how requests ended, and the runs with their user agents and policies.
import { STATUS_CODES } from 'node:http'
import type { ReportPart, TableRow } from '@avocet/html-report'
import type { JournalEnd, JournalRun } from '@avocet/plugin-journal'
import { policiesText } from '../load/policies.ts'
import { formatCount, formatShare } from '../text/quantity.ts'
import { moment, number, text } from './page-columns.ts'
import { endInWords } from './host-trouble.ts'

type Ended = { readonly hostKey: string; readonly ends: readonly JournalEnd[] }

/** Statuses and failures, of all these hosts. */
export function endsTable(hosts: readonly Ended[]): readonly ReportPart[] {
  const kinds = new Map<string, { count: number; hosts: number; last: JournalEnd }>()
  for (const { ends } of hosts) {
    for (const end of ends) {
      const { count = 0, hosts: others = 0, last = end } = kinds.get(end.how) ?? {}
      kinds.set(end.how, { count: count + end.count, hosts: others + 1, last: end.lastAt > last.lastAt ? end : last })
    }
  }
  const all = [...kinds.values()].reduce((sum, { count }) => sum + count, 0)
  const rows = [...kinds]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([how, { count, hosts: its, last }]): TableRow => {
      const share = { text: formatShare(count, all), order: count / all }
      const ofHosts = hosts.length > 1 ? [formatCount(its)] : []
      return { cells: [meaning(how), formatCount(count), share, ...ofHosts, moment(last.lastAt), last.url ?? null] }
    })
  if (rows.length === 0) return []
  const numbers = ['requests', 'share', ...(hosts.length > 1 ? ['hosts'] : []), 'last one'].map(number)
  const note = 'Includes requests for robots.txt, retries, and attempts that did not connect.'
  return [
    {
      kind: 'table',
      title: 'Statuses and failures',
      note,
      columns: [text('answer'), ...numbers, text('last page', 'name')],
      rows,
    },
  ]
}

/** `HTTP 404 Not Found`. */
function meaning(how: string): string {
  if (how === 'others') return 'further kinds'
  return `${endInWords(how)} ${STATUS_CODES[how] ?? ''}`.trimEnd()
}

/** As whom, and by which policies, as they were then. */
export function runsTable(runs: readonly JournalRun[]): readonly ReportPart[] {
  if (runs.length === 0) return []
  const isLimited = runs.some(({ hostOptions }) => hostOptions !== undefined)
  const rows = runs.map(({ startedAt, userAgent, plugins, hostOptions = {} }): TableRow => {
    const limits = Object.entries(hostOptions).map(([name, value]) => `${name} ${String(value)}`)
    const cells = [moment(startedAt), userAgent, policiesText(plugins, hostOptions)]
    return { cells: isLimited ? [...cells, limits.join(', ')] : cells }
  })
  const columns = [
    text('began', 'word'),
    text('user agent'),
    text('policies'),
    ...(isLimited ? [text('limits of all hosts')] : []),
  ]
  return [{ kind: 'table', title: 'Runs', note: 'The last runs, each with its configuration at the time.', columns, rows }]
}
