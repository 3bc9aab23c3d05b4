// Memory of a host that was written by a clock that was ahead: all moments in it moved back, so that what was left of each wait is left now.
import { rewound } from '@avocet/core'
import type { RateMemory } from './host-memory.ts'
import type { RateSettings } from './settings.ts'

/** The same memory, `byMs` earlier. A law that cannot move its moments begins anew: the rate law at the rate that was found (host-memory.ts). */
export function rewoundRateMemory(memory: RateMemory, byMs: number, settings: RateSettings): RateMemory {
  const { pace, metAt, refusedAt, advice, distrustUntil, law, rate, windowLaw, window, ...rest } = memory
  return {
    ...rest,
    pace: {
      ...pace,
      bookedAt: rewound(pace.bookedAt, byMs),
      holdUntil: rewound(pace.holdUntil, byMs),
      pausedUntil: rewound(pace.pausedUntil, byMs),
    },
    ...(metAt !== undefined && { metAt: rewound(metAt, byMs) }),
    ...(refusedAt !== undefined && { refusedAt: rewound(refusedAt, byMs) }),
    ...(advice !== undefined && { advice: { ...advice, until: rewound(advice.until, byMs) } }),
    ...(distrustUntil !== undefined && { distrustUntil: rewound(distrustUntil, byMs) }),
    ...rateLawOf({ law, rate }, byMs, settings),
    ...windowLawOf({ windowLaw, window }, byMs, settings),
  }
}

function rateLawOf(
  { law: name, rate }: { law: string | undefined; rate: RateMemory['rate'] },
  byMs: number,
  { law }: RateSettings,
): Pick<RateMemory, 'law' | 'rate'> {
  if (rate === undefined) return {}
  // Without its name the state is another law's: of that only the rate is taken.
  return name === law.name && law.rewind !== undefined ? { law: name, rate: law.rewind(rate, byMs) } : { rate }
}

function windowLawOf(
  { windowLaw: name, window: state }: { windowLaw: string | undefined; window: RateMemory['window'] },
  byMs: number,
  { window }: RateSettings,
): Pick<RateMemory, 'windowLaw' | 'window'> {
  if (state === undefined || window?.rewind === undefined || name !== window.name) return {}
  return { windowLaw: name, window: window.rewind(state, byMs) }
}
