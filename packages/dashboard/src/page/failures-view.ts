// Pages that were given up, by class, with samples; each class and each page can be requested again, or dropped.
import { Fragment, h } from 'preact'
import type { FailureClass, FailuresPicture, HandlerErrorLine, PageLine } from '../picture.ts'
import { foreign, givenUpActions, nothing, pagesTable, panel, urlLink } from './pieces.ts'
import { offers, partNamed, type Drawn, type ViewScope } from './view-scope.ts'
import { count, countOf, visible } from './words.ts'

/** The view. */
export function FailuresView(scope: ViewScope): Drawn {
  const found = partNamed<FailuresPicture>(scope, 'givenUp')
  if (found === undefined) return nothing('Reading failed pages …')
  const { classes, handlerErrors } = found
  if (classes.length === 0) return nothing('Nothing has failed.')
  return h(Fragment, null, [
    offers(scope, 'reopen') && classes.some(({ heals }) => heals)
      ? h(
          'div',
          { class: 'title' },
          h(
            'div',
            { class: 'actions' },
            h('button', { onClick: () => scope.act({ kind: 'reopen' }) }, 'Retry temporary failures'),
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

function classPanel({ name, means, count: times, reasons, samples, isDropped }: FailureClass, scope: ViewScope): Drawn {
  const ofPage = ({ url }: PageLine): Drawn =>
    h('div', { class: 'actions' }, givenUpActions({ which: { url }, label: visible(url), isDropped, isSmall: true }, scope))
  const label = `all of class ${name}`
  const ofAll = givenUpActions({ which: { failureClass: name }, words: ' all', label, isDropped }, scope)
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
      pagesTable(`Pages of class ${name}`, samples, scope, ofPage),
      samples.length < times ? h('p', { class: 'quiet' }, `The first ${count(samples.length)} of ${count(times)}.`) : null,
    ],
    ofAll.length === 0 ? null : h('div', { class: 'actions' }, ofAll),
  )
}
