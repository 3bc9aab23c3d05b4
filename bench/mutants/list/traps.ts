// Ways to break what is refused because it leads nowhere.
import { caught, type Mutant } from '../mutant.ts'

export const TRAPS: readonly Mutant[] = [
  ...caught(
    'packages/core/src/traps/pattern-record.ts',
    ['packages/core/test/traps/traps.test.ts', 'test/crawl/links/closed-wrongly.test.ts', 'test/crawl/links/traps.test.ts'],
    [
      {
        name: 'closes a pattern after four pages',
        find: 'const MAX_SAME = [40, 60, 100]',
        replace: 'const MAX_SAME = [4, 60, 100]',
      },
      {
        name: 'never closes a narrow pattern',
        find: 'const MAX_SAME = [40, 60, 100]',
        replace: 'const MAX_SAME = [Infinity, 60, 100]',
      },
      {
        name: 'closes a folder for one of its patterns',
        find: 'const MIN_KINDS = [0, 4, 8]',
        replace: 'const MIN_KINDS = [0, 0, 0]',
      },
      { name: 'forgives nothing for a page with something new', find: 'else if (record.same > 0) record.same--', replace: '' },
      { name: 'closes again at once what was opened', find: 'same: -(MAX_SAME[width] ?? 0)', replace: 'same: 0' },
      { name: 'opens a pattern after one page', find: 'const FRESH = 3', replace: 'const FRESH = 1' },
      { name: 'never opens a pattern', find: 'const FRESH = 3', replace: 'const FRESH = Infinity' },
      {
        name: 'counts pages that are the same as new',
        find: 'closed.fresh = isSame ? 0 : closed.fresh + 1',
        replace: 'closed.fresh = closed.fresh + 1',
      },
      { name: 'tries no more behind one that is new', find: 'if (!isSame) closed.trials = TRIALS', replace: '' },
      {
        name: 'tries nothing on a new day',
        find: 'closed.refused < closed.tryFrom && now < closed.tryAt',
        replace: 'closed.refused < closed.tryFrom',
      },
      {
        name: 'tries every request',
        find: 'if (closed.refused < closed.tryFrom && now < closed.tryAt) return false\n',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/traps/content-key.ts',
    ['packages/core/test/traps/traps.test.ts'],
    [
      {
        name: 'takes long words of a text for nothing',
        find: 'if (this.#isHidden && length > MAX_WORD) return true',
        replace: 'if (length > MAX_WORD) return true',
      },
      {
        name: 'takes checksums in a text for nothing',
        find: 'isToken(length, digits, others) && (this.#isHidden || own.has(hash))',
        replace: 'isToken(length, digits, others)',
      },
      {
        name: 'takes nonces of forms for content',
        find: 'isToken(length, digits, others) && (this.#isHidden || own.has(hash))',
        replace: 'false',
      },
      { name: 'compares missing pages by what is missing', find: 'if (isMissing && own.has(hash)) return true\n', replace: '' },
      {
        name: 'takes the dates of a calendar for content',
        find: 'return digits <= MAX_DATE_DIGITS && dateNumbers.has(value)',
        replace: 'return false',
      },
      { name: 'takes the months of a calendar for content', find: 'dateHashes().has(hash)', replace: 'false' },
    ],
  ),
  ...caught(
    'packages/core/src/traps/traps.ts',
    [
      'packages/core/test/traps/traps.test.ts',
      'test/crawl/links/traps.test.ts',
      'test/crawl/links/closed-wrongly.test.ts',
      'test/crawl/links/healthy-sites.test.ts',
    ],
    [
      {
        name: 'judges what leads elsewhere',
        find: 'const growing = isSame ? grownBy(host.key, requests, patterns)',
        replace: 'const growing = isSame ? patterns',
      },
      { name: 'weighs the text and not the items', find: 'return isKnown && isKnownOfItems', replace: 'return isKnown' },
      { name: 'weighs the items and not the text', find: 'return isKnown && isKnownOfItems', replace: 'return isKnownOfItems' },
      {
        name: 'judges nothing',
        find: 'return isSame === undefined ? undefined : this.#weigh',
        replace: 'return true ? undefined : this.#weigh',
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/closed-requests.ts',
    ['test/crawl/links/closed-wrongly.test.ts', 'test/crawl/links/traps.test.ts'],
    [
      {
        name: 'brings nothing back of an open pattern',
        find: "if (judgement === 'opened') void this.#bringBack(host)",
        replace: "if (judgement === 'opened') return",
      },
      {
        name: 'tries nothing that was settled',
        find: "else if (judgement === 'tried') void this.#bringSomeBack(host)",
        replace: "else if (judgement === 'tried') return",
      },
    ],
  ),
  ...caught(
    'packages/core/src/pages/page-links.ts',
    ['test/crawl/files/disk-room.test.ts', 'test/crawl/links/closed-wrongly.test.ts'],
    [
      {
        name: 'repeats an order while the disk is low',
        find: 'isIdempotent(request.method) && disk.isLow',
        replace: 'disk.isLow',
      },
    ],
  ),
  ...caught(
    'packages/core/src/pages/pages.ts',
    ['test/crawl/files/disk-room.test.ts', 'test/crawl/links/closed-wrongly.test.ts'],
    [
      {
        name: 'drops links while the disk is low',
        find: 'if (found.overBudget > 0 && found.isDiskLow)',
        replace: 'if (found.overBudget > 0 && found.isDiskLow && now < 0)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/waiting-links/cut-pages.ts',
    ['test/crawl/links/cut-pages.test.ts', 'test/crawl/links/waiting-lists.test.ts'],
    [
      {
        name: 'reads no page again at the end',
        find: 'if (!this.#mayGoOn) return false',
        replace: 'if (this.#mayGoOn || !this.#mayGoOn) return false',
      },
      {
        name: 'settles a page that is read again as what befell it',
        find: "if (request?.cut === undefined || outcome === undefined || outcome.kind === 'retry') return unit",
        replace: 'return unit',
      },
      {
        name: 'asks for a page that met trouble as if nothing had been',
        find: '    this.#rereads.troubled(request.id, now)\n    const { recrawl',
        replace: '    const { recrawl',
      },
      {
        name: 'counts the links of a page at each reading',
        find: 'return { ...unit, offered: 0, refused: [], outcome:',
        replace: 'return { ...unit, outcome:',
      },
      {
        name: 'forgets links of a page that has lost them once',
        find: 'if (of >= HAS_LOST_LINKS * most) return undefined',
        replace: 'if (of >= 0) return undefined',
      },
      {
        name: 'forgets links of a page that has lost them twice in a moment',
        find: 'Math.max(before.of, this.#rereads.mostLinks(id, now))',
        replace: 'before.of',
      },
      {
        name: 'waits for a page that has lost its links for ever',
        find: 'return { ...before, of }',
        replace: 'return before',
      },
      {
        name: 'looks at the first thousand pages alone while the crawl goes on',
        find: 'afterId: isVain ? next : afterId',
        replace: 'afterId: 0',
      },
      {
        name: 'looks at all that waits at each commit',
        find: 'if (place !== undefined && place.rest-- > 0) return',
        replace: '',
      },
      {
        name: 'looks once at the end, whoever stands in front',
        find: 'if (await this.#search.readAgain(this.#search.all(), wanted)) this.#mayGoOn = true',
        replace: 'await this.#search.readAgain(this.#search.all(), wanted)',
      },
      {
        name: 'never looks again while it watches',
        find: 'this.#lookedAllAt >= LOOK_EVERY_MS && this.lookOnceMore()',
        replace: 'this.#lookedAllAt >= Infinity && this.lookOnceMore()',
      },
      {
        name: 'says that links wait when none do',
        find: 'traps.nothingWaits(host, budget)',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/waiting-links/cut-search.ts',
    ['test/crawl/links/cut-pages.test.ts', 'test/crawl/links/waiting-lists.test.ts'],
    [
      {
        name: 'reads pages again that have no room',
        find: 'if (before >= Math.min(atOnce, this.#leftOf(cut.budget, host))) continue',
        replace: 'if (before >= atOnce) continue',
      },
      {
        name: 'reads pages again that brought nothing',
        find: ' || (!isGrown && this.#rereads.rests(id))',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/waiting-links/cut-pages.ts',
    ['test/crawl/links/links-in-trouble.test.ts'],
    [
      {
        name: 'visits a page whose links wait as often as it fails',
        find: "    if (before !== undefined && outcome.kind !== 'done') this.#rereads.troubled(request.id, this.#now)\n",
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/waiting-links/rereads.ts',
    ['test/crawl/links/cut-pages.test.ts', 'test/crawl/links/waiting-lists.test.ts'],
    [
      {
        name: 'has a page that met trouble rest',
        find: '!this.#troubled.delete(id) && isVain',
        replace: 'isVain',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/commits.ts',
    ['test/crawl/links/waiting-lists.test.ts'],
    [
      {
        name: 'goes round with a page that is read again',
        find: "outcome?.kind === 'done' && outcome.cut !== undefined && outcome.cut === request.cut",
        replace: 'false',
      },
    ],
  ),
  ...caught(
    'packages/core/src/waiting-links/cut-search.ts',
    ['test/crawl/links/links-in-trouble.test.ts'],
    [
      { name: 'reads a page again that has just killed three runs', find: 'page.quarantined ?? false', replace: 'false' },
      { name: 'visits a page for its links before it is due', find: 'page.notBefore !== undefined || ', replace: '' },
      { name: 'visits poison for its links', find: "page.reason === 'poison' || ", replace: '' },
      { name: 'visits a page that is gone for its links', find: ' || wasGone(page)', replace: '' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/outcome/outcome-table.ts',
    ['packages/plugin-sqlite/test/waiting-links.test.ts'],
    [
      {
        name: 'forgets the links of a page that fails',
        find: "    if (outcome.kind === 'failed') this.#fail(id, outcome)\n",
        replace:
          "    if (outcome.kind === 'failed') this.#fail(id, outcome)\n    if (outcome.kind === 'failed') this.#cuts.forget(id)\n",
      },
      {
        name: 'keeps links that wait of a page that has none any more',
        find: "if (from !== 'span') this.#cuts.forget(id)",
        replace: '',
      },
      {
        name: 'hands a page that failed out to be read again from where its links were cut',
        find: "this.#cuts.reopen(id, was === 'done')",
        replace: 'this.#cuts.reopen(id, true)',
      },
      {
        name: 'has a page that is read again put back for what it was put back for before it was there',
        find: "    if (from !== 'span') this.#forget.get(id)\n",
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/disk-watch.ts',
    ['test/crawl/files/disk-room.test.ts'],
    [
      { name: 'takes a disk that hovers for one with room', find: 'const ENOUGH_RATIO = 1.1', replace: 'const ENOUGH_RATIO = 1' },
      { name: 'looks only while pages come', find: 'if (this.isLow) this.#wait()', replace: '' },
      { name: 'says nothing of room', find: '        recovered()\n', replace: '' },
    ],
  ),
  ...caught(
    'packages/core/src/crawl/open-run.ts',
    ['test/crawl/files/disk-room.test.ts'],
    [
      {
        name: 'has pages wait for a disk that has room since',
        find: 'if (info.resumed && !disk.isLow) await hastenPutBack(parts)',
        replace: '',
      },
    ],
  ),
  ...caught(
    'packages/core/src/discovery/discovery.ts',
    ['test/crawl/links/cut-pages.test.ts'],
    [
      {
        name: 'forgets hosts beyond the budget of their site',
        find: "if (found.rule === 'new-hosts') taken",
        replace: "if (found.rule === 'new-host') taken",
      },
    ],
  ),
  ...caught(
    'packages/core/src/traps/traps.ts',
    ['test/crawl/links/cut-pages.test.ts'],
    [{ name: 'reads a list again for each URL', find: 'const GOOD_SHARE = 0.125', replace: 'const GOOD_SHARE = 0' }],
  ),
  ...caught(
    'packages/core/src/discovery/new-links.ts',
    ['packages/core/test/crawl/discovery.test.ts'],
    [
      {
        name: 'cuts links at what the store knows',
        find: 'const unknown = some.filter(({ request }) => !known.has(request.fingerprint))',
        replace: 'const unknown = some',
      },
      {
        name: 'forgets URLs beyond a budget',
        find: 'const beyond = this.#links.length - taken.length',
        replace: 'const beyond = 0',
      },
      {
        name: 'has links that wait for two budgets wait for the first of them',
        find: 'budget: budgets.length === 1 ? budget : SEVERAL',
        replace: 'for: budget',
      },
      { name: 'looks closely at one link less beyond a budget', find: 'const BATCH = 1_000', replace: 'const BATCH = 999' },
      { name: 'looks closely at every link beyond a budget', find: 'const BATCH = 1_000', replace: 'const BATCH = Infinity' },
    ],
  ),
  ...caught(
    'packages/core/src/traps/site-hosts.ts',
    ['packages/core/test/traps/traps.test.ts'],
    [
      {
        name: 'reads the list of a site again for each two hosts',
        find: 'hosts.size * GOOD_SHARE',
        replace: 'hosts.size * 0',
      },
    ],
  ),
  ...caught(
    'packages/core/src/traps/site-hosts.ts',
    ['packages/core/test/traps/bounds.test.ts'],
    [
      { name: 'counts one site less', find: 'const MAX_SITES = 10_000', replace: 'const MAX_SITES = 9_999' },
      { name: 'counts every site', find: 'const MAX_SITES = 10_000', replace: 'const MAX_SITES = Infinity' },
      {
        name: 'forgets a site that is heard of',
        find: 'this.#sites.set(name, known)',
        replace: 'if (known.giving < 0) return known',
      },
    ],
  ),
  ...caught(
    'packages/core/src/traps/host-gains.ts',
    ['packages/core/test/traps/bounds.test.ts'],
    [
      { name: 'remembers one content less', find: 'const MAX_SEEN = 512', replace: 'const MAX_SEEN = 511' },
      { name: 'remembers every content', find: 'const MAX_SEEN = 512', replace: 'const MAX_SEEN = Infinity' },
    ],
  ),
  ...caught(
    'packages/core/src/traps/pattern-record.ts',
    ['packages/core/test/traps/bounds.test.ts'],
    [
      { name: 'tells the least refused first', find: 'b.refused - a.refused', replace: 'a.refused - b.refused' },
      {
        name: 'tells patterns that were refused alike backwards',
        find: '(a.pattern < b.pattern ? -1 : 1)',
        replace: '(a.pattern < b.pattern ? 1 : -1)',
      },
      { name: 'tells a hundred and one patterns', find: 'const MOST_LISTED = 100', replace: 'const MOST_LISTED = 101' },
      {
        name: 'tells since when a pattern is closed by the last host',
        find: 'Math.min(known.since, closed.since)',
        replace: 'Math.max(known.since, closed.since)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/store/disk-watch.ts',
    ['packages/core/test/crawl/disk-watch.test.ts'],
    [
      { name: 'has enough room at once', find: 'const ENOUGH_RATIO = 1.1', replace: 'const ENOUGH_RATIO = 1' },
      { name: 'wants a fifth more room', find: 'const ENOUGH_RATIO = 1.1', replace: 'const ENOUGH_RATIO = 1.2' },
    ],
  ),
  ...caught(
    'packages/core/src/recrawl/recrawl.ts',
    ['packages/core/test/crawl/recrawl.test.ts'],
    [
      { name: 'asks for a page with conditions while links of it wait', find: 'if (isCut) return next', replace: '' },
      { name: 'moves the round of a page that is read again', find: 'isReread && earlier\n', replace: 'isReread && !earlier\n' },
    ],
  ),
  ...caught(
    'packages/core/src/pages/pages.ts',
    ['test/crawl/links/cut-pages.test.ts'],
    [
      {
        name: 'lets a page earn again when it is read again',
        find: 'if (request.cut !== undefined) return undefined\n',
        replace: '',
      },
      {
        name: 'sends a form again for its links',
        find: 'const cut = isIdempotent(request.method) && !isListing ? found.cut : undefined',
        replace: 'const { cut } = found',
      },
      {
        name: 'gives items of a page to onItem twice',
        find: 'exchange.request.cut ? [] : result.items',
        replace: 'result.items',
      },
    ],
  ),
]
