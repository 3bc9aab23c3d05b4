// Which span of time a chart shows: buttons, one of which is pressed.
import { h } from 'preact'
import { HISTORY_SPANS, type HistorySpan } from '../series.ts'
import type { Drawn } from './view-scope.ts'

const WORDS: Readonly<Record<HistorySpan, string>> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  whole: 'Whole crawl',
}

/** What a span is called in the name of a chart. */
export function spanInWords(span: HistorySpan): string {
  return span === 'whole' ? 'whole crawl' : `last ${span}`
}

/** The buttons. */
export function spanChoice(shown: HistorySpan, choose: (span: HistorySpan) => void): Drawn {
  return h(
    'div',
    { class: 'choice', role: 'group', 'aria-label': 'Time shown' },
    HISTORY_SPANS.map((span) =>
      h('button', { key: span, 'aria-pressed': span === shown, onClick: () => choose(span) }, WORDS[span]),
    ),
  )
}
