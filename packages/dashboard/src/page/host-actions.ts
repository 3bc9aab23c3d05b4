// What can be done to one host: only what the crawl offers has a button.
import { h } from 'preact'
import type { HostOrders } from '../picture.ts'
import type { SteeringAction } from '../steering.ts'
import { addressOf } from './route.ts'
import { type Drawn, offers, type ViewScope } from './view-scope.ts'

const HOUR_MS = 3_600_000

/** Buttons, and a link to the page for its owner. */
export function hostActions(hostKey: string, orders: HostOrders, scope: ViewScope): Drawn {
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
    ...button('Retry its given-up pages', { kind: 'reopen', hostKey }),
    ...button('Drop its given-up pages', { kind: 'drop', hostKey }),
    h('a', { class: 'button', href: addressOf({ view: 'politeness', crawl: route.crawl, key: hostKey }) }, 'For its owner'),
  ])
}

/** The limits of a host in a form. An empty field is as configured. */
export function hostLimits(hostKey: string, orders: HostOrders, { act }: ViewScope): Drawn {
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

/** Typed with a point or a comma: a browser drops the one that it does not expect from a field for numbers, and 0,2 would be 2. */
const DECIMAL = '[0-9]*[.,]?[0-9]+'

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
