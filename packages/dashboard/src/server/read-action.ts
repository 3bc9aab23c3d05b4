// Reads an action that a page asks for: what is not exactly one is refused with what was expected.
import { AvocetError } from '@avocet/core'
import type { HostBounds, SteeringAction, SteeringKind } from '../steering.ts'

/** Seeds that are added at once. */
const MAX_SEEDS = 10_000

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
  stop: ({ drain }) => ({ kind: 'stop', drain: drain !== false }),
  'host-pause': (said) => ({ kind: 'host-pause', hostKey: text(said, 'hostKey'), ...optionalNumber(said, 'until') }),
  'host-resume': (said) => ({ kind: 'host-resume', hostKey: text(said, 'hostKey') }),
  'host-forget': (said) => ({ kind: 'host-forget', hostKey: text(said, 'hostKey') }),
  'host-limits': (said) => ({ kind: 'host-limits', hostKey: text(said, 'hostKey'), limits: limitsOf(said['limits']) }),
  reopen: (said) => ({ kind: 'reopen', ...whichPages(said) }),
  drop: (said) => ({ kind: 'drop', ...whichPages(said) }),
  'add-seeds': (said) => ({ kind: 'add-seeds', urls: urlsOf(said['urls']) }),
}

function whichPages(said: Said): Pick<SteeringAction & { readonly kind: 'reopen' }, 'url' | 'failureClass' | 'hostKey'> {
  return { ...optionalText(said, 'url'), ...optionalText(said, 'failureClass'), ...optionalText(said, 'hostKey') }
}

function limitsOf(said: unknown): HostBounds {
  const limits = (typeof said === 'object' && said !== null ? said : {}) as Said
  return {
    ...optionalNumber(limits, 'maxRps'),
    ...optionalNumber(limits, 'delayMs'),
    ...optionalNumber(limits, 'maxInFlight'),
  }
}

function urlsOf(said: unknown): readonly string[] {
  if (!Array.isArray(said) || said.length === 0 || said.length > MAX_SEEDS) throw wrong('urls', `1 to ${MAX_SEEDS} URLs`)
  if (!said.every((url) => typeof url === 'string')) throw wrong('urls', 'URLs as texts')
  return said
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
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) throw wrong(name, 'a number above 0')
  return { [name]: value } as { readonly [Key in Name]: number }
}

function wrong(name: string, expected: string): AvocetError {
  return new AvocetError('AVO_USAGE', `expected an action with ${name}: ${expected}; reload the page`)
}
