// The circuit of a host that was written by a clock that was ahead: its moments moved back, so that a cool-down has left what it had. Pure.
import { rewound } from '@avocet/core'
import type { Circuit, Phase } from './circuit.ts'
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

function rewoundPhase(phase: Phase, byMs: number): Phase {
  const moved = { ...phase, since: rewound(phase.since, byMs) }
  if (moved.kind === 'open') return { ...moved, until: rewound(moved.until, byMs) }
  return moved.kind === 'given-up' ? { ...moved, at: rewound(moved.at, byMs) } : moved
}
