// The policy of recrawls: binds the rules to the votes of a crawl on the next visit of a page.
//
// Documents of plugins, such as sitemaps, come in rounds of their own, ahead of the rules of the crawl. One that is missing may come back.
import { definePlugin, type Plugin, type RecrawlRule, type Spider } from '@avocet/core'
import type { Session } from '@avocet/core/plugin'
import { recrawlRulesOf } from './rules.ts'
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
      if (vote === 'gone') ask.gone()
      else if (vote !== undefined) ask.again(vote.at, vote)
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
