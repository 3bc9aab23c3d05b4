// What every view is given: the parts that came, where the page is, and how to act.
import type { ComponentChildren, JSX } from 'preact'
import type { CrawlHead, CrawlPhase } from '../picture.ts'
import type { Series } from '../series.ts'
import type { SteeringAction, SteeringKind } from '../crawl-source.ts'
import type { Route } from './route.ts'
import { roughly } from './words.ts'

/** A view's surroundings. */
export interface ViewScope {
  readonly route: Route
  readonly parts: ReadonlyMap<string, unknown>
  /** Epoch ms by the crawl's clock. */
  readonly now: number
  /** The command has ended, or this is a file: what is shown was so then. */
  readonly isOver: boolean
  /** Shows other rows of the table of hosts. */
  filter(change: Partial<Route>): void
  /** Which rows of a long table are on the screen. */
  shows(from: number, rows: number): void
  /** Does it, and says what was done. */
  act(action: SteeringAction): void
}

/** An element, or a component with what it is given. */
export type Drawn = JSX.Element

/** What can be shown. */
export type Shown = ComponentChildren

/** A view. */
export type View = (scope: ViewScope) => Drawn

/** One part, as its view knows it. */
export function partNamed<Part>({ parts }: Pick<ViewScope, 'parts'>, name: string): Part | undefined {
  return parts.get(name) as Part | undefined
}

/** Whether the crawl can do it now. */
export function offers(scope: ViewScope, kind: SteeringKind): boolean {
  return (partNamed<readonly SteeringKind[]>(scope, 'offers') ?? []).includes(kind)
}

/** Whether the whole crawl is paused, whoever runs it. */
export function isPausedIn(scope: ViewScope): boolean {
  const { phase, pausedFor } = partNamed<CrawlHead>(scope, 'head') ?? {}
  return phase === 'paused' || (pausedFor ?? null) !== null
}

/** The phase of the crawl in words. */
export function phaseInWords({
  phase,
  pausedFor,
  idleUntil,
  at,
}: Pick<CrawlHead, 'phase' | 'pausedFor' | 'idleUntil' | 'at'>): string {
  const words: Readonly<Record<CrawlPhase, string>> = {
    opening: 'Opening',
    running: 'Running',
    paused: 'Paused',
    draining: 'Stopping',
    closed: 'Finished',
    elsewhere: 'Crawled by another process',
    silent: 'Not heard from, may be dead',
    'at-rest': 'At rest',
  }
  if (idleUntil !== null && pausedFor === null) return `Waiting: next request in ${roughly(idleUntil - at)}`
  if (pausedFor === null || phase === 'draining' || phase === 'closed') return words[phase]
  return phase === 'paused' || phase === 'running' ? `Paused: ${pausedFor}` : `${words[phase]}, paused`
}

/** A series, put together from the pieces in which it came. */
export function seriesNamed(scope: Pick<ViewScope, 'parts'>, name: string): Series {
  const { widthMs = 0 } = partNamed<Pick<Series, 'widthMs'>>(scope, name) ?? {}
  type Row = readonly [number, number, number, number, number | null, number | null, number | null]
  const rows = [...scope.parts]
    .filter(([key]) => key.startsWith(`${name} `))
    .flatMap(([, chunk]) => chunk as readonly Row[])
    .toSorted((a, b) => a[0] - b[0])
  const points = rows.map(([at, requests, refusals, failures, halfMs, nineInTenMs, foundRps]) => ({
    ...{ at, requests, refusals, failures },
    ...{ halfMs, nineInTenMs, foundRps },
  }))
  return { widthMs, points }
}
