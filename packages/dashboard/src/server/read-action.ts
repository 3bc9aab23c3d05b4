// Reads an action that a page asks for: what is not exactly one is refused with what was expected.
import { AvocetError } from '@avocet/core'
import type { LimitsChange } from '@avocet/core/tools'
import type { SteeringAction, SteeringKind, WhichPages } from '../crawl-source.ts'

/** Seeds that are added at once: core refuses more. */
const MAX_SEEDS = 1_000

type Said = Readonly<Record<string, unknown>>

/** Throws AVO_USAGE. */
export function readAction(said: unknown): SteeringAction {
  const action = (typeof said === 'object' && said !== null ? said : {}) as Said
  const { kind } = action
  const read = typeof kind === 'string' && Object.hasOwn(READERS, kind) ? READERS[kind as SteeringKind] : undefined
  if (read === undefined) throw wrong('kind', `one of ${Object.keys(READERS).join(', ')}`)
  return read(action)
}

const READERS: Readonly<Record<SteeringKind, (said: Said) => SteeringAction>> = {
  pause: () => ({ kind: 'pause' }),
  resume: () => ({ kind: 'resume' }),
  stop: ({ now }) => ({ kind: 'stop', ...(now === true && { now }) }),
  'pause-host': (said) => ({ kind: 'pause-host', hostKey: text(said, 'hostKey'), ...optionalNumber(said, 'until') }),
  'resume-host': (said) => ({ kind: 'resume-host', hostKey: text(said, 'hostKey') }),
  'forget-host': (said) => ({ kind: 'forget-host', hostKey: text(said, 'hostKey') }),
  'limit-host': (said) => ({ kind: 'limit-host', hostKey: text(said, 'hostKey'), limits: limitsOf(said['limits']) }),
  reopen: (said) => ({ kind: 'reopen', ...whichPages(said) }),
  drop: (said) => ({ kind: 'drop', ...namedPages(said) }),
  add: (said) => ({ kind: 'add', seeds: seedsOf(said['seeds']) }),
}

function whichPages(said: Said): WhichPages {
  return { ...optionalText(said, 'url'), ...optionalText(said, 'failureClass'), ...optionalText(said, 'hostKey') }
}

/** Nobody drops all of them by leaving something out. */
function namedPages(said: Said): WhichPages {
  const pages = whichPages(said)
  if (Object.keys(pages).length === 0) throw wrong('url, failureClass or hostKey', 'which pages to drop')
  return pages
}

function limitsOf(said: unknown): LimitsChange {
  const limits = (typeof said === 'object' && said !== null ? said : {}) as Said
  return { ...limit(limits, 'maxRps'), ...limit(limits, 'delayMs'), ...limit(limits, 'maxInFlight') }
}

/** A number, or null: as configured. */
function limit<Name extends keyof LimitsChange>(limits: Said, name: Name): LimitsChange {
  return limits[name] === null ? { [name]: null } : optionalNumber(limits, name)
}

function seedsOf(said: unknown): readonly { readonly url: string }[] {
  if (!Array.isArray(said) || said.length === 0 || said.length > MAX_SEEDS) throw wrong('seeds', `1 to ${MAX_SEEDS} URLs`)
  return said.map((seed) => ({ url: text((seed ?? {}) as Said, 'url') }))
}

function text(said: Said, name: string): string {
  const value = said[name]
  if (typeof value !== 'string' || value === '') throw wrong(name, 'a text')
  return value
}

function optionalText<Name extends string>(said: Said, name: Name): { readonly [Key in Name]?: string } {
  return said[name] === undefined ? {} : ({ [name]: text(said, name) } as { readonly [Key in Name]: string })
}

function optionalNumber<Name extends string>(said: Said, name: Name): { readonly [Key in Name]?: number } {
  const value = said[name]
  if (value === undefined) return {}
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw wrong(name, 'a number, 0 or more')
  return { [name]: value } as { readonly [Key in Name]: number }
}

function wrong(name: string, expected: string): AvocetError {
  return new AvocetError('AVO_USAGE', `expected an action with ${name}: ${expected}; reload the page`)
}
