// Ways to keep what is secret, to serve what was not asked, and to take invented items for real ones.
import { caught, type Mutant } from '../mutant.ts'

export const KEPT: readonly Mutant[] = [
  ...caught(
    'packages/plugin-sqlite/src/cache/cache-file.ts',
    ['packages/plugin-sqlite/test/response-cache.test.ts'],
    [
      { name: 'takes one body of a URL for another', find: 'body ?? null, identity', replace: 'null, identity' },
      {
        name: 'takes the page of one Accept for that of another',
        find: 'own.subarray(0, 20 - SAME_OCTETS)',
        replace: 'same.subarray(0, 20 - SAME_OCTETS)',
      },
      { name: 'keeps without a bound', find: 'if (after <= maxBytes) total', replace: 'if (after <= Infinity) total' },
      { name: 'drops what leads to all the rest', find: "'depth DESC, fetched_at", replace: "'fetched_at" },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/cache/cache-row.ts',
    ['packages/plugin-sqlite/test/response-cache.test.ts'],
    [
      {
        name: 'empties the cache for what is larger than it',
        find: 'sizeOf(row) <= maxBytes)',
        replace: 'sizeOf(row) <= Infinity)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/secrets/body-secrets.ts',
    ['packages/core/test/body-secrets.test.ts'],
    [
      {
        name: 'hides a secret in links only',
        find: 'if (isSearched) values.add(place.value)',
        replace: 'if (isSearched && place.isSure) values.add(place.value)',
      },
      {
        name: 'stops for a page that names a million secrets',
        find: 'const MAX_EFFORT = 2 ** 18',
        replace: 'const MAX_EFFORT = 2 ** 28',
      },
      { name: 'hides the words of a site', find: 'if (!isSeveral) spans.push', replace: 'if (some.length > 0) spans.push' },
    ],
  ),
  ...caught(
    'packages/core/src/secrets/decoded-layers.ts',
    ['packages/core/test/body-secrets.test.ts'],
    [
      { name: 'looks for secrets in one encoding only', find: 'const MAX_LAYERS = 6', replace: 'const MAX_LAYERS = 2' },
      {
        name: 'hides what is beside an escape',
        find: 'return Math.max(least, offset + shift)',
        replace: 'return offset + shift + (least > 0 ? 1 : 0)',
      },
    ],
  ),
  ...caught(
    'packages/core/src/secrets/prepared-search.ts',
    ['packages/core/test/body-secrets.test.ts'],
    [
      {
        name: 'looks for the secrets of another body',
        find: 'some.length === others.length && some.every((each, index) => each === others[index])',
        replace: 'some.length === others.length',
      },
    ],
  ),
  ...caught(
    'packages/core/src/secrets/value-search.ts',
    ['packages/core/test/body-secrets.test.ts'],
    [
      {
        name: 'lets a page make the search slow',
        find: 'if (left < 0) return undefined',
        replace: 'if (left < -Infinity) return undefined',
      },
      { name: 'skips secrets', find: 'this.#window - 1 - end)', replace: 'this.#window - end)' },
    ],
  ),
  ...caught(
    'packages/core/src/hooks/outside-effects.ts',
    ['packages/core/test/outside-effects.test.ts'],
    [
      {
        name: 'runs a policy that says that it has effects',
        find: 'if (plugin?.outsideEffects === true) return { name',
        replace: 'if (plugin?.outsideEffects === true && plugin.policy === undefined) return { name',
      },
    ],
  ),
]
