// One host: its rate over time with refusals marked, what holds it until when and by whose word, what each policy knows of it, its last exchanges.
import { h, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { ExchangeLine, HoldLine, HostPicture, PageLine } from '../picture.ts'
import { HISTORY_SPANS } from '../series.ts'
import { hostActions, hostLimits } from './host-actions.ts'
import { figure, foreign, holdText, nothing, pagesTable, panel, widePanel, stateChip, storyLines, urlLink } from './pieces.ts'
import { drawnLatency, drawnRates } from './rate-charts.ts'
import { spanChoice, spanInWords, type ShownSpan } from './span-choice.ts'
import { addressOf } from './route.ts'
import { type Drawn, offers, partNamed, seriesNamed, type ViewScope, type Shown, isPausedIn } from './view-scope.ts'
import { count, durationText, clockText, rateText, visible } from './words.ts'

/** Columns of numbers. */
const NUMBERS = ['At', 'Took']

type Host = Omit<HostPicture, 'series' | 'rates' | 'exchanges' | 'story' | 'pages'>

/** The view. */
export function SingleHostView(scope: ViewScope): Drawn {
  const host = partNamed<Host>(scope, 'host')
  if (partNamed(scope, 'missing') !== undefined) return nothing('The crawl does not know this host.')
  if (host === undefined) return nothing('Reading the host …')
  return h(Fragment, null, [
    h('div', { class: 'title' }, [
      h('h2', null, foreign(host.hostKey)),
      stateChip(host.line.state),
      hostActions(host.hostKey, host.orders, scope),
    ]),
    figures(host),
    h(HostCharts, { key: host.hostKey, ...scope, host }),
    h('div', { class: 'columns' }, [
      panel('What holds it', holds(host, { now: scope.now, isPaused: isPausedIn(scope) })),
      panel('What is known of it', known(host)),
      ...(offers(scope, 'limit-host') ? [panel('Limits', hostLimits(host.hostKey, host.orders, scope))] : []),
      widePanel('Last exchanges', exchanges(partNamed(scope, 'exchanges') ?? [], scope)),
      pages(partNamed(scope, 'pages') ?? [], scope),
      widePanel('The whole story', storyLines(partNamed(scope, 'story') ?? [])),
    ]),
  ])
}

function HostCharts({ host, ...scope }: ViewScope & { readonly host: Host }): Drawn {
  const [chosen, choose] = useState<ShownSpan | undefined>(undefined)
  const series = seriesNamed(scope, 'series')
  const span = chosen ?? (seriesNamed(scope, 'hour').points.length < 2 ? 'lately' : 'hour')
  const rates = span === 'lately' ? series : seriesNamed(scope, span)
  const choice = spanChoice(span, ['lately', ...HISTORY_SPANS], choose)
  const { hostKey, line } = host
  const none = nothing('Nothing yet in this time.')
  const name = `${hostKey}, ${spanInWords(span)}`
  return h('div', { class: 'columns is-charts' }, [
    panel(
      'Rate over time',
      rates.points.length < 2 ? none : drawnRates(rates, `Requests a second to ${name}`, line.foundRps),
      choice,
    ),
    panel(
      'Time to the first byte',
      series.points.length < 2 ? none : drawnLatency(series, `Time to the first byte of ${hostKey}`),
    ),
  ])
}

function figures({ line, hostKey: _key }: Host): Drawn {
  return h('dl', { class: 'figures' }, [
    figure('waiting', count(line.waiting)),
    figure('done', count(line.done)),
    figure('failed', count(line.failed), line.retried > 0 ? `${count(line.retried)} retries` : ''),
    figure('rate', rateText(line.foundRps), 'a second, found'),
    figure('in flight', count(line.inFlight)),
    figure('circuit', line.breaker ?? '–'),
  ])
}

function holds(
  { holds: all, line: { waiting }, retiredFor, probeAt }: Host,
  { now, isPaused }: { readonly now: number; readonly isPaused: boolean },
): Shown {
  if (retiredFor !== null) {
    const probe = probeAt === null ? 'in a later run' : probeAt > now ? `in ${durationText(probeAt - now)}` : 'now'
    return h('p', null, 'Given up: ', foreign(retiredFor), `. It is probed again ${probe}.`)
  }
  if (waiting === 0 && all.length === 0) return nothing('Nothing waits there.')
  if (all.length === 0) return nothing(isPaused ? 'The crawl is paused.' : 'Nothing: its next request may be sent at once.')
  const line = (hold: HoldLine): Drawn => h('li', { key: `${hold.by} ${hold.why}` }, holdText(hold, now))
  return h('ul', { class: 'plain' }, all.map(line))
}

function known({ known: all }: Host): Shown {
  if (all.length === 0) return nothing('Nothing yet.')
  return h(
    'dl',
    { class: 'facts' },
    all.flatMap(({ by, facts }) => [h('dt', { key: by }, visible(by)), h('dd', { key: `${by} is` }, foreign(facts))]),
  )
}

function exchanges(all: readonly ExchangeLine[], scope: ViewScope): Shown {
  if (all.length === 0) return nothing('None was seen lately.')
  return h('table', { 'aria-label': 'Last exchanges' }, [
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        ['At', 'Ended', 'Took', 'Page', 'Decision'].map((name) =>
          h('th', { scope: 'col', class: NUMBERS.includes(name) ? 'number' : '' }, name),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      all.map(({ id, at, how, isGood, durationMs, url, verdict }) =>
        h('tr', { key: `${id} ${at}` }, [
          h('td', { class: 'number' }, clockText(at)),
          h('td', { class: isGood ? '' : 'bad' }, foreign(how)),
          h('td', { class: 'number' }, durationText(durationMs)),
          h('td', { class: 'wide' }, urlLink(url, scope)),
          h('td', null, foreign(verdict)),
        ]),
      ),
    ),
  ])
}

function pages(all: readonly PageLine[], scope: ViewScope): Drawn | null {
  if (all.length === 0) return null
  const { crawl, key } = scope.route
  return widePanel(
    'Pages given up and waiting',
    pagesTable('Pages given up and waiting', all, scope),
    h('a', { href: addressOf({ view: 'politeness', crawl, key }) }, 'How it was treated'),
  )
}
