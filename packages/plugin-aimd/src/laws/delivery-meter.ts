// Counts what a host accepted, in the present window and in the one before: the rate that it really took, not the rate that we asked.

/** Accepted answers in two windows of equal length; plain JSON. */
export interface DeliveryMeter {
  /** Epoch ms at which the present window began; 0 = nothing was accepted yet. */
  readonly beganAt: number
  readonly count: number
  readonly countBefore: number
}

/** Of a host that was never met. */
export const FRESH_METER: DeliveryMeter = { beganAt: 0, count: 0, countBefore: 0 }

/** Counts one accepted answer. */
export function metered(meter: DeliveryMeter, now: number, windowMs: number): DeliveryMeter {
  if (meter.beganAt === 0) return { beganAt: now, count: 1, countBefore: 0 }
  const windows = Math.floor((now - meter.beganAt) / windowMs)
  if (windows <= 0) return { ...meter, count: meter.count + 1 }
  return { beganAt: meter.beganAt + windows * windowMs, count: 1, countBefore: windows === 1 ? meter.count : 0 }
}

/** Accepted per second over the last window and a part of the one before; Infinity while too little was measured to say. */
export function deliveredRps(meter: DeliveryMeter, now: number, windowMs: number): number {
  const intoMs = now - meter.beganAt
  if (meter.beganAt === 0 || (meter.countBefore === 0 && intoMs < windowMs)) return Infinity
  return ((meter.count + meter.countBefore) * 1_000) / (intoMs + (meter.countBefore > 0 ? windowMs : 0))
}
