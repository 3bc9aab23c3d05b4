// Holds what the repository may weigh. `npm run budgets` prints the figures beside their ceilings; CONTRIBUTING.md says when one may rise.
import { describe, expect, it } from 'vitest'
import { codeLines, excesses, lowered, measure, readBudgets } from '../scripts/budgets.ts'

describe('the budgets', () => {
  it('are kept', async () => {
    expect(excesses(await measure(), readBudgets())).toEqual([])
  })

  it('count lines that are neither blank nor only a comment', () => {
    expect(codeLines('// One\n\n/** Two\n * three */\nconst four = 1 // four\n  /* five */\n/* six */ seven()\n')).toBe(2)
  })

  it('refuse a figure above its ceiling, and one without', () => {
    expect(excesses({ one: 2, two: 2, three: 3 }, { one: { ceiling: 1 }, two: { ceiling: 2 } })).toEqual([
      'one: expected at most 1, got 2; make it smaller, or raise the ceiling and say why in the commit',
      'three: 3, and no ceiling in test/budgets.json: npm run budgets -- --write',
    ])
  })

  it('only come down', () => {
    const budgets = { one: { ceiling: 5, goal: 1 }, two: { ceiling: 5 }, gone: { ceiling: 5 }, 'CPU of a page': { ceiling: 4 } }

    expect(lowered({ one: 4, two: 6, fresh: 7 }, budgets)).toEqual({
      one: { ceiling: 4, goal: 1 },
      two: { ceiling: 5 },
      fresh: { ceiling: 7 },
      'CPU of a page': { ceiling: 4 },
    })
  })
})
