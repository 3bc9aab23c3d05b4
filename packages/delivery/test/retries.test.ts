// What is handed over again: in which order, and when it is set aside again.
import { expect, it } from 'vitest'
import { Retries, type RetriedItem } from '../src/sink-rejects.ts'

const item = (id: number): RetriedItem => ({
  ...{
    id,
    seq: id,
    requestId: id,
    visit: 0,
    ordinal: 0,
    json: '{}',
    url: 'https://a.example/',
    hostKey: 'a.example',
    handler: 'start',
  },
})

it('sets a reject aside again when it has failed alone three times beside others that pass', () => {
  const retries = new Retries()

  const again = [1, 2, 3].map(() => {
    const failed = retries.failed([item(1)])
    retries.passed()
    return failed.map(({ id }) => id)
  })

  expect(again).toEqual([[], [], [1]])
})

it('blames no reject while nothing passes, nor one of several', () => {
  const retries = new Retries()
  const several = Array.from({ length: 9 }, () => {
    retries.passed()
    return retries.failed([item(1), item(2)])
  })
  const alone = Array.from({ length: 9 }, () => retries.failed([item(1)]))

  expect([...several, ...alone].flat()).toEqual([])
})

it('brings all at once before a failure, and then one by one, those that failed least first', () => {
  const retries = new Retries()
  const both = [item(1), item(2)]
  expect(retries.next(both)).toEqual(both)

  retries.failed([item(1)])

  expect(retries.next(both)).toEqual([item(2)])
})
