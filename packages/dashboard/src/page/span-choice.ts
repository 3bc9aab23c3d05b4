// Which span of time a chart shows: buttons, one of which is pressed.
import { h } from 'preact'
import type { HistorySpan } from '../series.ts'
import type { Drawn } from './view-scope.ts'

/** What can be shown. `lately`: the last minutes, as the process that crawls has seen them. */
export type ShownSpan = 'lately' | HistorySpan

const WORDS: Readonly<Record<ShownSpan, string>> = {
  lately: 'Minutes',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  whole: 'Whole crawl',
}

/** What a span is called in the name of a chart. */
export function spanInWords(span: ShownSpan): string {
  return span === 'whole' ? 'whole crawl' : span === 'lately' ? 'last minutes' : `last ${span}`
}

/** The buttons. */
export function spanChoice(shown: ShownSpan, spans: readonly ShownSpan[], choose: (span: ShownSpan) => void): Drawn {
  return h(
    'div',
    { class: 'choice', role: 'group', 'aria-label': 'Time shown' },
    spans.map((span) => h('button', { key: span, 'aria-pressed': span === shown, onClick: () => choose(span) }, WORDS[span])),
  )
}
