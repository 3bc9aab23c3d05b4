// The law of bans: which forbidden pages may be those of a ban, which are taken for private, and when a ban is certain.
import { describe, expect, it } from 'vitest'
import { blockingOf, forbiddenAfter, isServed, type ForbiddenAnswers, type PageAnswer } from '../../src/hosts/blocking.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

interface Told {
  /** For each forbidden answer: `r` a ban is suspected, `!` it is certain, `-` neither. */
  readonly verdicts: string
  readonly left: ForbiddenAnswers | undefined
}

/**
 * A host that served pages before, an answer a second: `x` forbidden, `k` too, and served in an earlier visit, `o` of another kind, `s` a page that is served
 * after all, `_` a minute, a digit so many hundreds.
 */
function told(story: string): Told {
  let left: ForbiddenAnswers | undefined
  let [now, seq, verdicts] = [0, 0, '']
  for (const step of story.replaceAll(' ', '')) {
    now += step === '_' ? MINUTE : SECOND
    if (step === '_') continue
    seq++
    const isForbidden = step === 'x' || step === 'k'
    const status = isForbidden ? 403 : step === 'o' || step === 's' ? 200 : Number(step) * 100
    left = forbiddenAfter(left, { status, forbidden: isForbidden, seq, now, again: step === 's', wasPublic: step === 'k' })
    const { isSuspected, isCertain } = blockingOf(left, true, true)
    if (isForbidden) verdicts += isCertain ? '!' : isSuspected ? 'r' : '-'
  }
  return { verdicts, left }
}

describe('forbidden pages', () => {
  it.each([
    ['one', 'oxo', '-'],
    ['one that was served in an earlier visit', 'oko', 'r'],
    ['and again, where it was over within a minute', 'oko oko', 'r -'],
    ['and again, where it was a ban', 'oko s _ oko', 'r r'],
    ['a row: all but the first', 'xxxxx', '-rrrr'],
    ['a row with a pause of the host in it, and its probe', 'xxx _ x _ x', '-rrrr'],
    ['every other page is private', 'xoxoxoxoxoxoxo', '-------'],
    ['two private ones side by side, again and again', 'xxo xxo xxo', '-r----'],
    [
      'rows of all lengths: one for each that is longer than all before',
      'xo xxo xo xxxo xxo xxxo xxxxo',
      '- -r - --r -- --- ---r',
    ],
    ['a ban of a minute', 'xxx _ o xxx', '-rr -rr'],
    ['a ban that began among private pages', 'xo xxo xxxxx _ o xxxx', '- -r --rrr --rr'],
    ['a ban of seconds, before any page of it is served', 'xxxxo xxxxx', '-rrr ----r'],
    ['a ban of seconds, once a page of it is served', 'xxxxo s xxxxx', '-rrr -rrrr'],
  ])('%s: %s', (_what, story, verdicts) => {
    expect(told(story).verdicts).toBe(verdicts.replaceAll(' ', ''))
  })
})

describe('a ban is certain', () => {
  it.each([
    ['not at nine in a row', 'xxxxxxxxx', '-rrrrrrrr'],
    ['at ten in a row', 'xxxxxxxxxxx', '-rrrrrrrr!!'],
    ['at ten in a row with errors of the server between', 'xxxxx55 xxxxx', '-rrrr rrrr!'],
    ['never where every other page is private', 'xo'.repeat(40), '-'.repeat(40)],
    ['never where two of three are', 'xxo'.repeat(40), `-r${'-'.repeat(78)}`],
  ])('%s', (_what, story, verdicts) => {
    expect(told(story).verdicts).toBe(verdicts.replaceAll(' ', ''))
  })

  it('at no host that never answered with a success, and suspected at none that never served a page', () => {
    const row = told('xxxxxxxxxxxx').left
    expect(blockingOf(row, false, false)).toEqual({ inRow: 12, isSuspected: false, isCertain: false })
    expect(blockingOf(row, false, true)).toEqual({ inRow: 12, isSuspected: false, isCertain: true })
  })
})

const answer = (status: number, more: Partial<PageAnswer> = {}): PageAnswer => ({
  status,
  forbidden: status === 403,
  seq: 9,
  now: 9_000,
  again: false,
  wasPublic: false,
  ...more,
})

it('what was sent before a row began does not end it, though it comes in later', () => {
  const first = forbiddenAfter(undefined, answer(403, { seq: 7, now: 1_000 }))
  const row = forbiddenAfter(first, answer(403, { seq: 8, now: 1_001 }))

  expect(forbiddenAfter(row, answer(200, { seq: 6, now: 1_002 }))).toBe(row)
  expect(forbiddenAfter(row, answer(200, { seq: 9, now: 1_002 }))).toEqual({ ...row, inRow: 0, longestPrivate: 2 })
})

it.each([
  [402, 'goes on'],
  [408, 'goes on'],
  [421, 'goes on'],
  [425, 'goes on'],
  [429, 'goes on'],
  [500, 'goes on'],
  [503, 'goes on'],
  [522, 'goes on'],
  [200, 'is over'],
  [301, 'is over'],
  [404, 'is over'],
  [501, 'is over'],
  [999, 'is over'],
])('after an answer of status %i that is not forbidden a row %s', (status, what) => {
  const row = forbiddenAfter(undefined, answer(403, { seq: 1, now: 1_000 }))
  expect(forbiddenAfter(row, answer(status))?.inRow).toBe(what === 'goes on' ? 1 : 0)
})

it('a row that was over within a minute was of private pages, a longer one a ban', () => {
  const row = forbiddenAfter(undefined, answer(403, { seq: 1, now: 1_000 }))

  expect(forbiddenAfter(row, answer(200, { now: 60_999 }))).toMatchObject({ longestPrivate: 1 })
  expect(forbiddenAfter(row, answer(200, { now: 61_000 }))).toBeUndefined()
})

it('a page was served by a success, not by a redirect', () => {
  const served = [200, 206, 301, 404].map((status) => isServed({ status, forbidden: false }))

  expect([...served, isServed({ status: 200, forbidden: true })]).toEqual([true, true, false, false, false])
})

describe('what is remembered', () => {
  it.each([
    ['of a ban that is over', 'xxxxxxxxxxxx _ o', undefined],
    ['of a ban of seconds whose pages are served', 'xxxo s', undefined],
    ['of private pages', 'xo', { inRow: 0, firstSeq: 1, firstAt: 1_000, longestPrivate: 1 }],
  ])('%s', (_what, story, left) => {
    expect(told(story).left).toEqual(left)
  })

  it('changes with private pages only, not with those that are served', () => {
    const blocks = told('xoxoo').left ?? expect.fail('a record')
    expect(forbiddenAfter(blocks, answer(200))).toBe(blocks)
  })
})
