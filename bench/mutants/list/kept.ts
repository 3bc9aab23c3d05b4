// Ways to keep what is secret, to serve what was not asked, and to take invented items for real ones.
import { caught, type Mutant } from '../mutant.ts'

export const KEPT: readonly Mutant[] = [
  ...caught(
    'packages/plugin-sqlite/src/cache/cache-file.ts',
    ['packages/plugin-sqlite/test/response-cache.test.ts'],
    [
      { name: 'takes one body of a URL for another', find: 'body ?? null, identity', replace: 'null, identity' },
      { name: 'keeps without a bound', find: 'if (this.#bytes <= maxBytes) return 0', replace: 'if (maxBytes > 0) return 0' },
    ],
  ),
  ...caught(
    'packages/plugin-sqlite/src/cache/without-secrets.ts',
    ['packages/plugin-sqlite/test/response-cache.test.ts'],
    [
      {
        name: 'hides a secret in links only',
        find: 'value.length >= MIN_VALUE && values',
        replace: 'value.length < 0 && values',
      },
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
