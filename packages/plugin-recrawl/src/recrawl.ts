// The policy of recrawls: binds the rules to the votes of a crawl on the next visit of a page.
//
// Documents of plugins, such as sitemaps, come in rounds of their own, ahead of the rules of the crawl. One that is missing may come back.
import { AvocetError, definePlugin, type Plugin, type RecrawlRule, type Spider } from '@avocet/core'
import { didYouMean, type Session } from '@avocet/core/plugin'
import { shown } from '@avocet/core/store'
import { dueAgainAt, matchingRule, voteAfter } from './visits.ts'

/**
 * Visits pages again by rules, of which the first that matches a page applies. Such a crawl does not end by itself. With the `handlers` of the spider, names of
 * handlers in rules are checked.
 *
 * @throws AVO_CONFIG_INVALID for what is no list of rules.
 * @example
 * ```ts
 * const policies = [recrawl([{ everyMs: 3_600_000, match: 'product' }, { everyMs: 86_400_000 }])]
 * ```
 */
export function recrawl(given: readonly RecrawlRule[] = [], handlers?: Spider['handlers']): Plugin {
  const own = recrawlRulesOf(given, handlers)
  let rules = own
  return definePlugin({
    name: 'recrawl',
    policy: 'recrawl',
    open({ plugins, clock, revisits }) {
      rules = [...documentRules(plugins), ...own]
      if (rules.every(({ everyMs }) => everyMs === Infinity)) return
      revisits({
        // Patterns and Infinity are told apart, too.
        rules: JSON.stringify(rules.map((rule) => Object.entries(rule).map(String))),
        dueAt: (record) => dueAgainAt(record, matchingRule(rules, record), clock.now()),
        seedsEveryMs: rules.find(({ match }) => match === undefined)?.everyMs ?? Infinity,
      })
    },
    revisit(ask) {
      const rule = matchingRule(rules, ask.request)
      const vote = rule && voteAfter(ask, rule)
      if (vote?.isGone) ask.gone()
      if (vote !== undefined) ask.again(vote.at, vote)
    },
  })
}

function documentRules(plugins: Session['plugins']): readonly RecrawlRule[] {
  return plugins.flatMap(({ name, handlers = {} }) =>
    Object.entries(handlers).flatMap(([handler, { everyMs }]) =>
      everyMs === undefined ? [] : [{ match: `${name}/${handler}`, everyMs, keep: true }],
    ),
  )
}

/** Each key, so that a new one does not compile without. */
const KEYS: Readonly<Record<keyof RecrawlRule, 1>> = { everyMs: 1, match: 1, goneAfterVisits: 1, goneAfterMs: 1, keep: 1 }

/**
 * The rules, checked. Without `handlers`, any name of one is taken.
 *
 * @throws AVO_CONFIG_INVALID
 */
function recrawlRulesOf(rules: readonly RecrawlRule[] = [], handlers?: Spider['handlers']): readonly RecrawlRule[] {
  const wrong = (what: string): AvocetError => new AvocetError('AVO_CONFIG_INVALID', what)
  if (!Array.isArray(rules)) throw wrong(`expected recrawl to be a list of rules, [{ everyMs: 3_600_000 }], got ${shown(rules)}`)
  for (const [n, rule] of rules.entries()) {
    if (typeof rule !== 'object' || rule === null)
      throw wrong(`expected recrawl[${n}] to be a rule, { everyMs: 3_600_000 }, got ${shown(rule)}`)
    const misspelled = Object.keys(rule).find((key) => !Object.hasOwn(KEYS, key))
    if (misspelled !== undefined) throw wrong(`recrawl[${n}] has no '${misspelled}'${didYouMean(misspelled, Object.keys(KEYS))}`)
    const { everyMs, match } = rule
    if (typeof everyMs !== 'number' || !(everyMs >= 1))
      throw wrong(`expected recrawl[${n}].everyMs to be a number of ms of at least 1, got ${shown(everyMs)}`)
    const problem = goneProblem(rule)
    if (problem !== undefined) throw wrong(`expected recrawl[${n}]${problem}`)
    if (match === undefined || (match instanceof RegExp && !match.sticky)) continue
    if (typeof match === 'string' && (handlers === undefined || Object.hasOwn(handlers, match))) continue
    const known = handlers === undefined ? '' : ` (${Object.keys(handlers).join(', ')})`
    throw wrong(
      `expected recrawl[${n}].match to be a RegExp without the flag y, or the name of a handler${known}, got ${shown(match)}`,
    )
  }
  return rules
}

/** What is wrong with when a rule takes a page for gone. */
function goneProblem({ everyMs, keep, goneAfterVisits, goneAfterMs }: RecrawlRule): string | undefined {
  if (goneAfterVisits !== undefined && !(Number.isSafeInteger(goneAfterVisits) && goneAfterVisits >= 1))
    return `.goneAfterVisits to be a whole number of at least 1, got ${shown(goneAfterVisits)}; keep: true never takes a page for gone`
  if (goneAfterMs !== undefined && !(Number.isFinite(goneAfterMs) && goneAfterMs >= 0))
    return `.goneAfterMs to be a number of ms of at least 0, got ${shown(goneAfterMs)}; keep: true never takes a page for gone`
  if (goneAfterVisits === undefined && goneAfterMs === undefined) return undefined
  if (keep === true) return ' to have keep, or goneAfterVisits and goneAfterMs, got both; leave one out'
  return everyMs === Infinity ? ' not to have goneAfterVisits or goneAfterMs, for its pages are never visited again' : undefined
}
