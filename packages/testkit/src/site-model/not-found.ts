// What hosts answer where nothing stands.
import type { SitePage } from './site-page.ts'

const BODY = '<!doctype html>\n<title>404 Not Found</title>\n<h1>404 Not Found</h1>\n'

/** The page of status 404, the same everywhere. */
export const NOT_FOUND: SitePage = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': String(BODY.length) },
  body: new TextEncoder().encode(BODY),
}
