// One host: its rate over time with refusals marked, what holds it until when and by whose word, what each policy knows of it.
import { Fragment, h } from 'preact'
import { useState } from 'preact/hooks'
import type { SteeringAction } from '../crawl-source.ts'
import type { HoldLine, HostOrders, HostPicture, PageLine } from '../picture.ts'
import type { HistorySpan } from '../series.ts'
import { figure, foreign, holdText, nothing, pagesTable, panel, stateChip, storyLines, widePanel } from './pieces.ts'
import { drawnLatency, drawnRates, spanChoice, spanInWords } from './rate-charts.ts'
import { addressOf } from './route.ts'
import { isPausedIn, offers, partNamed, seriesNamed, type Drawn, type Shown, type ViewScope } from './view-scope.ts'
import { count, durationText, rateText, visible } from './words.ts'

const HOUR_MS = 3_600_000
/** Typed with a point or a comma: a browser drops the one that it does not expect from a field for numbers, and 0,2 would be 2. */
const DECIMAL = '[0-9]*[.,]?[0-9]+'

type Host = Omit<HostPicture, 'series' | 'rates' | 'story' | 'pages'>

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
      pages(partNamed(scope, 'pages') ?? [], scope),
      widePanel('The whole story', storyLines(partNamed(scope, 'story') ?? [])),
    ]),
  ])
}

function HostCharts({ host, ...scope }: ViewScope & { readonly host: Host }): Drawn {
  const [chosen, choose] = useState<HistorySpan | undefined>(undefined)
  const series = seriesNamed(scope, 'series')
  const span = chosen ?? (seriesNamed(scope, 'hour').points.length < 2 ? 'whole' : 'hour')
  const rates = seriesNamed(scope, span)
  const choice = spanChoice(span, choose)
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
    figure('circuit', line.breaker ?? '–'),
  ])
}

function holds(
  { holds: all, line: { waiting, state, why }, retiredFor, probeAt }: Host,
  { now, isPaused }: { readonly now: number; readonly isPaused: boolean },
): Shown {
  if (retiredFor !== null) {
    const probe = probeAt === null ? 'in a later run' : probeAt > now ? `in ${durationText(probeAt - now)}` : 'now'
    return h('p', null, 'Given up: ', foreign(retiredFor), `. It is probed again ${probe}.`)
  }
  if (waiting === 0 && all.length === 0) return nothing('Nothing waits there.')
  if (all.length === 0 && state !== 'fine')
    return h('p', null, 'Nothing holds it now, but it is ', state, ': ', foreign(why), '.')
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

function pages(all: readonly PageLine[], scope: ViewScope): Drawn | null {
  if (all.length === 0) return null
  const { crawl, key } = scope.route
  return widePanel(
    'Pages failed and waiting',
    pagesTable('Pages failed and waiting', all, scope),
    h('a', { href: addressOf({ view: 'politeness', crawl, key }) }, 'How it was treated'),
  )
}

// What can be done to one host: only what the crawl offers has a button.
/** Buttons, and a link to the page for its owner. */
function hostActions(hostKey: string, orders: HostOrders, scope: ViewScope): Drawn {
  const { route, act, now } = scope
  const button = (words: string, action: SteeringAction): readonly Drawn[] =>
    offers(scope, action.kind) ? [h('button', { key: words, onClick: () => act(action) }, words)] : []
  return h('div', { class: 'actions' }, [
    ...(orders.isPaused
      ? button('Resume this host', { kind: 'resume-host', hostKey })
      : [
          ...button('Pause this host', { kind: 'pause-host', hostKey }),
          ...button('Pause for an hour', { kind: 'pause-host', hostKey, until: Math.floor(now + HOUR_MS) }),
        ]),
    ...button('Forget what was learned', { kind: 'forget-host', hostKey }),
    ...button('Retry its failed pages', { kind: 'reopen', hostKey }),
    ...button('Drop its failed pages', { kind: 'drop', hostKey }),
    h('a', { class: 'button', href: addressOf({ view: 'politeness', crawl: route.crawl, key: hostKey }) }, 'For its owner'),
  ])
}

/** The limits of a host in a form. An empty field is as configured. */
function hostLimits(hostKey: string, orders: HostOrders, { act }: ViewScope): Drawn {
  const send = (event: Event): void => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const limit = (name: string, factor = 1): number | null => {
      const typed = data.get(name)
      return typeof typed !== 'string' || typed.trim() === '' ? null : factor * Number(typed.replace(',', '.'))
    }
    const limits = { maxRps: limit('maxRps'), maxInFlight: limit('maxInFlight'), delayMs: limit('delay', 1_000) }
    act({ kind: 'limit-host', hostKey, limits })
  }
  const delay = orders.delayMs === null ? null : orders.delayMs / 1_000
  return h('form', { class: 'limits', onSubmit: send, key: JSON.stringify(orders) }, [
    field('Requests a second, at most', 'maxRps', { value: orders.maxRps, isWhole: false }),
    field('Requests in flight, at most', 'maxInFlight', { value: orders.maxInFlight, isWhole: true }),
    field('Seconds between two requests, at least', 'delay', { value: delay, isWhole: false }),
    h('p', { class: 'quiet' }, 'Empty fields use the configuration. What the host asks for holds in any case.'),
    h('button', null, 'Set limits'),
  ])
}

/** A number that may be empty. */
interface NumberField {
  readonly value: number | null
  readonly isWhole: boolean
}

function field(words: string, name: string, { value, isWhole }: NumberField): Drawn {
  return h(
    'label',
    { key: name },
    h('span', null, words),
    h('input', {
      name,
      inputMode: isWhole ? 'numeric' : 'decimal',
      pattern: isWhole ? '[0-9]+' : DECIMAL,
      title: isWhole ? 'A whole number, or nothing' : 'A number such as 0.5, or nothing',
      placeholder: 'as configured',
      defaultValue: value === null ? '' : String(value),
    }),
  )
}
