// Ways to break what links, redirects and required documents lead to.
import { caught, type Mutant } from '../mutant.ts'

export const DISCOVERY: readonly Mutant[] = [
  ...caught(
    'packages/core/src/discovery/discovery.ts',
    ['packages/core/test/crawl/discovery.test.ts'],
    [
      {
        name: 'takes a relative text for the same URL on every page',
        find: 'if (plain && link.url.charCodeAt(0) === LOWER_H && isKnown(',
        replace: 'if (plain && isKnown(',
      },
      {
        name: 'hides known links from plugins',
        find: 'pairs.has(pair) || (!everyLink && this.recent.has(pair))',
        replace: 'pairs.has(pair) || this.recent.has(pair)',
      },
      { name: 'offers one link of a page many times', find: 'pairs.has(pair) || (!everyLink', replace: '(!everyLink' },
      {
        name: 'takes links for as deep as their page',
        find: 'const depth = from.leased.depth + (this.#isDocument(handler) ? 0 : 1)',
        replace: 'const depth = from.leased.depth',
      },
      { name: 'asks no plugin about links', find: '    this.#hooks.onDiscover.call(discovery)\n', replace: '' },
      {
        name: 'lets plugins overrule the scope',
        find: '    if (outside !== undefined) discovery.refuse(outside)\n',
        replace: '',
      },
      { name: 'says one reason of several', find: "reasons.join(', ')", replace: "reasons[0] ?? ''" },
      {
        name: 'forgets the priority of links',
        find: 'priority: Math.trunc(priority) }, inherited(',
        replace: 'priority: 0 }, inherited(',
      },
      { name: 'keeps texts of links of any length', find: 'anchorText.slice(0, MAX_ANCHOR_TEXT)', replace: 'anchorText' },
      { name: 'forgets which page a link was on', find: '      parentId: from.leased.id,\n', replace: '' },
      {
        name: 'drops the data of links',
        find: '      ...(data !== undefined && { dataJson: JSON.stringify(data) }),\n',
        replace: '',
      },
      {
        name: 'takes POST and GET of one URL for the same page',
        find: "const method = wanted.method?.toUpperCase() ?? 'GET'",
        replace: "const method = 'GET'",
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/recent-pairs.ts',
    ['packages/core/test/crawl/discovery.test.ts'],
    [
      {
        name: 'takes a link of another method for known',
        find: 'return method === undefined && body === undefined && identity === undefined',
        replace: 'return body === undefined && identity === undefined',
      },
      {
        name: 'takes a link with another body for known',
        find: 'return method === undefined && body === undefined && identity === undefined',
        replace: 'return method === undefined && identity === undefined',
      },
      {
        name: 'takes pages for known that another handler has',
        find: "return handler === 'start' ? url : ` ${handler} ${url}`",
        replace: 'return url',
      },
      {
        name: 'remembers links without end',
        find: 'if (this.#young.size >= GENERATION) {',
        replace: 'if (this.#young.size < 0) {',
      },
      { name: 'forgets all links at once', find: '        this.#old = this.#young\n', replace: '' },
      {
        name: 'forgets links that are met again and again',
        find: '    this.remember([pair])\n    return true',
        replace: '    return true',
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/recent-pairs.ts',
    ['test/crawl/secrets/own-headers.test.ts'],
    [
      {
        name: 'takes a link of another identity for known',
        find: 'return method === undefined && body === undefined && identity === undefined',
        replace: 'return method === undefined && body === undefined',
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/redirected.ts',
    ['test/crawl/secrets/own-headers.test.ts'],
    [
      {
        name: 'takes another scheme for the same origin',
        find: 'new URL(target).origin === new URL(leased.url).origin',
        replace: 'new URL(target).host === new URL(leased.url).host',
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/redirected.ts',
    ['test/crawl/redirects.test.ts'],
    [
      {
        name: 'sends headers of one origin to another',
        find: 'const headers = sameOrigin ? headersJson : headersElsewhere(leased.identity)',
        replace: 'const headers = headersJson',
      },
      { name: 'does not count hops of redirects', find: 'hops: (leased.hops ?? 0) + 1', replace: 'hops: leased.hops ?? 0' },
      { name: 'does not say where a redirect came from', find: '    redirectedFrom: leased.url,\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/discovery.ts',
    ['test/crawl/redirects.test.ts'],
    [
      {
        name: 'does not let a seed lead to another site',
        find: 'const admitted = depth === 0 && !this.#isDocument(handler) ? this.#scope.admitTarget(target, hostKey) : undefined',
        replace: 'const admitted = depth < 0 ? this.#scope.admitTarget(target, hostKey) : undefined',
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/discovery.ts',
    ['test/crawl/recrawl/seed-redirects.test.ts'],
    [
      {
        name: 'follows redirects of pages out of scope',
        find: 'const admitted = depth === 0 && !this.#isDocument(handler) ? this.#scope.admitTarget',
        replace: 'const admitted = depth >= 0 ? this.#scope.admitTarget',
      },
    ],
  ),
  ...caught(
    'packages/core/src/url/scope.ts',
    ['packages/core/test/url/trap.test.ts'],
    [
      { name: 'follows paths of forty folders', find: 'const MAX_PATH_SEGMENTS = 32', replace: 'const MAX_PATH_SEGMENTS = 40' },
      {
        name: 'takes empty segments for a trap',
        find: "if (segment !== '' && count > MAX_EQUAL_SEGMENTS) return true",
        replace: 'if (count > MAX_EQUAL_SEGMENTS) return true',
      },
    ],
  ),
  ...caught(
    'packages/core/src/url/scope.ts',
    ['packages/core/test/url/scope.test.ts'],
    [
      {
        name: 'follows queries of a hundred parameters',
        find: 'const MAX_QUERY_PARAMETERS = 64',
        replace: 'const MAX_QUERY_PARAMETERS = 100',
      },
      {
        name: 'follows a folder inside itself five times',
        find: 'const MAX_EQUAL_SEGMENTS = 4',
        replace: 'const MAX_EQUAL_SEGMENTS = 5',
      },
    ],
  ),
  ...caught(
    'packages/core/src/url/dropped-parameters.ts',
    ['packages/core/test/url/dropped-parameters.test.ts'],
    [
      {
        name: 'drops what is kept',
        find: '    return !this.#isKept(name)',
        replace: '    return true',
      },
      { name: 'leaves segments of dots', find: '(parseUrl(path + query) ?? path + query)', replace: 'path + query' },
      { name: 'drops a part of the host', find: "document.indexOf('/', document.indexOf('//') + 2)", replace: '0' },
      {
        name: 'leaves sessions in paths',
        find: "(this.#drops(name) ? '' : pair)",
        replace: '(name === pair ? name : pair)',
      },
      {
        name: 'overlooks names with an escape in them',
        find: "'[^?&;=#]*[%+]'",
        replace: "'[%+]'",
      },
      {
        name: 'leaves names that begin as a pattern does',
        find: '!this.#beginnings.some((beginning) => name.startsWith(beginning))',
        replace: '!this.#beginnings.some((beginning) => name === beginning)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/exchange/spelling-chains.ts',
    ['test/crawl/links/spellings.test.ts'],
    [
      {
        name: 'forgets the headers of a link on its way over another origin',
        find: 'this.#kept(leased) ?? leased',
        replace: 'leased',
      },
      { name: 'never counts how often a page leads back', find: 'asked.includes(url) ? 1 : 0', replace: '0' },
    ],
  ),
  ...caught(
    'packages/core/src/exchange/redirects.ts',
    ['test/crawl/links/dropped-parameters.test.ts'],
    [
      {
        name: 'loses a page that leads to its mark and back',
        find: 'chain.returns < MAX_RETURNS',
        replace: 'url === leased.url',
      },
      {
        name: 'takes a page with a parameter that is dropped for another page',
        find: 'canonicalUrl(target) === canonicalUrl(dropped.from(leased.url))',
        replace: 'canonicalUrl(url) === canonicalUrl(leased.url)',
      },
      {
        name: 'keeps what is dropped in the target of a redirect',
        find: 'const target = dropped.from(url)',
        replace: 'const target = dropped.from(url) === dropped.from(leased.url) ? dropped.from(url) : url',
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/open-run.ts',
    ['test/crawl/links/dropped-parameters.test.ts'],
    [
      {
        name: 'says nothing of what is kept from now on',
        find: 'removed.length === 0 ? [] : [keptNow(removed)]',
        replace: '[]',
      },
    ],
  ),
  ...caught(
    'packages/core/src/url/scope-at-rest.ts',
    ['packages/cli/test/report/why-refused.test.ts'],
    [
      {
        name: 'keeps rules of any size',
        find: 'hostsOnce.size <= MAX_HOSTS && JSON.stringify(rules).length <= MAX_RULES_CHARACTERS',
        replace: 'hostsOnce.size <= MAX_HOSTS',
      },
      {
        name: 'forgets the flags of a pattern',
        find: 'new RegExp(source, flags)',
        replace: "new RegExp(source, flags === '' ? '' : 'u')",
      },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/open-run.ts',
    ['packages/cli/test/report/why-refused.test.ts'],
    [
      {
        name: 'leaves no scope where nothing is committed',
        find: "if (core !== undefined) await calls.make('scope', () => frontier.note(core))",
        replace: '',
      },
    ],
  ),
]
