// The crawl now: how far it is, how fast, what its slots do, what waits and why, what goes wrong.
import { Fragment, h } from 'preact'
import { useState } from 'preact/hooks'
import type { CrawlHead, LivePicture, NamedCount, NowPicture, OrderLine, SinkLine, WaitGroup } from '../picture.ts'
import type { HistorySpan } from '../series.ts'
import { figure, foreign, hostLink, nothing, ORDERED_BY, panel, stateChip } from './pieces.ts'
import { drawnLatency, drawnRates, spanChoice, spanInWords } from './rate-charts.ts'
import { partNamed, seriesNamed, type Drawn, type ViewScope } from './view-scope.ts'
import { bytes, count, countOf, day, durationText, rateText, roughly, share, visible } from './words.ts'

/** Columns of numbers. */
const NUMBERS = ['Hosts', 'First continues']

type Totals = Omit<NowPicture, 'live' | 'conditions' | 'inTrouble' | 'failures' | 'troubles' | 'waits' | 'sinks' | 'orders'>

/** The view. */
export function NowView(scope: ViewScope): Drawn {
  const totals = partNamed<Totals>(scope, 'totals')
  if (totals === undefined) return nothing('Reading the crawl …')
  const live = partNamed<LivePicture | null>(scope, 'live') ?? null
  return h(Fragment, null, [
    figures(totals, live),
    progress(totals),
    h(Charts, { key: 'charts', ...scope }),
    h('div', { class: 'columns' }, [
      live === null ? null : panel('Slots', slots(live)),
      panel('Hosts', hostsByState(scope)),
      panel('What waits, and why', waits(partNamed<readonly WaitGroup[]>(scope, 'waits') ?? [], scope, live !== null)),
      panel(
        live === null ? 'Failed, by reason' : 'Failed in this run, by reason',
        counts(
          partNamed(scope, 'failures') ?? [],
          totals.failed === 0 ? 'Nothing has failed.' : 'Nothing in this run; see Failed.',
        ),
      ),
      ...(live === null
        ? []
        : [panel('Went wrong in this run', counts(partNamed(scope, 'troubles') ?? [], 'Nothing went wrong.'))]),
      sinks(partNamed<readonly SinkLine[]>(scope, 'sinks') ?? []),
      orders(partNamed<readonly OrderLine[]>(scope, 'orders') ?? []),
    ]),
  ])
}

function figures(totals: Totals, live: LivePicture | null): Drawn {
  const { done, moved, waiting, failed, items, hosts, givenUpHosts, rejects, known, seeds } = totals
  const ofLive =
    live === null
      ? []
      : [
          figure('pages a second', rateText(live.pagesPerSecond), `${rateText(live.averagePagesPerSecond)} on average`),
          figure('in flight', count(live.inFlight), `of ${countOf(live.slots, 'slot')}`),
          figure('refused', share(live.refusals, live.requests), `${count(live.refusals)} of ${count(live.requests)}`),
          figure('left', live.restMs === null ? 'unknown' : `≈ ${roughly(live.restMs)}`),
          figure('received', bytes(live.wireBytes), 'in this run'),
        ]
  return h('dl', { class: 'figures' }, [
    figure('done', count(done), `of ${count(known)} known${seeds === null ? '' : `; seeds: ${seeds}`}`),
    figure('items', count(items), rejects > 0 ? `${count(rejects)} rejected` : ''),
    figure('waiting', count(waiting)),
    figure('failed', count(failed), moved > 0 ? `${count(moved)} moved` : ''),
    figure('hosts', count(hosts), givenUpHosts > 0 ? `${count(givenUpHosts)} given up` : ''),
    ...ofLive,
  ])
}

function progress({ known, done, moved, failed, waiting }: Totals): Drawn {
  const part = (value: number): string => `${known === 0 ? 0 : (100 * value) / known}%`
  const label = `${count(done)} of ${count(known)} done, ${count(moved)} moved, ${count(failed)} failed, ${count(waiting)} waiting`
  return h('div', { class: 'progress', role: 'img', 'aria-label': label }, [
    h('i', { class: 'is-good', style: { width: part(done + moved) } }),
    h('i', { class: 'is-failed', style: { width: part(failed) } }),
  ])
}

function Charts(scope: ViewScope): Drawn {
  const [chosen, choose] = useState<HistorySpan | undefined>(undefined)
  const span = chosen ?? (partNamed(scope, 'live') === null ? 'whole' : 'hour')
  const series = seriesNamed(scope, span)
  const choice = spanChoice(span, choose)
  const name = spanInWords(span)
  const isEmpty = series.points.length < 2
  const none = nothing('Nothing yet in this time. A step is ten seconds or longer.')
  return h('div', { class: 'columns is-charts' }, [
    panel('Requests a second', isEmpty ? none : drawnRates(series, `Requests a second, ${name}`), choice),
    panel('Time to the first byte', isEmpty ? none : drawnLatency(series, `Time to the first byte, ${name}`)),
  ])
}

