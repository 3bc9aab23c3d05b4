// The tables of the page that are about pages: what was given up and why, what is missing, closed, or waits. None where there is nothing to show.
import type { ReportPart, TableRow } from '@avocet/html-report'
import { CLOSED_FOR } from '../text/left-undone.ts'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { sinkName } from '../text/sink-line.ts'
import { moment, number, text } from './page-columns.ts'
import type { StoreReport } from './store-report.ts'
import { commandName } from '../text/command-line.ts'

/** Of each class. */
const REASONS = 8

/** Pages that were given up, by reason, each with one of them. */
export function deadLetterTable({ deadLetters }: StoreReport): readonly ReportPart[] {
  const columns = [text('reason'), text('class', 'word'), number('pages'), text('one of them', 'name'), text('what it means')]
  const rows = deadLetters.flatMap(({ class: kind, means, reasons }) => {
    const more = reasons.slice(REASONS)
    const count = more.reduce((sum, each) => sum + each.count, 0)
    return [
      ...reasons.slice(0, REASONS).map(({ reason, count: pages, sample = null }): TableRow => ({
        cells: [reason, kind, formatCount(pages), sample, means],
      })),
      ...(more.length === 0
        ? []
        : [{ cells: [formatCountOf(more.length, 'further reason'), kind, formatCount(count), null, means] }]),
    ]
  })
  if (rows.length === 0) return []
  const foot = [
    { code: `${commandName()} dlq list` },
    ' names all pages, ',
    { code: `${commandName()} dlq retry` },
    ' requests them again.',
  ]
  return [{ kind: 'table', title: 'Pages given up', columns, rows, foot }]
}

/** Items that the schema or a sink refused. */
export function rejectsTable({ rejects }: StoreReport): readonly ReportPart[] {
  if (rejects.length === 0) return []
  return [
    {
      kind: 'table',
      title: 'Items set aside',
      note: 'Refused by the schema of the spider, or by a sink.',
      columns: [text('reason', 'name'), text('refused by'), number('items'), text('first page')],
      rows: rejects.map(({ source, reason, count, url }) => ({ cells: [reason, source, formatCount(count), url] })),
      foot: [
        { code: `${commandName()} rejects list` },
        ' names them, ',
        { code: `${commandName()} rejects retry` },
        ' tries them again.',
      ],
    },
  ]
}

/** How far each sink is, and what is wrong with it. */
export function sinksTable({ sinks }: StoreReport, folder?: string): readonly ReportPart[] {
  if (sinks.length === 0) return []
  return [
    {
      kind: 'table',
      title: 'Sinks',
      note: 'Where committed items go. A sink that is behind catches up in the next run.',
      columns: [
        text('sink', 'name'),
        ...['items written', 'behind', 'set aside', 'failing since'].map(number),
        text('last error'),
      ],
      rows: sinks.map((sink) => ({
        cells: [
          sinkName(sink, folder),
          ...[sink.written, sink.behind, sink.setAside].map(formatCount),
          moment(sink.failingSince),
          sink.error ?? null,
        ],
        isBad: sink.error !== undefined,
      })),
    },
  ]
}

/** Pages that are missing and not yet believed to be gone. */
export function probationTable({ probation: { pages, requests } }: StoreReport): readonly ReportPart[] {
  if (pages === 0) return []
  const missing = `${formatCountOf(pages, 'page')} missing when last requested, and not yet treated as gone`
  return [
    {
      kind: 'table',
      title: 'Pages on probation',
      note: `${missing}${pages > requests.length ? '; those missing longest' : ''}.`,
      columns: [text('page', 'name'), text('why'), number('since'), number('visits in a row'), number('requested again')],
      rows: requests.map(({ url, why, since, visits, nextAt }) => ({
        cells: [url, why, moment(since), formatCount(visits), moment(nextAt)],
      })),
    },
  ]
}

/** Patterns of URLs that bring nothing new. */
export function closedTable({ closedPatterns }: StoreReport): readonly ReportPart[] {
  if (closedPatterns.length === 0) return []
  return [
    {
      kind: 'table',
      title: 'Patterns of URLs closed',
      note: [{ code: `${commandName()} scope accept` }, ' opens one again, from the next run on.'],
      columns: [text('pattern', 'name'), text('why'), number('since'), number('pages seen'), number('refused')],
      rows: closedPatterns.map(({ pattern, reason, since, pages, refused }) => ({
        cells: [pattern, CLOSED_FOR[reason], moment(since), formatCount(pages), formatCount(refused)],
      })),
    },
  ]
}
