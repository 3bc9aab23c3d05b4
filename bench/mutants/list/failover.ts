// Ways to write to the server that took the place of another what only that one knew, or to ask a host that somebody may still hold.
import { caught, type Mutant } from '../mutant.ts'

const TESTS = ['packages/plugin-postgres/test/failover.postgres.test.ts']

export const FAILOVER: readonly Mutant[] = [
  ...caught('packages/plugin-postgres/src/process/failover.ts', TESTS, [
    { name: 'waits for nobody', find: 'if (restMs <= 0)', replace: 'if (restMs <= Infinity)' },
    { name: 'works on a server that it does not know', find: 'if (was === timeline) return', replace: 'return' },
    { name: 'counts anew each time it looks', find: '!== timeline) this.#found', replace: '!== undefined) this.#found' },
  ]),
  ...caught('packages/plugin-postgres/src/connection/connections.ts', TESTS, [
    { name: 'writes whatever the era is', find: "this.#era === undefined ? 'true'", replace: "this.#era !== -1 ? 'true'" },
  ]),
  ...caught('packages/plugin-postgres/src/schema/failover-functions.sql.ts', TESTS, [
    {
      name: 'leaves the dead signed in',
      find: 'WHERE p.id > 0 ORDER BY p.id LOOP',
      replace: 'WHERE p.id > 1 ORDER BY p.id LOOP',
    },
    {
      name: 'uses numbers of lost requests again',
      find: "nextval('{S}.request_id') + ",
      replace: "nextval('{S}.request_id') + 0 * ",
    },
    {
      name: 'uses numbers of lost items again',
      find: 'SET next_base = next_base + ',
      replace: 'SET next_base = next_base + 0 * ',
    },
    {
      name: 'refuses by the era alone',
      find: ' AND c.timeline = CASE',
      replace: ' AND c.timeline = CASE WHEN true THEN c.timeline',
    },
    { name: 'refuses by the timeline alone', find: 'c.era = p_era AND c.timeline = CASE', replace: 'c.timeline = CASE' },
  ]),
  ...caught('packages/plugin-postgres/src/schema/host-functions.sql.ts', TESTS, [
    { name: 'takes hosts over as if nothing was lost', find: '(h.abandoned OR h.era < v_era)', replace: 'h.abandoned' },
  ]),
]