function slots({ inFlight, handlersRunning, slots: all, liveHosts, heldHosts, connections }: LivePicture): Drawn {
  const free = Math.max(0, all - inFlight)
  return h(Fragment, null, [
    h('div', { class: 'progress', role: 'img', 'aria-label': `${count(inFlight)} of ${countOf(all, 'slot')} in use` }, [
      h('i', { class: 'is-accent', style: { width: `${all === 0 ? 0 : (100 * inFlight) / all}%` } }),
    ]),
    h('dl', { class: 'pairs' }, [
      ...pair('wait for an answer', count(inFlight)),
      ...pair('free', count(free)),
      ...pair('handlers running', count(handlersRunning)),
      ...pair('hosts in hand', `${count(liveHosts)}${heldHosts > 0 ? `, ${count(heldHosts)} held` : ''}`),
      ...(connections === null ? [] : pair('connections', count(connections))),
    ]),
  ])
}

function pair(name: string, value: string): Drawn[] {
  return [h('dt', null, name), h('dd', null, value)]
}

/** How many are what, and those in trouble by name. */
function hostsByState(scope: ViewScope): Drawn {
  const inTrouble = partNamed<NowPicture['inTrouble']>(scope, 'inTrouble') ?? []
  const line = ({ hostKey, state, why }: (typeof inTrouble)[number]): Drawn =>
    h('li', { key: hostKey }, stateChip(state), ' ', hostLink(hostKey, scope), ' ', foreign(why))
  return h(Fragment, null, [
    counts(partNamed(scope, 'conditions') ?? [], 'No host yet.'),
    inTrouble.length === 0 ? null : h('ul', { class: 'plain' }, inTrouble.map(line)),
  ])
}

function waits(groups: readonly WaitGroup[], scope: ViewScope, isLive: boolean): Drawn {
  const pausedFor = partNamed<CrawlHead>(scope, 'head')?.pausedFor ?? null
  const notes = [
    ...(pausedFor === null ? [] : [h('p', { key: 'paused' }, 'The whole crawl is paused: ', foreign(pausedFor), '.')]),
    // Who does not crawl does not see what holds a host.
    ...(isLive ? [] : [nothing(`${groups.length === 0 ? 'No order pauses a host. ' : ''}${UNSEEN_WAITS}`)]),
  ]
  if (groups.length === 0)
    return h(Fragment, null, notes.length === 0 ? nothing('Nothing waits for longer than its pace.') : notes)
  return h(Fragment, null, [
    h('table', { key: 'groups', 'aria-label': 'What waits, and why' }, [
      waitHeads(),
      h(
        'tbody',
        null,
        groups.map((group) => waitRow(group, scope)),
      ),
    ]),
    ...notes,
  ])
}

const UNSEEN_WAITS = 'What else its hosts wait for is known to the process that crawls it.'

function waitHeads(): Drawn {
  const head = (name: string): Drawn => h('th', { scope: 'col', class: NUMBERS.includes(name) ? 'number' : '' }, name)
  return h('thead', null, h('tr', null, ['Hosts', 'Why', 'By', 'First continues'].map(head)))
}

function waitRow({ by, why, hosts, until }: WaitGroup, { now }: ViewScope): Drawn {
  const unknown = by === ORDERED_BY ? 'when it is resumed' : 'after an answer'
  return h('tr', { key: `${by} ${why}` }, [
    h('td', { class: 'number' }, count(hosts)),
    h('td', { class: 'wide' }, foreign(why)),
    h('td', null, visible(by)),
    h('td', { class: 'number' }, until === null ? unknown : `in ${durationText(Math.max(0, until - now))}`),
  ])
}

function counts(all: readonly NamedCount[], none: string): Drawn {
  if (all.length === 0) return nothing(none)
  const most = Math.max(...all.map((each) => each.count))
  return h(
    'ul',
    { class: 'bars' },
    all
      .slice(0, 12)
      .map(({ name, count: times }) =>
        h('li', { key: name }, [
          h('span', null, foreign(name)),
          h('b', null, count(times)),
          h('i', { style: { width: `${(100 * times) / most}%` } }),
        ]),
      ),
  )
}

function sinks(all: readonly SinkLine[]): Drawn | null {
  if (all.length === 0) return null
  const line = ({ name, written, behind, error }: SinkLine): Drawn =>
    h('li', { key: name, class: error === null ? '' : 'is-bad' }, [
      foreign(name),
      ` ${count(written)} written${behind > 0 ? `, ${count(behind)} to come` : ''}`,
      error === null ? null : h('p', { class: 'bad' }, foreign(error)),
    ])
  return panel('Outputs', h('ul', { class: 'plain' }, all.map(line)))
}

/** What operators have ordered, newest first. */
function orders(all: readonly OrderLine[]): Drawn | null {
  if (all.length === 0) return null
  const line = ({ at, words }: OrderLine): Drawn =>
    h('li', { key: `${at} ${words}` }, h('time', { dateTime: new Date(at).toISOString() }, day(at)), ' ', foreign(words))
  return panel('Orders', h('ul', { class: 'plain' }, all.map(line)))
}
