// What is at a path while its host has lost its pages or sends everybody elsewhere. Pure: the description, the path, the time.
import type { HostSpec } from './host-spec.ts'
import { htmlPage } from './html.ts'
import type { Draft } from './site.ts'

interface Span {
  readonly fromMs: number
  readonly untilMs?: number
}

const GONE = { contentType: 'text/html; charset=utf-8', body: '<!doctype html>\n<title>Not here</title>\n' }

/** The page that stands in for the one at `path`; undefined = that one. `originOf` a host of the model; undefined = there is none. */
export function insteadOf(
  { missing = [], moves = [] }: HostSpec,
  path: string,
  { atMs, originOf }: { readonly atMs: number; readonly originOf: (host: string) => string | undefined },
): Draft | undefined {
  if (path === '/robots.txt') return undefined
  const gone = missing.find((span) => isAt(span, atMs) && path.startsWith(span.under ?? '/'))
  if (gone !== undefined) return { ...GONE, status: gone.status ?? 404 }
  const move = moves.find((span) => isAt(span, atMs))
  if (move === undefined) return undefined
  if (move.to === path) return htmlPage('Maintenance', '<h1>Back soon</h1>')
  const location = move.to.startsWith('/') ? move.to : (originOf(move.to) ?? `http://${move.to}`) + path
  return { status: move.status ?? 301, contentType: 'text/plain; charset=utf-8', body: 'moved\n', location }
}

function isAt({ fromMs, untilMs = Infinity }: Span, atMs: number): boolean {
  return atMs >= fromMs && atMs < untilMs
}
