// The answers of the last minutes as one row of blocks: how many came when, and when there were none but trouble.
import type { Slice } from './answer-history.ts'

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const NOTHING = '·'
const ONLY_TROUBLE = '×'

/**
 * `slices` in `columns` characters, several slices a character where they are more. The tallest block is the most of this host.
 *
 * @example
 * ```ts
 * sparkline([{ good: 1, bad: 0 }, { good: 8, bad: 1 }, { good: 0, bad: 2 }, { good: 0, bad: 0 }], 4) // '▁█×·'
 * ```
 */
export function sparkline(slices: readonly Slice[], columns: number): string {
  const each = Math.ceil(slices.length / columns)
  const sums = Array.from({ length: Math.ceil(slices.length / each) }, (_, index) => {
    const part = slices.slice(index * each, (index + 1) * each)
    return { good: part.reduce((sum, { good }) => sum + good, 0), bad: part.reduce((sum, { bad }) => sum + bad, 0) }
  })
  const most = Math.max(1, ...sums.map(({ good }) => good))
  return sums.map(({ good, bad }) => (good > 0 ? block(good / most) : bad > 0 ? ONLY_TROUBLE : NOTHING)).join('')
}

function block(share: number): string {
  return BLOCKS[Math.ceil(share * BLOCKS.length) - 1] ?? BLOCKS[0]
}
