// Ways to break the timeout laws.
import { caught, type Mutant } from '../mutant.ts'

export const TIMEOUT: readonly Mutant[] = [
  ...caught(
    'packages/plugin-adaptive-timeout/src/laws/quantile.ts',
    ['packages/plugin-adaptive-timeout/test/laws.test.ts'],
    [
      { name: 'forgets timeouts', find: 'counts: withSample(counts, 2 * waitedMs), backOffMs', replace: 'counts, backOffMs' },
      {
        name: 'takes a timeout for an answer in that time',
        find: 'withSample(counts, 2 * waitedMs)',
        replace: 'withSample(counts, waitedMs)',
      },
      {
        name: 'backs off without bound',
        find: 'Math.min(maxMs, Math.max(backOffMs, 2 * waitedMs))',
        replace: 'Math.max(backOffMs, 2 * waitedMs)',
      },
      { name: 'does not back off', find: 'Math.min(maxMs, Math.max(backOffMs, 2 * waitedMs))', replace: 'backOffMs' },
      {
        name: 'ends its back-off with old news',
        find: 'if (!isNews || state.backOffMs === undefined) return',
        replace: 'if (state.backOffMs === undefined) return',
      },
      {
        name: 'never ends its back-off',
        find: 'if (!isNews || state.backOffMs === undefined) return { ...state, counts }',
        replace: 'if (state) return { ...state, counts }',
      },
      { name: 'gives a failed page no more time', find: '* 2 ** Math.min(MOST_DOUBLINGS, failedAttempts)', replace: '' },
      { name: 'doubles for ever', find: '2 ** Math.min(MOST_DOUBLINGS, failedAttempts)', replace: '2 ** failedAttempts' },
      {
        name: 'is sure of a few answers',
        find: 'bounded(factor * typicalMs * (1 + 4 / n))',
        replace: 'bounded(factor * typicalMs)',
      },
      { name: 'waits less than the least', find: 'Math.max(minMs, Math.min(maxMs, ms))', replace: 'Math.min(maxMs, ms)' },
      {
        name: 'waits longer than the most',
        find: 'return Math.round(Math.min(maxMs, Math.max(againMs, state.backOffMs ?? 0)))',
        replace: 'return Math.round(Math.max(againMs, state.backOffMs ?? 0))',
      },
      {
        name: 'hurries with hosts that nothing is known of',
        find: 'const { share = 0.97, factor = 2, coldMs = 30_000',
        replace: 'const { share = 0.97, factor = 2, coldMs = 10_000',
      },
      {
        name: 'asks nobody what others took',
        find: 'n < FEW ? quantileOf(counts, share, prior, PRIOR_WEIGHT) : quantileOf',
        replace: 'n < 0 ? quantileOf(counts, share, prior, PRIOR_WEIGHT) : quantileOf',
      },
    ],
  ),
  ...caught(
    'packages/plugin-adaptive-timeout/src/laws/rto.ts',
    ['packages/plugin-adaptive-timeout/test/laws.test.ts'],
    [
      {
        name: 'takes the deviation from the new mean',
        find: '0.75 * deviationMs + 0.25 * Math.abs(meanMs - tookMs)',
        replace: '0.75 * deviationMs + 0.25 * Math.abs(0.875 * meanMs + 0.125 * tookMs - tookMs)',
      },
      { name: 'waits for the mean and one deviation', find: 'meanMs + 4 * deviationMs', replace: 'meanMs + deviationMs' },
      { name: 'does not back off after timeouts', find: 'baseMs * 2 ** timeouts', replace: 'baseMs' },
      {
        name: 'ends its back-off with old news, as TCP must not',
        find: 'const kept = isNews ? 0 : timeouts',
        replace: 'const kept = 0',
      },
    ],
  ),
  ...caught(
    'packages/plugin-adaptive-timeout/src/laws/body.ts',
    ['packages/plugin-adaptive-timeout/test/body.test.ts'],
    [
      { name: 'loosens three times', find: 'const MOST_STEPS = 2', replace: 'const MOST_STEPS = 3' },
      { name: 'gives large bodies twice the longest', find: 'const ROOM = 4', replace: 'const ROOM = 2' },
      { name: 'never forgets the longest body', find: 'const KEEP = 0.95', replace: 'const KEEP = 1' },
      { name: 'never tightens again', find: 'steps: state.steps - (fits ? 1 : 0)', replace: 'steps: state.steps' },
      {
        name: 'gives a failed page no more time for its body',
        find: 'Math.max(state.steps, failedAttempts)',
        replace: 'state.steps',
      },
    ],
  ),
  ...caught(
    'packages/plugin-adaptive-timeout/src/histogram.ts',
    ['packages/plugin-adaptive-timeout/test/histogram.test.ts'],
    [
      {
        name: 'never forgets a sample',
        find: 'return sampleCount(grown) < FULL ? grown : halved(start, counts)',
        replace: 'return grown',
      },
      {
        name: 'takes the lower edge of a bucket',
        find: 'SMALLEST_MS * Math.SQRT2 ** bucket',
        replace: 'SMALLEST_MS * Math.SQRT2 ** (bucket - 1)',
      },
      {
        name: 'adds what two processes know',
        find: 'Math.max(countIn(a, start + n), countIn(b, start + n))',
        replace: 'countIn(a, start + n) + countIn(b, start + n)',
      },
    ],
  ),
]
