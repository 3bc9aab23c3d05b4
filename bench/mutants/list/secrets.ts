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
    'packages/core/src/hosts/marks.ts',
    ['test/crawl/stops.test.ts'],
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
]
