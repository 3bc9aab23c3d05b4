// The figures of a bench on one screen, and what they mean.
import { formatBytes } from '@avocet/core/tools'
import { column } from '../text/columns.ts'
import { formatCount, formatDuration, formatRate, formatRatio } from '../text/quantity.ts'
import type { Figures } from './figures.ts'
import { KINDS } from './hostile-world.ts'

const LABEL_COLUMNS = 16

/** Lines, unfolded. */
export function figureLines(figures: Figures): readonly string[] {
  const { fairness, kinds, machine } = figures
  const cpu = figures.cpuMicrosPerPage
  const hanging = kinds.hanging
  return [
    `${formatDuration(figures.elapsedMs)} with polite() on Node.js ${machine.node}, ${formatCount(machine.cpus)} cores`,
    '',
    row('good pages', `${formatRate(figures.pagesPerSecond)}, ${formatCount(figures.pages)} in all`),
    row(
      'fairness',
      `${indexOf(fairness.fast)} among fast hosts, ${indexOf(fairness.slow)} among slow ones (Jain; 1 = all alike)`,
    ),
    row(
      'refusals',
      `${formatRatio(figures.refusedRatio)} of all requests, ${formatCount(kinds.refusing.refusals)} by hosts that refuse`,
    ),
    row('hanging hosts', `${formatCount(hanging.requests)} requests to ${formatCount(hanging.hosts)} that never answer`),
    row('CPU', cpu === null ? 'not one page' : `${formatCount(cpu)} µs a page, ${formatRatio(figures.cpuRatio)} of a core`),
    row('peak memory', formatBytes(figures.peakRssBytes)),
    '',
    tableRow('', ['hosts', 'requests', 'refusals', 'pages']),
    ...KINDS.map((kind) => {
      const { hosts, requests, refusals, pages } = kinds[kind]
      return tableRow(kind, [hosts, requests, refusals, pages].map(formatCount))
    }),
    '',
    ...meaning(figures),
  ]
}

/** Three lines. */
function meaning({ kinds, cpuMicrosPerPage }: Figures): readonly string[] {
  const most = cpuMicrosPerPage === null ? '' : `: one core would do for ${formatRate(1_000_000 / cpuMicrosPerPage)}`
  return [
    `Pages a second follow from politeness: ${formatCount(kinds.fast.hosts)} fast hosts, each asked gently while it is a stranger. The CPU is the machine's own figure${most}.`,
    'Fairness near 1 says that no host waits for another; requests to hanging hosts near their number, that each was tried once and left alone.',
    'Refusals are how a rate is found: some at each host that refuses are its price; a hundredth of all requests is much.',
  ]
}

function row(label: string, text: string): string {
  return `${label.padEnd(LABEL_COLUMNS)}${text}`
}

function tableRow(label: string, cells: readonly string[]): string {
  return label.padEnd(LABEL_COLUMNS) + cells.map((cell) => column(cell, 10, 'right')).join('')
}

function indexOf(index: number | null): string {
  return index === null ? 'none' : index.toFixed(3)
}
