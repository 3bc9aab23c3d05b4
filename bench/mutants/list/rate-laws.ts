// Ways to break the rate laws.
import { caught, harmless, type Mutant } from '../mutant.ts'

export const RATE_LAWS: readonly Mutant[] = [
  ...caught(
    'packages/plugin-aimd/src/laws/harm-budget-climb.ts',
    ['packages/plugin-aimd/test/harm-budget.test.ts'],
    [
      { name: 'doubles up to eight a second', find: 'const DOUBLES_BELOW_RPS = 4', replace: 'const DOUBLES_BELOW_RPS = 8' },
      { name: 'triples at the start', find: 'const DOUBLE = 2', replace: 'const DOUBLE = 3' },
      { name: 'believes a rate after a few answers', find: 'const BELIEVED_S = 0.35', replace: 'const BELIEVED_S = 0.1' },
      {
        name: 'climbs though it is asked more seldom',
        find: '  if (!used) return { ...seen, lastAt: Math.round(now) }\n',
        replace: '',
      },
      { name: 'climbs by answers that do not count', find: '  if (!event.counts) return seen\n', replace: '' },
      {
        name: 'climbs by answers that were asked for at the rate before',
        find: '  if (state.stale > 0) return { ...seen, lastAt: Math.round(now), stale: state.stale - 1 }\n',
        replace: '',
      },
      {
        name: 'climbs above the limit of the user',
        find: '  if (rps >= limits.maxRps) return { ...state, baseRps: rps,',
        replace: '  if (rps < 0) return { ...state, baseRps: rps,',
      },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/laws/harm-budget-refusal.ts',
    ['packages/plugin-aimd/test/harm-budget.test.ts'],
    [
      { name: 'leaves a tenth of the rate after a surprise', find: 'const LEAST_LEFT = 0.4', replace: 'const LEAST_LEFT = 0.1' },
      { name: 'halves for ever', find: 'const rps = dry <= 2 ? state.rps / 2 : state.rps', replace: 'const rps = state.rps / 2' },
      {
        name: 'does not halve a rate that runs dry',
        find: 'const rps = dry <= 2 ? state.rps / 2 : state.rps',
        replace: 'const rps = state.rps',
      },
      { name: 'waits although the host said until when', find: 'dry <= 2 || saysWhen ? 0', replace: 'dry <= 2 ? 0' },
      {
        name: 'keeps what it counted before a refusal',
        find: 'const anew = { accepted: 0, taken: 0,',
        replace: 'const anew = { taken: 0,',
      },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/laws/textbook.ts',
    ['packages/plugin-aimd/test/laws.test.ts'],
    [
      {
        name: 'rises by answers that do not count',
        find: '      counts ? within(state, state.rps + Math',
        replace: '      true ? within(state, state.rps + Math',
      },
      { name: 'more than doubles', find: 'Math.min(state.rps, step / state.rps)', replace: 'step / state.rps' },
      {
        name: 'rises at a refusal',
        find: 'within(state, state.rps * cut, limits)',
        replace: 'within(state, state.rps / cut, limits)',
      },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/laws/interval-step.ts',
    ['packages/plugin-aimd/test/laws.test.ts'],
    [
      { name: 'takes 100 ms off', find: 'const STEP_MS = 50', replace: 'const STEP_MS = 100' },
      { name: 'asks twenty times a second', find: 'const SHORTEST_MS = 100', replace: 'const SHORTEST_MS = 50' },
      { name: 'does not slow down', find: 'at(state.intervalMs * 2, limits)', replace: 'at(state.intervalMs, limits)' },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/laws/delay-factor.ts',
    ['packages/plugin-aimd/test/laws.test.ts'],
    [
      {
        name: 'pauses for hours',
        find: 'Math.min(LONGEST_MS, factor * durationMs * stretch)',
        replace: 'factor * durationMs * stretch',
      },
      { name: 'forgets refusals at once', find: 'const RELAX = 0.95', replace: 'const RELAX = 0' },
      { name: 'stretches without bound', find: 'Math.min(MAX_STRETCH, state.stretch * 2)', replace: 'state.stretch * 2' },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/laws/within.ts',
    ['packages/plugin-aimd/test/laws.test.ts'],
    [
      { name: 'goes below the least rate', find: 'Math.min(maxRps, Math.max(minRps, rps))', replace: 'Math.min(maxRps, rps)' },
      { name: 'goes above the largest rate', find: 'Math.min(maxRps, Math.max(minRps, rps))', replace: 'Math.max(minRps, rps)' },
    ],
  ),
  ...caught(
    'packages/plugin-aimd/src/laws/vegas-window.ts',
    ['packages/plugin-aimd/test/vegas-window.test.ts'],
    [
      {
        name: 'hears what was sent before the window changed',
        find: '  if (event.seq <= state.changedAtSeq) return state\n',
        replace: '',
      },
      { name: 'cuts twice in a round', find: '  if (seq <= state.cutAtSeq) return state\n', replace: '' },
      { name: 'cuts to a half', find: 'const CUT = 0.7', replace: 'const CUT = 0.5' },
      {
        name: 'grows though the window was not full',
        find: 'if (queue < spare * few(state.limit) && state.wasFull)',
        replace: 'if (queue < spare * few(state.limit))',
      },
      {
        name: 'keeps the window where nobody connects',
        find: "if (trouble === 'connect') return { ...state, ...cut, mode: 'start', limit: 1 }",
        replace: "if (trouble === 'connect') return state",
      },
      {
        name: 'cuts at a single slow page',
        find: '  if (isWeak && state.troubles === 0) return { ...state, troubles: 1 }\n',
        replace: '',
      },
      {
        name: 'has a window above the limit of the user',
        find: 'return rounded(Math.max(1, Math.min(max, limit)))',
        replace: 'return rounded(Math.max(1, limit))',
      },
      {
        name: 'never seeks the base again',
        find: 'return sinceProbe >= answers && now >= probedAt + afterMs',
        replace: 'return false',
      },
      {
        name: 'goes on falling where that does not help',
        find: '  if (limit > 0.75 * state.fellFrom) return { ...state, limit }\n',
        replace: '  if (limit > 0) return { ...state, limit }\n',
      },
    ],
  ),
  ...harmless('packages/plugin-aimd/src/laws/vegas-window.ts', [
    {
      name: 'has a window of none',
      find: 'return rounded(Math.max(1, Math.min(max, limit)))',
      replace: 'return rounded(Math.min(max, limit))',
      harmless: 'nothing falls below one: with fewer than two in flight the base follows the answers, so that no queue is seen',
    },
  ]),
]
