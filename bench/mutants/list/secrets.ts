// Ways to break what keeps secrets.
import { caught, type Mutant } from '../mutant.ts'

export const SECRETS: readonly Mutant[] = [
  ...caught(
    'packages/core/src/secrets/secret-headers.ts',
    ['packages/core/test/secrets/secret-headers.test.ts'],
    [
      {
        name: 'honours a reference at any origin',
        find: 'return text?.startsWith(`${key}\\n`) ? text.slice(key.length + 1) : undefined',
        replace: "return text?.slice(text.indexOf('\\n') + 1)",
      },
      {
        name: 'takes the value of a later seed',
        find: 'if (isSeed && !this.#given.has(key)) this.#given.set(key, value)',
        replace: 'if (isSeed) this.#given.set(key, value)',
      },
      {
        name: 'keeps nothing of a seed',
        find: 'if (isSeed && !this.#given.has(key)) this.#given.set(key, value)\n',
        replace: '',
      },
      {
        name: 'mixes up two accounts',
        find: 'return `${originOf(url)} ${name} ${identity}`',
        replace: 'return `${originOf(url)} ${name}`',
      },
      { name: 'gives references the same number', find: '++this.#last)', replace: 'this.#last)' },
    ],
  ),
  ...caught(
    'packages/core/src/secrets/bounded-texts.ts',
    ['packages/core/test/secrets/secret-headers.test.ts'],
    [{ name: 'remembers every text', find: 'if (this.#characters <= this.#maxCharacters) break', replace: 'break' }],
  ),
  ...caught(
    'packages/core/src/secrets/secrets.ts',
    ['packages/core/test/secrets/texts.test.ts'],
    [
      {
        name: 'looks for one value less in a text',
        find: 'const MAX_VALUES_IN_TEXT = 100',
        replace: 'const MAX_VALUES_IN_TEXT = 99',
      },
      {
        name: 'looks for every value in a text',
        find: 'const MAX_VALUES_IN_TEXT = 100',
        replace: 'const MAX_VALUES_IN_TEXT = Infinity',
      },
    ],
  ),
  ...caught(
    'packages/core/src/secrets/secret-name.ts',
    ['packages/core/test/secrets/secret-name.test.ts'],
    [
      {
        name: 'takes each name that ends in a key for a secret',
        find: "(last === 'key' && words.length === 1)",
        replace: "last === 'key'",
      },
      { name: 'hides what measures a secret', find: ' || MEASURE.test(last)', replace: '' },
      { name: 'loses what sites permit to others', find: ' || PERMISSION.test(name)', replace: '' },
      {
        name: 'reads no camel case',
        find: "const apart = name.replace(/([a-z\\d])([A-Z])/g, '$1 $2')",
        replace: 'const apart = name',
      },
    ],
  ),
  ...caught(
    'packages/core/src/secret-renewal/secret-renewal.ts',
    [
      'test/crawl/secrets/fresh-secrets.test.ts',
      'test/crawl/secrets/secret-detours.test.ts',
      'test/crawl/secrets/detour-rights.test.ts',
      'test/crawl/secrets/secret-turns.test.ts',
    ],
    [
      { name: 'takes a 429 for an answer of the page', find: '[408, 425, 429]', replace: '[408, 425]' },
      { name: 'takes a failing server for an answer of the page', find: 'status >= 500 || ', replace: '' },
      { name: 'takes values from pages that say something is wrong', find: 'if (response.status < 300) ', replace: '' },
      { name: 'follows a redirect to another origin', find: 'if (isNear) ', replace: 'if (target !== undefined) ' },
      { name: 'has every request ask for the secret', find: 'search.isUnderWay = true\n', replace: '' },
      { name: 'forgets what was asked in vain', find: 'rememberInVain(lacking', replace: 'void (lacking' },
      { name: 'remembers what led to a value', find: 'forgetInVain(detours', replace: 'void (detours' },
      { name: 'asks a page in vain again', find: 'search.spend(source, inVain', replace: 'void (inVain' },
      {
        name: 'sends the body of a request to another page',
        find: "method: 'GET', headers, keepBytes",
        replace: 'headers, keepBytes',
      },
      { name: 'forgets where a redirect led', find: 'if (isNear) search.wait(', replace: 'if (isNear) void (' },
    ],
  ),
  ...caught(
    'packages/core/src/secret-renewal/secret-search.ts',
    ['test/crawl/secrets/secret-detours.test.ts', 'test/crawl/secrets/secret-turns.test.ts'],
    [
      { name: 'asks any number of pages', find: 'const MAX_ASKED = 5', replace: 'const MAX_ASKED = 500' },
      { name: 'asks a page in trouble once more', find: 'const MAX_TROUBLES = 5', replace: 'const MAX_TROUBLES = 6' },
      {
        name: 'fails what waits before others had their turn',
        find: 'this.#spentAt + OTHERS_FIRST_MS',
        replace: 'this.#spentAt',
      },
      { name: 'waits as long each time', find: ' * 2 ** waits)', replace: ')' },
      { name: 'gives a page up that nothing reached', find: '(counts ? 1 : 0)', replace: '1' },
    ],
  ),
  ...caught(
    'packages/core/src/hosts/marks.ts',
    ['packages/core/test/crawl/asked-in-vain.test.ts', 'test/crawl/stops.test.ts'],
    [
      { name: 'remembers every page that was asked in vain', find: '.slice(-most)', replace: '' },
      {
        name: 'leaves a page asked again where it was',
        find: '...(withoutMarks(marks, added) ?? []), ...added]',
        replace: '...added, ...(withoutMarks(marks, added) ?? [])]',
      },
      { name: 'forgets all that it remembers', find: '!removed.includes(mark)', replace: 'false' },
    ],
  ),
  ...caught(
    'packages/core/src/secret-renewal/asked-in-vain.ts',
    ['packages/core/test/crawl/asked-in-vain.test.ts'],
    [{ name: 'takes one parameter for another', find: '`${name} ${url}`', replace: 'url' }],
  ),
  ...caught(
    'packages/core/src/secret-renewal/secret-sources.ts',
    [
      'test/crawl/secrets/fresh-secrets.test.ts',
      'test/crawl/secrets/secret-parameters.test.ts',
      'packages/core/test/crawl/secret-sources.test.ts',
    ],
    [
      { name: 'asks a page that was never had', find: ' && wasAsked(root)', replace: '' },
      {
        name: 'asks for what a seed gave',
        find: ' || isOfOrigin(root.url)) return undefined',
        replace: ') return undefined',
      },
    ],
  ),
  ...caught(
    'packages/core/src/exchange/detours.ts',
    ['test/crawl/secrets/detour-rights.test.ts'],
    [
      { name: 'sends conditions of the request to another page', find: 'if-|', replace: 'none-|' },
      { name: 'sends a range of the request to another page', find: '|range$', replace: '' },
      { name: 'asks where a plugin says no', find: "verdict.kind === 'drop' || ", replace: '' },
      {
        name: 'asks before the moment that a plugin says',
        find: "if (verdict.kind === 'retry') ",
        replace: "if (verdict.kind === 'drop') ",
      },
      {
        name: 'asks though a plugin threw',
        find: 'const failure = await prepare(outgoing, { hooks, clock })',
        replace: 'const failure = void (await prepare(outgoing, { hooks, clock })) as Failure | undefined',
      },
      { name: 'asks out of the scope', find: '!to.isVisited && ', replace: 'to.isVisited && ' },
    ],
  ),
  ...caught(
    'packages/core/src/secret-renewal/handed-out.ts',
    ['test/crawl/secrets/handed-out.test.ts'],
    [
      { name: 'leaves escaped slashes', find: '|(\\/))/gi', replace: ')/gi' },
      { name: 'leaves escaped ampersands', find: ".replace(AMPERSAND, '&')", replace: '' },
      { name: 'takes templates for URLs', find: ' || /[{}]/.test(written)', replace: '' },
    ],
  ),
]
