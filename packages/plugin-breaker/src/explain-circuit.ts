// What the breaker says of a host in `avocet why`. Pure.
import type { Json } from '@avocet/core'
import { GIVING_UP_MS, type Circuit } from './circuit.ts'
import { NO_ORIGINS, originHold, type Origins } from './origins.ts'

/** A few named values; times are epoch ms. `origins`: those of the host that are in trouble by themselves. */
export function explainCircuit(circuit: Circuit, now: number, origins: Origins = NO_ORIGINS): Readonly<Record<string, Json>> {
  const troubled = origins.troubled.flatMap(({ origin }) => originHold(origins, origin, now)?.why ?? [])
  return { ...hostState(circuit, now), ...(troubled.length > 0 && { troubled }) }
}

function hostState({ phase, trouble }: Circuit, now: number): Readonly<Record<string, Json>> {
  const state = phase.kind === 'open' && now >= phase.until ? 'half-open' : phase.kind
  const failures = {
    failuresInRow: trouble?.inRow ?? 0,
    ...(trouble && trouble.refused > 0 && { refusalsInRow: trouble.refused }),
  }
  if (phase.kind === 'closed') return { state, level: phase.level, ...failures }
  const { level, since, trip } = phase
  const opened = { state, level, cause: trip.word, kind: trip.kind, failingSince: since }
  if (phase.kind === 'open') return { ...opened, openUntil: phase.until }
  return phase.kind === 'half-open'
    ? { ...opened, successes: phase.successes }
    : { ...opened, givenUpAt: phase.at, probeAt: phase.at + GIVING_UP_MS }
}
