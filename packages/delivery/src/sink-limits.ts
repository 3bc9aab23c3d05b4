// Limits of the batches of a sink, with their defaults.
import type { SinkLimits } from '@avocet/core/sink'

/** Where a sink says nothing. */
export const DEFAULT_SINK_LIMITS: SinkLimits = { maxItems: 256, maxBytes: 4 * 2 ** 20, maxWaitMs: 1_000, timeoutMs: 60_000 }
