// Marks as sinks give them.
import { expect, it } from 'vitest'
import { checkedAnswer, checkedMark } from '../src/open-sink.ts'

it.each([
  ['ahead of what was handed over', { itemSeq: 8 }, 'at item 7 at most'],
  ['before the first item', { itemSeq: -1 }, 'an itemSeq of 0 or more'],
  ['of no whole number', { itemSeq: 1.5 }, 'an itemSeq of 0 or more'],
  ['of no number', { itemSeq: NaN }, 'an itemSeq of 0 or more'],
  ['that is none', undefined, 'an itemSeq of 0 or more'],
  ['with a state of 64 KiB and a byte', { itemSeq: 1, state: 'x'.repeat(65_535) }, '65536 bytes at most'],
  ['with a state of few characters and many bytes', { itemSeq: 1, state: '茶'.repeat(30_000) }, '65536 bytes at most'],
  ['with a state that is not JSON', { itemSeq: 1, state: () => 1 }, 'to be JSON'],
])('refuses a mark %s', (_what, mark, message) => {
  expect(() => checkedMark(mark, 7)).toThrow(message)
})

it('takes a mark at the last item, and a state of 64 KiB', () => {
  const mark = { itemSeq: 7, state: 'x'.repeat(65_534) }

  expect(checkedMark(mark, 7)).toEqual(mark)
})

it('refuses an answer whose mark or rewind is ahead', () => {
  expect(() => checkedAnswer({ mark: { itemSeq: 8 } }, 7)).toThrow('at item 7 at most')
  expect(() => checkedAnswer({ rewind: { itemSeq: 8 } }, 7)).toThrow('at item 7 at most')
})
