// The circuit of a host that was written by a clock that was ahead: its moments moved back, so that a cool-down has left what it had. Pure.
import { rewound } from '@avocet/core'
import type { Circuit, CircuitPhase } from './circuit.ts'
import type { Origins } from './origins.ts'
import { BUCKET_MS } from './trouble.ts'

/** The same circuit, `byMs` earlier. */
export function rewoundCircuit({ phase, trouble, ...rest }: Circuit, byMs: number): Circuit {
  return {
    ...rest,
    phase: rewoundPhase(phase, byMs),
    ...(trouble && {
      trouble: {
        ...trouble,
        refusedSince: rewound(trouble.refusedSince, byMs),
        bucket: Math.max(0, trouble.bucket - Math.ceil(byMs / BUCKET_MS)),
      },
    }),
  }
}

/** The same for the origins in trouble. */
export function rewoundOrigins({ answered, troubled }: Origins, byMs: number): Origins {
  return { answered, troubled: troubled.map(({ origin, circuit }) => ({ origin, circuit: rewoundCircuit(circuit, byMs) })) }
}

function rewoundPhase(phase: CircuitPhase, byMs: number): CircuitPhase {
  const since = rewound(phase.since, byMs)
  if (phase.kind === 'given-up') return { ...phase, since, at: rewound(phase.at, byMs) }
  if (phase.kind === 'closed')
    return { ...phase, since, ...(phase.downSince !== undefined && { downSince: rewound(phase.downSince, byMs) }) }
  const { aliveAt, failedAt } = phase
  const down = { since, failedAt: rewound(failedAt, byMs), ...(aliveAt !== undefined && { aliveAt: rewound(aliveAt, byMs) }) }
  if (phase.kind === 'open') return { ...phase, ...down, until: rewound(phase.until, byMs) }
  return { ...phase, ...down, ...(phase.backAt !== undefined && { backAt: rewound(phase.backAt, byMs) }) }
}
