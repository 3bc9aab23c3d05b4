// A page of which a test gives the body.
import { pageOf } from '@avocet/page'
import { requestOf, responseOf } from '../../core/test/page-parts.ts'

/** The page of `body` at `https://shop.example/a/b`. */
export function pageWith(
  body: string,
  { type = 'text/html; charset=utf-8', url = 'https://shop.example/a/b' } = {},
): ReturnType<typeof pageOf> {
  return pageOf({ request: requestOf(url), response: responseOf({ 'content-type': type }, body, url) })
}
