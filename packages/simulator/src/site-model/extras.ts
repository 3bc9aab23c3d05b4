// The odd things of a site: redirects, links to nothing, and what is not HTML. They hang on the first page.
import { pick } from '../seeded.ts'
import type { Extras } from './host-spec.ts'
import { anchor } from './html.ts'
import type { Draft, Ground } from './site.ts'

const REDIRECTS = [301, 302, 307, 308]
const DOCUMENTS = ['json', 'txt', 'bin']

/** Links to the extras, as HTML for the first page. */
export function extraLinks(extras: Extras = {}): string {
  const links = [
    ...numbered(extras.redirects).map((n) => anchor(`/old/${String(n)}`, `moved ${String(n)}`)),
    ...numbered(extras.missing).map((n) => anchor(`/missing/${String(n)}`, `missing ${String(n)}`)),
    ...numbered(extras.documents).map((n) => anchor(documentPath(n), `document ${String(n)}`)),
  ]
  return links.length === 0 ? '' : `<footer>${links.join(' ')}</footer>\n`
}

/** What stands at an extra path. Redirects lead to one of `paths`, by an absolute URL when even, else by a relative one. */
export function extraDraft(
  path: string,
  extras: Extras = {},
  site: { ground: Ground; paths: readonly string[] },
): Draft | undefined {
  const [, folder, number = '', ending] = /^\/(old|files)\/(\d+)(?:\.(\w+))?$/.exec(path) ?? []
  const n = Number(number)
  if (folder === 'old' && ending === undefined && n < (extras.redirects ?? 0)) {
    const target = pick(site.paths, site.ground.chance('redirects'), n)
    return {
      status: REDIRECTS[n % REDIRECTS.length] ?? 301,
      contentType: 'text/plain; charset=utf-8',
      body: 'moved\n',
      location: n % 2 === 0 ? site.ground.base + target : target,
    }
  }
  return folder === 'files' && path === documentPath(n) && n < (extras.documents ?? 0) ? documentDraft(n) : undefined
}

function documentPath(n: number): string {
  return `/files/${String(n)}.${DOCUMENTS[n % DOCUMENTS.length] ?? 'bin'}`
}

function documentDraft(n: number): Draft {
  if (n % 3 === 0) return { status: 200, contentType: 'application/json', body: JSON.stringify({ document: n, ok: true }) }
  if (n % 3 === 1) return { status: 200, contentType: 'text/plain; charset=utf-8', body: `document ${String(n)}\n` }
  // Every byte value once, so that decoding it as text is noticed.
  return { status: 200, contentType: 'application/octet-stream', body: Uint8Array.from({ length: 256 }, (_, byte) => byte) }
}

function numbered(count = 0): number[] {
  return Array.from({ length: count }, (_, n) => n)
}
