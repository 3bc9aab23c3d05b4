// Which pages are built alone, and when one of them is to blame.
import { describe, expect, it } from 'vitest'
import { Suspects } from '../src/suspects.ts'

const URL = 'https://shop.example/'

describe('a page with which the browser broke down', () => {
  it('is to blame for the third time in a row, and is suspected until it was built', () => {
    const suspects = new Suspects()

    expect([suspects.brokeDown(URL), suspects.brokeDown(URL), suspects.brokeDown(URL)]).toEqual([undefined, undefined, 3])
    expect(suspects.has(URL)).toBe(true)
    suspects.clear(URL)
    expect(suspects.has(URL)).toBe(false)
    expect(suspects.brokeDown(URL)).toBeUndefined()
  })

  it('is to blame for each further time, when it is requested again', () => {
    const suspects = new Suspects()
    for (const _ of [1, 2, 3]) suspects.brokeDown(URL)

    expect(suspects.brokeDown(URL)).toBe(4)
    expect(suspects.has(URL)).toBe(true)
  })
})
