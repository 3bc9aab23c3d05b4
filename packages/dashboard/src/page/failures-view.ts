// Pages that were given up, by class, with samples; each class and each page can be requested again.
import { h, Fragment } from 'preact'
import type { FailureClass, FailuresPicture, HandlerErrorLine, PageLine } from '../picture.ts'
import { foreign, nothing, pagesTable, panel, urlLink } from './pieces.ts'
import { type Drawn, offers, partNamed, type ViewScope } from './view-scope.ts'
import { count, countOf, visible } from './words.ts'

/** The view. */
export function FailuresView(scope: ViewScope): Drawn {
  const found = partNamed<FailuresPicture>(scope, 'givenUp')
  if (found === undefined) return nothing('Reading pages that were given up …')
  const { classes, handlerErrors } = found
  if (classes.length === 0) return nothing('Nothing was given up.')
  return h(Fragment, null, [
    offers(scope, 'reopen') && classes.some(({ heals }) => heals)
      ? h(
          'div',
          { class: 'title' },
          h(
            'div',
            { class: 'actions' },
            h('button', { onClick: () => scope.act({ kind: 'reopen' }) }, 'Retry all that time may heal'),
          ),
        )
      : null,
    ...(handlerErrors.length === 0 ? [] : [panel('Errors in handlers', errors(handlerErrors, scope))]),
    ...classes.map((each) => classPanel(each, scope)),
  ])
}

function errors(all: readonly HandlerErrorLine[], scope: ViewScope): Drawn {
  return h(
    'ul',
    { class: 'plain' },
    all.map(({ message, count: times, url }) =>
      h('li', { key: `${message} ${url}` }, [
        h('b', null, `${count(times)} × `),
        foreign(message),
        h('p', { class: 'quiet' }, ['as on ', urlLink(url, scope)]),
      ]),
    ),
  )
}

function classPanel({ name, means, count: times, reasons, samples }: FailureClass, scope: ViewScope): Drawn {
  const retry = (page: PageLine): Drawn | null =>
    offers(scope, 'reopen')
      ? h(
          'button',
          {
            class: 'small',
            onClick: () => scope.act({ kind: 'reopen', url: page.url }),
            'aria-label': `Retry ${visible(page.url)}`,
          },
          'Retry',
        )
      : null
  const all = offers(scope, 'reopen')
    ? h(
        'button',
        { onClick: () => scope.act({ kind: 'reopen', failureClass: name }), 'aria-label': `Retry all of class ${name}` },
        'Retry all',
      )
    : null
  return panel(
    `${name}: ${countOf(times, 'page')}`,
    [
      h('p', { class: 'quiet' }, foreign(means)),
      h(
        'p',
        null,
        reasons.map(({ name: reason, count: each }) =>
          h('span', { class: 'chip', key: reason }, [foreign(reason), ` ${count(each)}`]),
        ),
      ),
      pagesTable(`Pages of class ${name}`, samples, scope, retry),
      samples.length < times ? h('p', { class: 'quiet' }, `The first ${count(samples.length)} of ${count(times)}.`) : null,
    ],
    all,
  )
}
