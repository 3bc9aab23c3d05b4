// What a page says of itself among the visits that its request has had.
import type { Request, Response } from '@avocet/core'
import { pageOf } from '@avocet/page'
import { describe, expect, it } from 'vitest'

const body = new TextEncoder().encode('<p>9.99</p>')

function pageAfter(earlier?: Request['earlier'], status = 200): ReturnType<typeof pageOf> {
  const request = { url: 'https://shop.test/1', handler: 'start', ...(earlier && { earlier }) } as Request
  const response = { status, headers: {}, body: status === 304 ? new Uint8Array() : body } as unknown as Response
  return pageOf({ request, response })
}

describe('a page', () => {
  it.each([
    ['of a first visit', undefined, 200, 0, 'first'],
    ['with the body of before', { bodyHash: 'a8644f7e59718626' }, 200, 4, 'unchanged'],
    ['with another body', { bodyHash: '0000000000000000' }, 200, 4, 'changed'],
    ['of which nobody kept what it was', {}, 200, 4, 'changed'],
    ['that is not modified', { etag: '"a"' }, 304, 4, 'unchanged'],
  ])('%s', (_what, seen, status, visit, changed) => {
    const page = pageAfter(seen && { visits: 4, dueAt: 0, skipped: 0, ...seen }, status)
    expect([page.visit, page.changed, page.fetchedAt]).toEqual([visit, changed, 0])
  })
})
