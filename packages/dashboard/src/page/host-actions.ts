// What can be done to one host: only what the crawl offers has a button.
import { h } from 'preact'
import { addressOf } from './route.ts'
import { type Drawn, offers, type ViewScope } from './view-scope.ts'

const HOUR_MS = 3_600_000

/** Buttons, and a link to the page for its owner. */
export function hostActions(hostKey: string, scope: ViewScope): Drawn {
  const { route, act, now } = scope
  const button = (words: string, click: () => void): Drawn => h('button', { key: words, onClick: click }, words)
  return h('div', { class: 'actions' }, [
    ...(offers(scope, 'host-pause')
      ? [button('Pause for an hour', () => act({ kind: 'host-pause', hostKey, until: now + HOUR_MS }))]
      : []),
    ...(offers(scope, 'host-resume') ? [button('Resume', () => act({ kind: 'host-resume', hostKey }))] : []),
    ...(offers(scope, 'host-forget') ? [button('Forget what was learned', () => act({ kind: 'host-forget', hostKey }))] : []),
    ...(offers(scope, 'host-limits') ? [limits(hostKey, scope)] : []),
    ...(offers(scope, 'reopen') ? [button('Retry its given-up pages', () => act({ kind: 'reopen', hostKey }))] : []),
    h('a', { class: 'button', href: addressOf({ view: 'politeness', crawl: route.crawl, key: hostKey }) }, 'For its owner'),
  ])
}

function limits(hostKey: string, { act }: ViewScope): Drawn {
  const send = (event: Event): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const maxRps = Number(new FormData(form).get('maxRps'))
    if (maxRps > 0) act({ kind: 'host-limits', hostKey, limits: { maxRps } })
    form.reset()
  }
  return h('form', { class: 'inline', onSubmit: send }, [
    h(
      'label',
      null,
      h('span', { class: 'unseen' }, 'Requests a second, at most'),
      h('input', { name: 'maxRps', type: 'number', min: '0.001', step: 'any', placeholder: 'at most /s' }),
    ),
    h('button', null, 'Limit'),
  ])
}
