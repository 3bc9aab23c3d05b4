// A page of which a test gives the body.
import { pageOf } from '../../src/html/html-page.ts'
import type { Page } from '../../src/page.ts'
import { requestOf, responseOf } from '../page-parts.ts'

/** The page of `body` at `https://shop.example/a/b`. */
export function pageWith(body: string, { type = 'text/html; charset=utf-8', url = 'https://shop.example/a/b' } = {}): Page {
  return pageOf({ request: requestOf(url), response: responseOf({ 'content-type': type }, body, url), html: 'parse5' })
}
