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
      { name: 'looks closely at one link less beyond a budget', find: 'const BATCH = 1_000', replace: 'const BATCH = 999' },
      { name: 'looks closely at every link beyond a budget', find: 'const BATCH = 1_000', replace: 'const BATCH = Infinity' },
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
]
