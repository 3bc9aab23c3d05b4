// The law of bans: which forbidden pages are asked for again, and which are taken for private.
import { describe, expect, it } from 'vitest'
import { allowed, forbidden, looksBanned, type Blocks } from '../src/blocks.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

interface Told {
  /** For each forbidden answer: `r` asked for again, `-` not. */
  readonly verdicts: string
  readonly left: Blocks | undefined
}

/** A host that served pages before, an answer a second: `x` forbidden, `o` of another kind, `s` a page that is served after all, `_` a minute. */
function told(story: string): Told {
  let left: Blocks | undefined
  let [now, seq, verdicts] = [0, 0, '']
  for (const step of story.replaceAll(' ', '')) {
    now += step === '_' ? MINUTE : SECOND
    if (step === '_') continue
    seq++
    if (step === 'x') {
      left = forbidden(left, { seq, now })
      verdicts += looksBanned(left) ? 'r' : '-'
    } else if (left !== undefined) left = allowed(left, { seq, now, rescued: step === 's' })
  }
  return { verdicts, left }
}

describe('forbidden pages', () => {
  it.each([
    ['one', 'oxo', '-'],
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

it('what was sent before a row began does not end it, though it comes in later', () => {
  const row = forbidden(forbidden(undefined, { seq: 7, now: 1_000 }), { seq: 8, now: 1_001 })

  expect(allowed(row, { seq: 6, now: 1_002, rescued: false })).toBe(row)
  expect(allowed(row, { seq: 9, now: 1_002, rescued: false })).toEqual({ ...row, inRow: 0, longestPrivate: 2 })
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
    expect(allowed(blocks, { seq: 9, now: 9_000, rescued: false })).toBe(blocks)
  })
})
